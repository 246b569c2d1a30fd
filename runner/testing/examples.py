"""Small values of the ledger's life, for tests: a suite, a launch, reports, calls."""

from __future__ import annotations

from typing import Any

from runner.domain import (
    AttemptReport,
    CallRole,
    Config,
    Ending,
    GraderSpec,
    ModelRequest,
    ModelResult,
    Outcome,
    PhaseSeconds,
    Reason,
    Suite,
    Task,
    Usage,
    Verdict,
    WorkProduct,
)
from runner.ledger import Launch


def make_suite(**changes: Any) -> Suite:
    """Make a suite of 3 tasks, 2 configurations and 2 repeats."""
    tasks = tuple(
        Task(id=f"t{n}", instruction="?", graders=(GraderSpec(kind="answer"),)) for n in range(3)
    )
    values: dict[str, Any] = {
        "name": "small",
        "tasks": tasks,
        "configs": (Config(name="a", agent="nop"), Config(name="b", agent="nop")),
        "repeats": 2,
    }
    return Suite(**(values | changes))


def make_launch(suite: Suite | None = None, *, name: str | None = "sweep") -> Launch:
    """Make what a launch records."""
    return Launch(
        name=name,
        suite=suite or make_suite(),
        document={"suite": "small"},
        suite_path="/suites/small.yaml",
        environment={"host": "here"},
        created_us=1_000_000,
    )


def make_report(outcome: Outcome = Outcome.PASS, **changes: Any) -> AttemptReport:
    """Make the report of a graded attempt."""
    passed = outcome is Outcome.PASS
    score = 1.0 if passed else 0.0
    values: dict[str, Any] = {
        "ending": Ending.FINISHED,
        "reason": Reason.COMPLETED,
        "outcome": outcome,
        "score": score,
        "verdicts": (Verdict(grader="answer", passed=passed, score=score, explanation="seen"),),
        "work": WorkProduct(answer="4"),
        "seconds": PhaseSeconds(setup=0.1, agent=2.0, waiting=0.0, grading=0.2),
    }
    return AttemptReport(**(values | changes))


def make_infra_report() -> AttemptReport:
    """Make the report of an attempt that an overloaded service ended."""
    return AttemptReport(
        ending=Ending.INFRA_ERROR,
        reason=Reason.OVERLOADED,
        outcome=Outcome.INFRA_ERROR,
        detail="the service was overloaded",
    )


def make_request(*messages: bytes, reserved_nusd: int | None = 1_000) -> ModelRequest:
    """Make a request that is about to be sent."""
    return ModelRequest(
        role=CallRole.AGENT,
        model="model-1",
        endpoint="https://example.test",
        parameters={"model": "model-1", "max_tokens": 100},
        messages=messages or (b'{"role":"user","content":"?"}',),
        reserved_nusd=reserved_nusd,
    )


def make_result(*, cost_nusd: int | None = 700, response: bytes = b'{"content":[]}') -> ModelResult:
    """Make a whole answer."""
    return ModelResult(
        usage=Usage(input_tokens=10, output_tokens=5),
        cost_nusd=cost_nusd,
        price_source="table",
        stop_reason="end_turn",
        response=response,
        request_id="req-1",
        seconds=0.5,
    )
