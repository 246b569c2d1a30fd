"""The loop that keeps a bounded number of trials in flight, and how it stops."""

from __future__ import annotations

import pytest

from runner.domain import Ending, Reason
from runner.engine.selection import Selection
from runner.engine.stopping import Stop, StopKind
from runner.errors import UsageError
from runner.testing.bench import Bench


async def test_a_launch_settles_every_trial_and_counts_fails_as_no_error(bench: Bench) -> None:
    summary = await bench.launch(name="s")

    assert summary.state == "complete"
    assert (summary.total, summary.passed, summary.failed, summary.open) == (6, 4, 2, 0)
    rows = bench.query("SELECT task, c, n FROM task_scores ORDER BY task")
    assert rows == [("a", 2, 2), ("b", 0, 2), ("c", 2, 2)]


async def test_never_more_trials_are_in_flight_than_allowed(bench: Bench) -> None:
    bench.script.write_text("steps: [{wait: 0.02}, {submit: '1'}]")

    await bench.launch(repeats=10, max_in_flight=3)

    assert bench.most_at_once == 3


async def test_an_infrastructure_error_is_tried_again_and_the_verdict_is_the_later_ones(
    bench: Bench,
) -> None:
    bench.script.write_text(
        "cases:\n  - {task: a, attempt: 1, steps: [{fail: overloaded}]}\nsteps: [{submit: '1'}]\n"
    )

    summary = await bench.launch(selection=Selection(tasks=("a",)), repeats=1)

    assert (summary.passed, summary.infra_error) == (1, 0)
    assert bench.query("SELECT number, ending, reason FROM attempts ORDER BY number") == [
        (1, "infra_error", "overloaded"),
        (2, "finished", "completed"),
    ]


async def test_an_error_that_persists_settles_as_infra_error_after_the_attempts_of_the_suite(
    bench: Bench,
) -> None:
    bench.suite.write_text(bench.suite.read_text() + "infra_attempts: 2\n")
    bench.script.write_text("steps: [{fail: rate_limited}]")

    summary = await bench.launch(repeats=1)

    assert (summary.infra_error, summary.failed, summary.open) == (3, 0, 0)
    assert bench.query("SELECT count(*) FROM attempts") == [(6,)]
    assert bench.query("SELECT n, infra, pass_rate FROM config_scores") == [(0, 3, None)]


async def test_a_waiting_retry_holds_no_room(bench: Bench) -> None:
    bench.script.write_text(
        "cases:\n  - {task: a, attempt: 1, steps: [{fail: overloaded}]}\nsteps: [{submit: '2'}]\n"
    )

    await bench.launch(max_in_flight=1, repeats=1)

    ended = bench.query(
        "SELECT k.name, a.number FROM attempts a JOIN trials t ON t.id = a.trial_id "
        "JOIN tasks k ON k.id = t.task_id ORDER BY a.ended_us, a.id"
    )
    assert ended[-1] == ("a", 2), "the others ran while it waited"


async def test_a_dead_key_starts_nothing_more_and_leaves_trials_open(bench: Bench) -> None:
    bench.script.write_text("steps: [{fail: auth, message: the key is not valid}]")

    summary = await bench.launch(repeats=5, max_in_flight=2)

    assert (summary.state, summary.open, summary.infra_error, summary.failed) == (
        "stopped",
        15,
        0,
        0,
    )
    assert "the key is not valid" in (summary.stop_reason or "")
    assert bench.stopper.stop is not None
    assert bench.stopper.stop.kind is StopKind.BREAKER
    assert bench.query("SELECT count(*) FROM attempts") <= [(4,)]


async def test_too_many_infrastructure_errors_stop_the_run(bench: Bench) -> None:
    bench.script.write_text("steps: [{fail: api_error}]")

    summary = await bench.launch(repeats=5, max_in_flight=1, most_infra_errors=3)

    assert bench.stopper.stop is not None
    assert bench.stopper.stop.kind is StopKind.TOO_MANY_INFRA_ERRORS
    assert summary.state == "stopped"
    assert bench.query("SELECT count(*) FROM attempts") == [(3,)]


async def test_a_halt_gives_back_what_is_in_flight_as_interrupted(bench: Bench) -> None:
    bench.script.write_text("cases:\n  - {task: a, steps: [{submit: '1'}]}\nsteps: [{wait: 60}]\n")
    stop = Stop(kind=StopKind.INTERRUPTED, detail="Ctrl-C")
    bench.on_end = lambda: bench.stopper.halt(stop)

    summary = await bench.launch(repeats=2, max_in_flight=3)

    endings = bench.query("SELECT ending, reason FROM attempts WHERE ending <> 'finished'")
    assert endings
    assert set(endings) == {(Ending.INTERRUPTED, Reason.INTERRUPTED)}
    assert bench.query("SELECT count(*) FROM trials WHERE state = 'running'") == [(0,)]
    assert summary.state == "stopped"


async def test_an_agent_that_cannot_be_made_is_found_before_anything_is_recorded(
    bench: Bench,
) -> None:
    bench.script.write_text("steps: [{sumbit: '1'}]")

    with pytest.raises(UsageError, match="sumbit"):
        await bench.launch()

    assert not (bench.folder / "ledger.db").exists()


async def test_trials_read_their_files_from_the_ledger_and_not_from_the_suite(
    bench: Bench,
) -> None:
    def spoil() -> None:
        bench.script.write_text("steps: [{submit: 'spoilt'}]")

    bench.on_end = spoil

    summary = await bench.launch(max_in_flight=1)

    assert summary.passed == 4


async def test_sandboxes_that_do_not_isolate_are_told_of_first(bench: Bench) -> None:
    weak = "isolation: preferred, backend: process"
    bench.suite.write_text(bench.suite.read_text().replace("isolation: none", weak))

    await bench.launch(repeats=1, selection=Selection(tasks=("a", "b")))

    (warning,) = bench.warnings
    assert "2 tasks (a, b) do not isolate" in warning


async def test_a_report_that_cannot_be_written_is_one_attempts_infrastructure_error(
    bench: Bench,
) -> None:
    bench.suite.write_text(
        bench.suite.read_text().replace(
            "script: {agent: scripted, script: script.yaml}", "own: {agent: 'python:own.py:Own'}"
        )
        + "infra_attempts: 1\n"
    )
    (bench.folder / "own.py").write_text(OWN)

    summary = await bench.launch(repeats=1)

    assert (summary.state, summary.passed, summary.infra_error) == ("complete", 2, 1)
    assert bench.query("SELECT reason FROM trials WHERE outcome = 'infra_error'") == [
        ("unforeseen",)
    ]


#: Its second task ends with a detail that is no text.
OWN = """\
from runner.domain import AgentEnd, Reason

class Own:
    async def work(self, assignment):
        number = assignment.instruction[4]
        assignment.submission.submit(number)
        return AgentEnd(reason=Reason.COMPLETED, detail=2 if number == "2" else None)
"""


@pytest.mark.parametrize("name", ["", "  ", "7", "-7", "--json", "a/b", "a\nb", "\x1b[31m"])
async def test_a_name_that_could_be_taken_for_something_else_is_refused(
    bench: Bench, name: str
) -> None:
    with pytest.raises(UsageError, match="the sweep's name"):
        await bench.launch(name=name)

    assert not (bench.folder / "ledger.db").exists()
