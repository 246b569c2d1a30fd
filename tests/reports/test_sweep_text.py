"""Counts beside their denominators; what is flaky, open or not graded is marked."""

from __future__ import annotations

from runner.ledger import ReasonCount, SweepSummary
from runner.reports.sweep_report import ConfigReport, SweepReport, TaskReport
from runner.reports.sweep_text import MOST_TASKS, sweep_text


def make_summary(**changes: object) -> SweepSummary:
    values: dict[str, object] = {
        "id": 7,
        "name": "night",
        "suite": "small",
        "suite_path": "/suites/small.yaml",
        "document_digest": "0" * 64,
        "state": "open",
        "stop_reason": None,
        "repeats": 3,
        "seed": 0,
        "max_in_flight": 4,
        "infra_attempts": 3,
        "created_us": 0,
        "settled_us": None,
        "total": 10,
        "passed": 4,
        "failed": 2,
        "infra_error": 1,
        "open": 3,
        "running": 2,
        "interrupted": 1,
        "spent_nusd": 1_500_000_000,
        "exposed_nusd": 0,
        "in_flight_nusd": 0,
        "unpriced_calls": 0,
        "budget_nusd": None,
    }
    return SweepSummary(**(values | changes))  # type: ignore[arg-type]  # the tests' own values


def make_task(task: str, *, passed: int = 0, failed: int = 0, infra: int = 0) -> TaskReport:
    return TaskReport(task=task, passed=passed, failed=failed, infra_error=infra, open=0)


def make_report(*tasks: TaskReport, **changes: object) -> SweepReport:
    config = ConfigReport(name="a", model=None, tasks=tasks)
    reasons = (ReasonCount(outcome="infra_error", reason="overloaded", trials=1),)
    return SweepReport(summary=make_summary(**changes), configs=(config,), reasons=reasons)


def test_a_flaky_task_is_marked_and_one_that_always_fails_is_not() -> None:
    text = sweep_text(make_report(make_task("x", passed=2, failed=1), make_task("y", failed=3)))

    assert "x     2/3*" in text
    assert "y     0/3\n" in text


def test_infrastructure_errors_stand_beside_the_count_and_not_in_it() -> None:
    text = sweep_text(make_report(make_task("x", passed=2, infra=1)))

    assert "x     2/2, 1 infra" in text
    assert "1 infra_error by overloaded" in text
    assert "%" not in text


def test_open_trials_are_told_apart_by_who_holds_them() -> None:
    assert "3 open (1 running, 1 interrupted)" in sweep_text(make_report())


def test_the_spend_says_what_calls_in_flight_can_cost_yet() -> None:
    text = sweep_text(make_report(in_flight_nusd=85_000_000))

    assert "spend    $1.50; up to $0.085 more for calls in flight" in text


def test_the_spend_says_what_is_unknown_exposed_and_allowed() -> None:
    text = sweep_text(
        make_report(unpriced_calls=2, exposed_nusd=30_000_000, budget_nusd=5_000_000_000)
    )

    assert "≥ $1.50 (2 unpriced) of a budget of $5.00; up to $0.03 more" in text


def test_a_large_suite_lists_only_the_tasks_that_tell_something() -> None:
    dull = [make_task(f"t{n}", passed=3) for n in range(MOST_TASKS)]

    text = sweep_text(make_report(*dull, make_task("odd", passed=1, failed=2)))

    assert "odd" in text
    assert "t17" not in text
    assert f"and {MOST_TASKS} tasks more" in text


def test_names_that_would_steer_a_terminal_are_escaped() -> None:
    text = sweep_text(make_report(make_task("\x1b[31m"), name="\x07", stop_reason="a\nb"))

    assert "\x1b" not in text
    assert "\x07" not in text
    assert "open (a\\nb)" in text
