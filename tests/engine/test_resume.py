"""A resume runs exactly what is missing, and never under other conditions."""

from __future__ import annotations

import pytest
from sqlalchemy import text

from runner.engine.selection import Selection
from runner.engine.stopping import Stop, StopKind
from runner.errors import NotFoundError, UsageError
from runner.ledger.store.connect import write_engine
from runner.testing.bench import Bench
from runner.testing.messages_server import serve

STOP = Stop(kind=StopKind.INTERRUPTED, detail="Ctrl-C")


async def launch_and_stop(bench: Bench, *, after: int = 2) -> None:
    """Launch a sweep and stop it once so many attempts have ended."""

    def count() -> None:
        if len(bench.ended_reports) >= after:
            bench.stopper.halt(STOP)

    bench.on_end = count
    await bench.launch(name="s", max_in_flight=1)
    bench.on_end = lambda: None


async def test_resume_keeps_what_is_graded_and_runs_the_rest(bench: Bench) -> None:
    await launch_and_stop(bench)
    before = bench.query("SELECT * FROM trials WHERE outcome IS NOT NULL ORDER BY id")

    summary, resumed = await bench.resume()

    assert (resumed.reopened.kept, resumed.reopened.to_run) == (2, 4)
    assert (summary.state, summary.passed, summary.failed) == ("complete", 4, 2)
    kept = "SELECT * FROM trials WHERE attempts = 1 AND outcome IS NOT NULL ORDER BY id"
    assert set(before) <= set(bench.query(kept))


async def test_resume_of_a_complete_sweep_has_nothing_to_do(bench: Bench) -> None:
    await bench.launch(name="s")
    tables = ("trials", "attempts", "sweeps", "workers")
    before = [bench.query(f"SELECT * FROM {table}") for table in tables]

    summary, resumed = await bench.resume(sweep="s")

    assert (resumed.reopened.kept, resumed.reopened.to_run, summary.state) == (6, 0, "complete")
    assert [bench.query(f"SELECT * FROM {table}") for table in tables] == before


async def test_resume_closes_a_sweep_whose_last_trial_was_recorded_by_a_process_that_died(
    bench: Bench,
) -> None:
    await bench.launch(name="s")
    engine = write_engine(bench.address)
    with engine.begin() as connection:
        connection.execute(text("UPDATE sweeps SET state = 'open', settled_us = NULL"))
    engine.dispose()

    summary, resumed = await bench.resume(sweep="s")

    assert (summary.state, resumed.reopened.to_run) == ("complete", 0)


async def test_resume_opens_infrastructure_errors_again_with_fresh_attempts(bench: Bench) -> None:
    bench.suite.write_text(bench.suite.read_text() + "infra_attempts: 2\n")
    bench.script.write_text(
        "cases:\n"
        "  - {task: a, attempt: 1, steps: [{fail: overloaded}]}\n"
        "  - {task: a, attempt: 2, steps: [{fail: overloaded}]}\n"
        "  - {task: a, attempt: 3, steps: [{fail: overloaded}]}\n"
        "steps: [{submit: '1'}]\n"
    )
    first = await bench.launch(repeats=1, selection=Selection(tasks=("a",)))

    summary, resumed = await bench.resume()

    assert (first.state, first.infra_error) == ("complete", 1)
    assert resumed.reopened.infra == 1
    assert (summary.passed, summary.infra_error) == (1, 0)
    assert bench.query("SELECT number, ending FROM attempts ORDER BY number") == [
        (1, "infra_error"),
        (2, "infra_error"),
        (3, "infra_error"),
        (4, "finished"),
    ]


async def test_more_repeats_run_only_the_new_ones(bench: Bench) -> None:
    await bench.launch(name="s")

    summary, resumed = await bench.resume(sweep="s", repeats=4)

    assert (resumed.reopened.kept, resumed.reopened.missing) == (6, 6)
    assert (summary.repeats, summary.total, summary.passed) == (4, 12, 8)
    assert bench.query("SELECT max(attempts) FROM trials") == [(1,)]


async def test_fewer_repeats_delete_nothing(bench: Bench) -> None:
    await bench.launch(name="s")

    summary, _ = await bench.resume(sweep="s", repeats=1)

    assert (summary.repeats, summary.total) == (2, 6)


@pytest.mark.parametrize(
    ("old", "new", "told"),
    [
        ("Say 2.", "Say two.", "task b: instruction"),
        ('expect: "2"', 'expect: "no"', "task b"),
        ("isolation: none", "isolation: none, cpus: 2", "task b: sandbox.cpus"),
        ("  - {id: b", "  - {id: bb", "task b: not in the file any more"),
    ],
)
async def test_a_changed_task_is_refused_with_what_changed(
    bench: Bench, old: str, new: str, told: str
) -> None:
    await launch_and_stop(bench)
    bench.suite.write_text(bench.suite.read_text().replace(old, new))

    with pytest.raises(UsageError) as refused:
        await bench.resume()

    assert told in refused.value.message
    assert "--only-unchanged" in (refused.value.hint or "")


async def test_a_changed_script_is_a_changed_configuration(bench: Bench) -> None:
    await launch_and_stop(bench)
    bench.script.write_text(bench.script.read_text() + "# a comment is content as well\n")

    with pytest.raises(UsageError, match="configuration script"):
        await bench.resume()


