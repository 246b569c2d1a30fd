"""Several processes on one sweep: what one of them leaves, another one takes over in mid-run."""

from __future__ import annotations

import signal
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import replace
from functools import partial

import anyio
import anyio.to_thread
import pytest

from graders import make_graders
from runner.agents import Assignment
from runner.domain import AgentEnd, GraderSpec, Isolation, Reason, SandboxSpec, Suite
from runner.engine.clock import SystemClock
from runner.engine.floors import Floors
from runner.engine.progress import Progress
from runner.engine.scheduler import Orders, Scheduler
from runner.engine.stopping import StopKind, Stopper
from runner.engine.trial import TrialWork
from runner.engine.watching import Nobody
from runner.ledger import Claim, Ledger, LedgerBlobs, open_ledger, parse_address, run_query
from runner.ledger.life.journal import BUDGET_POLL_SECONDS
from runner.testing.examples import make_launch, make_request, make_result, make_suite

CALL_NUSD = 1_000


class HurriedClock(SystemClock):
    """A clock whose waits are fifty times shorter, and that tells of a wait for money."""

    def __init__(self) -> None:
        self.waits_for_money = anyio.Event()

    async def sleep(self, seconds: float) -> None:
        if seconds == BUDGET_POLL_SECONDS:
            self.waits_for_money.set()
        await anyio.sleep(seconds / 50)


class Caller:
    """An agent that waits to be let go, makes one call of a known price and answers."""

    def __init__(self, go: anyio.Event) -> None:
        self.go = go

    async def work(self, assignment: Assignment) -> AgentEnd:
        await self.go.wait()
        call = await assignment.journal.call_sent(make_request(reserved_nusd=CALL_NUSD))
        await assignment.journal.call_completed(call, make_result(cost_nusd=CALL_NUSD))
        assignment.submission.submit("4")
        return AgentEnd(reason=Reason.COMPLETED)


class Floor:
    """A scheduler over a real ledger, with agents that work once ``go`` is set."""

    def __init__(self, ledger: Ledger, suite: Suite, sweep: int, clock: HurriedClock) -> None:
        self.stopper = Stopper()
        self.go = anyio.Event()
        self._tasks = {task.id: task for task in suite.tasks}
        self._configs = {config.name: config for config in suite.configs}
        self._files = LedgerBlobs(ledger.address)
        self.scheduler = Scheduler(
            ledger,
            Orders(sweep=sweep, max_in_flight=2, infra_attempts=1),
            prepare=self._prepare,
            floors=Floors(cpus=2, memory_bytes=1 << 30),
            clock=clock,
            stopper=self.stopper,
            progress=Progress(),
            watcher=Nobody(),
        )

    def _prepare(self, claim: Claim) -> TrialWork:
        task = self._tasks[claim.task]
        return TrialWork(
            task=task,
            config=self._configs[claim.config],
            label=str(claim.trial),
            make_agent=partial(Caller, self.go),
            graders=make_graders(task),
            backend=None,
            files=self._files,
        )


@pytest.mark.parametrize(
    ("budget", "stop", "passed"), [(2 * CALL_NUSD - 1, StopKind.BUDGET, 0), (None, None, 6)]
)
async def test_what_a_killed_process_holds_is_taken_over_while_others_wait_for_it(
    ledger_url: str, budget: int | None, stop: StopKind | None, passed: int
) -> None:
    suite = _suite(budget)
    address, clock = parse_address(ledger_url), HurriedClock()
    with anyio.fail_after(20):
        async with open_ledger(address, clock=clock) as ledger:
            sweep = await ledger.launch(make_launch(suite), [])
            floor = Floor(ledger, suite, sweep, clock)
            with _holder(ledger_url, sweep) as holder:
                async with anyio.create_task_group() as tasks:
                    tasks.start_soon(floor.scheduler.run)
                    await anyio.wait_all_tasks_blocked()
                    if budget is not None:
                        floor.go.set()
                        await clock.waits_for_money.wait()
                    await _kill(holder)
                    floor.go.set()

    assert (floor.stopper.stop and floor.stopper.stop.kind) == stop
    outcomes = "SELECT count(*) FROM trials WHERE outcome = 'pass'"
    assert run_query(address, outcomes).rows == ((passed,),)
    money = "SELECT spent_nusd, reserved_nusd, exposed_nusd FROM sweeps"
    assert run_query(address, money).rows == ((passed * CALL_NUSD, 0, CALL_NUSD),)


async def _kill(process: subprocess.Popen[str]) -> None:
    process.send_signal(signal.SIGKILL)
    await anyio.to_thread.run_sync(process.wait)


def _suite(budget: int | None) -> Suite:
    plain = make_suite(repeats=1, budget_nusd=budget)
    sandbox = SandboxSpec(isolation=Isolation.NONE)
    graders = (GraderSpec(kind="answer", settings={"expect": "4"}),)
    tasks = tuple(replace(task, sandbox=sandbox, graders=graders) for task in plain.tasks)
    return replace(plain, tasks=tasks)


@contextmanager
def _holder(url: str, sweep: int) -> Iterator[subprocess.Popen[str]]:
    """Run a process that holds one trial, with a call in flight that may cost CALL_NUSD."""
    command = [sys.executable, "-m", "runner.testing.holder", url, str(sweep), "1"]
    with subprocess.Popen(command, stdout=subprocess.PIPE, text=True) as process:
        assert process.stdout is not None
        assert process.stdout.readline() == "holding\n"
        try:
            yield process
        finally:
            process.kill()
