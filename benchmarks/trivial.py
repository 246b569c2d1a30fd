"""How much the runner itself costs: trivial durable trials, nothing but orchestration.

Each trial is claimed, carried out by the ``nop`` agent without a sandbox, graded by an answer
grader and recorded durably, exactly as in a launch:

    python benchmarks/trivial.py --trials 10000 --json
"""

from __future__ import annotations

import argparse
import json
import resource
import tempfile
import time
from pathlib import Path

import anyio

from runner.domain import Config, GraderSpec, Isolation, SandboxSpec, Suite, Task
from runner.engine.clock import SystemClock
from runner.engine.progress import Progress
from runner.engine.run import Equipment, run_sweep
from runner.engine.scheduler import Orders
from runner.engine.stopping import Stopper
from runner.engine.watching import Nobody
from runner.ledger import Launch, open_ledger, parse_address

TASKS = 100


def trivial_suite(trials: int) -> Suite:
    """Make a suite of 100 one-turn tasks with as many repeats as it takes."""
    grader = GraderSpec(kind="answer", settings={"match": "exact", "expect": "yes"})
    sandbox = SandboxSpec(isolation=Isolation.NONE)
    tasks = tuple(
        Task(
            id=f"task-{n}",
            instruction="Say yes.",
            expect="yes",
            graders=(grader,),
            sandbox=sandbox,
        )
        for n in range(min(TASKS, trials))
    )
    repeats = max(1, trials // len(tasks))
    return Suite(
        name="trivial", tasks=tasks, configs=(Config(name="nop", agent="nop"),), repeats=repeats
    )


async def measure(ledger_url: str, *, trials: int, in_flight: int) -> dict[str, float]:
    """Run the trials and give the figures."""
    suite, clock = trivial_suite(trials), SystemClock()
    address = parse_address(ledger_url)
    equipment = Equipment(
        address=address,
        api_key=None,
        cache=None,
        clock=clock,
        stopper=Stopper(),
        progress=Progress(),
        watcher=Nobody(),
    )
    async with open_ledger(address, clock=clock) as ledger:
        launch = Launch(
            name="trivial", suite=suite, document={}, suite_path="", environment={}, created_us=0
        )
        sweep = await ledger.launch(launch, [])
        orders = Orders(sweep=sweep, max_in_flight=in_flight, infra_attempts=1)
        start, cpu = time.perf_counter(), time.process_time()
        summary = await run_sweep(ledger, suite, orders, local_urls={}, equipment=equipment)
        seconds, cpu = time.perf_counter() - start, time.process_time() - cpu
    if summary.failed != summary.total:
        raise SystemExit(f"expected {summary.total} failed trials: {summary}")
    size = address.file.stat().st_size if address.file else 0
    return {
        "trials": summary.total,
        "max_in_flight": in_flight,
        "trials_per_s": round(summary.total / seconds, 1),
        "cpu_ms_per_trial": round(1000 * cpu / summary.total, 3),
        "peak_rss_mb": round(resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024, 1),
        "ledger_bytes_per_trial": round(size / summary.total, 1),
    }


def main() -> None:
    """Read the flags, measure, print."""
    flags = argparse.ArgumentParser(description=__doc__)
    flags.add_argument("--trials", type=int, default=1000)
    flags.add_argument("--in-flight", type=int, default=64)
    flags.add_argument("--ledger", help="an empty database; a temporary SQLite file without it")
    flags.add_argument("--json", action="store_true")
    given = flags.parse_args()
    with tempfile.TemporaryDirectory() as directory:
        url = given.ledger or str(Path(directory) / "ledger.db")
        figures = anyio.run(_measure, url, given.trials, given.in_flight)
    if given.json:
        print(json.dumps(figures))
    else:
        for name, value in figures.items():
            print(f"{name:24} {value}")


async def _measure(url: str, trials: int, in_flight: int) -> dict[str, float]:
    return await measure(url, trials=trials, in_flight=in_flight)


if __name__ == "__main__":
    main()