async def test_only_unchanged_goes_on_with_the_rest_and_leaves_the_changed_open(
    bench: Bench,
) -> None:
    await launch_and_stop(bench, after=1)
    bench.suite.write_text(bench.suite.read_text().replace("Say 3.", "Say three."))

    summary, _ = await bench.resume(only_unchanged=True)

    open_tasks = bench.query("SELECT DISTINCT task FROM results WHERE outcome IS NULL")
    assert open_tasks in ([("c",)], [])
    assert summary.open == len(bench.query("SELECT trial FROM results WHERE outcome IS NULL"))
    assert summary.open >= 1


@pytest.mark.parametrize(
    "change",
    [
        lambda text: "# a comment\n" + text,
        lambda text: text.replace(
            "repeats: 2\nmax_in_flight: 2\n", "max_in_flight: 9\nrepeats: 7\n"
        ),
        lambda text: text.replace("configs:", "configs:\n  more: {agent: nop}"),
        lambda text: text.replace(
            "tasks:\n", "tasks:\n  - {id: new, instruction: 'Say 9.', expect: '9'}\n"
        ),
        lambda text: text.replace('{id: a, instruction: "Say 1."', '{instruction: "Say 1.", id: a'),
    ],
    ids=["comment", "order and concurrency", "new configuration", "new task", "key order"],
)
async def test_what_does_not_bear_on_the_trials_does_not_stop_a_resume(
    bench: Bench, change: object
) -> None:
    await launch_and_stop(bench)
    assert callable(change)
    bench.suite.write_text(change(bench.suite.read_text()))

    summary, _ = await bench.resume()

    assert (summary.state, summary.total, summary.repeats) == ("complete", 6, 2)


async def test_a_suite_that_is_gone_is_gone_on_with_from_the_ledger(bench: Bench) -> None:
    await launch_and_stop(bench)
    bench.suite.unlink()
    bench.script.unlink()

    summary, resumed = await bench.resume()

    assert resumed.planned.file_is_gone
    assert (summary.state, summary.passed, summary.failed) == ("complete", 4, 2)


async def test_what_the_launch_picked_and_set_holds_for_the_resume(bench: Bench) -> None:
    bench.suite.write_text(
        bench.suite.read_text().replace("repeats: 2", "repeats: 3") + "x-note: mine\n"
    )
    selection = Selection(tasks=("a", "b"), configs=("script",))
    bench.on_end = lambda: bench.stopper.halt(STOP)
    await bench.launch(name="s", selection=selection, max_in_flight=1)
    bench.on_end = lambda: None

    summary, _ = await bench.resume()

    assert (summary.total, summary.passed, summary.failed, summary.open) == (6, 3, 3, 0)


async def test_an_unknown_sweep_is_named(bench: Bench) -> None:
    await bench.launch(name="s")

    with pytest.raises(NotFoundError, match="'t'"):
        await bench.resume(sweep="t")


CLAUDE = """\
suite: model
tasks:
  - {{id: a, instruction: "What is 2 + 2?", expect: "4"}}
defaults:
  sandbox: {{isolation: none}}
configs:
  model: {{agent: claude, model: claude-haiku-4-5, base_url: {url}, tools: []}}
repeats: 3
"""


async def test_a_service_that_came_back_on_another_port_is_no_change(bench: Bench) -> None:
    bench.on_end = lambda: bench.stopper.halt(STOP)
    with serve({"replies": [{"text": "4"}]}) as first:
        bench.suite.write_text(CLAUDE.format(url=first.url))
        await bench.launch(max_in_flight=1)
    bench.on_end = lambda: None

    with serve({"replies": [{"text": "4"}]}) as second:
        bench.suite.write_text(CLAUDE.format(url=second.url))
        summary, _ = await bench.resume()

    assert (summary.state, summary.passed) == ("complete", 3)
    assert bench.query("SELECT count(DISTINCT config_id) FROM trials") == [(1,)]
    assert bench.query("SELECT DISTINCT endpoint FROM model_calls") == [("http://127.0.0.1",)]


async def test_another_service_under_the_same_name_is_refused(bench: Bench) -> None:
    bench.on_end = lambda: bench.stopper.halt(STOP)
    with serve({"replies": [{"text": "4"}]}) as server:
        bench.suite.write_text(CLAUDE.format(url=server.url))
        await bench.launch(max_in_flight=1)
    bench.suite.write_text(CLAUDE.format(url="https://example.test"))

    with pytest.raises(UsageError, match=r"127\.0\.0\.1.* example\.test"):
        await bench.resume()


@pytest.mark.parametrize("configs", [("oracle",), ("nop",), ("oracle", "script"), ("quiet",)])
async def test_configurations_that_run_only_when_named_are_resumed_too(
    bench: Bench, configs: tuple[str, ...]
) -> None:
    text = bench.suite.read_text().replace(
        "configs:", "configs:\n  quiet: {agent: scripted, script: script.yaml, named_only: true}"
    )
    bench.suite.write_text(text)
    await bench.launch(name="s", repeats=1, selection=Selection(configs=configs))

    summary, resumed = await bench.resume(sweep="s", repeats=2)

    assert (resumed.reopened.kept, resumed.reopened.missing) == (3 * len(configs),) * 2
    assert (summary.state, summary.total) == ("complete", 6 * len(configs))
