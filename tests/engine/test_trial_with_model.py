"""One attempt of the claude agent against a service that may fail: whose fault is what."""

from __future__ import annotations

import pytest
from pydantic import JsonValue

from graders import make_graders
from runner.agents import AGENTS, AgentServices, Turn, make_agent
from runner.domain import (
    AttemptReport,
    Config,
    Ending,
    GraderSpec,
    Isolation,
    Limits,
    Outcome,
    Reason,
    SandboxSpec,
    Task,
)
from runner.engine.clock import SystemClock
from runner.engine.trial import TrialWork, carry_out
from runner.testing.messages_server import serve
from runner.testing.recording_journal import RecordingJournal


class NoBlobs:
    def read(self, digest: str) -> bytes:
        raise KeyError(digest)


async def ask(
    *replies: dict[str, JsonValue],
    agent_seconds: float = 30,
    silence_seconds: float = 120,
    journal: RecordingJournal | None = None,
) -> AttemptReport:
    task = Task(
        id="sums/1",
        instruction="What is 2 + 2?",
        graders=(GraderSpec(kind="answer", settings={"expect": "4"}),),
        expect="4",
        limits=Limits(agent_seconds=agent_seconds),
        sandbox=SandboxSpec(isolation=Isolation.NONE),
    )
    with serve({"replies": list(replies)}) as server:
        settings = AGENTS["claude"].settings.model_validate(
            {"tools": [], "base_url": server.url, "silence_seconds": silence_seconds}
        )
        config = Config(
            name="c",
            agent="claude",
            model="claude-haiku-4-5",
            settings=dict(settings.model_dump(mode="json")),
        )
        trial = TrialWork(
            task=task,
            config=config,
            label="1.1",
            make_agent=lambda: make_agent(
                config,
                task,
                turn=Turn(repeat=1, attempt=1),
                files=NoBlobs(),
                services=AgentServices(),
            ),
            graders=make_graders(task),
            backend=None,
            files=NoBlobs(),
        )
        return await carry_out(trial, journal=journal or RecordingJournal(), clock=SystemClock())


async def test_trial_whose_model_answers_passes_with_its_call_in_the_journal() -> None:
    journal = RecordingJournal()

    report = await ask({"text": "4"}, journal=journal)

    assert (report.outcome, report.reason) == (Outcome.PASS, Reason.COMPLETED), report.detail
    assert [event for event, _ in journal.events] == ["call_sent", "call_completed"]


async def test_trial_told_to_wait_longer_than_the_agent_may_work_still_has_its_time() -> None:
    slow_down: dict[str, JsonValue] = {
        "status": 429,
        "error": "rate_limit_error",
        "headers": {"retry-after": "2"},
    }

    report = await ask(slow_down, {"text": "4"}, agent_seconds=1.5)

    assert (report.outcome, report.reason) == (Outcome.PASS, Reason.COMPLETED), report.detail
    assert report.seconds.waiting is not None
    assert report.seconds.agent is not None
    assert report.seconds.waiting >= 2.0
    assert report.seconds.agent < 1.5


async def test_trial_whose_model_takes_longer_than_the_agent_may_work_is_over_its_time() -> None:
    journal = RecordingJournal()

    report = await ask({"text": "4", "delay": 5.0}, agent_seconds=0.5, journal=journal)

    assert (report.outcome, report.reason) == (Outcome.FAIL, Reason.TIME_LIMIT)
    assert report.flags == ("timed_out",)
    assert [event for event, _ in journal.events] == ["call_sent", "call_failed"]


async def test_trial_whose_service_falls_silent_is_no_fail() -> None:
    report = await ask({"text": "4", "hang_after": 0}, silence_seconds=0.1)

    assert (report.ending, report.reason) == (Ending.INFRA_ERROR, Reason.API_TIMEOUT)


@pytest.mark.parametrize(
    ("status", "error", "reason"),
    [(401, "authentication_error", Reason.AUTH), (403, "permission_error", Reason.FORBIDDEN)],
)
async def test_trial_with_a_dead_key_stays_open(status: int, error: str, reason: Reason) -> None:
    report = await ask({"status": status, "error": error})

    assert (report.ending, report.outcome, report.reason) == (Ending.INTERRUPTED, None, reason)


async def test_trial_whose_request_the_service_refuses_is_no_fail() -> None:
    report = await ask({"status": 400, "error": "invalid_request_error", "message": "odd"})

    assert (report.ending, report.reason) == (Ending.INFRA_ERROR, Reason.API_ERROR)
    assert report.detail is not None
    assert "odd" in report.detail


async def test_trial_that_the_budget_does_not_hold_stays_open() -> None:
    report = await ask({"text": "4"}, journal=RecordingJournal(budget_nusd=1))

    assert (report.ending, report.outcome, report.reason) == (
        Ending.INTERRUPTED,
        None,
        Reason.BUDGET,
    )


@pytest.mark.parametrize(
    ("reply", "outcome", "reason"),
    [
        ({"content": [], "stop_reason": "refusal"}, Outcome.FAIL, Reason.REFUSAL),
        ({"content": []}, Outcome.FAIL, Reason.NO_RESPONSE),
        ({"text": "4", "stop_reason": "max_tokens"}, Outcome.FAIL, Reason.TRUNCATED),
        ({"text": "5"}, Outcome.FAIL, Reason.COMPLETED),
        (
            {"text": "4", "stop_reason": "quota_nap"},
            Outcome.INFRA_ERROR,
            Reason.UNKNOWN_STOP_REASON,
        ),
    ],
)
async def test_trial_ends_as_its_models_last_word_says(
    reply: dict[str, JsonValue], outcome: Outcome, reason: Reason
) -> None:
    report = await ask(reply)

    assert (report.outcome, report.reason) == (outcome, reason), report.detail
