"""Launch: from a suite file to a recorded plan, and on into its first run."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TypeAlias

from runner.domain import BlobSource, FileTree, Suite
from runner.engine.budget import refuse_unpriced
from runner.engine.environment import describe_environment
from runner.engine.local_models import serve_local_models
from runner.engine.run import Equipment, host_floors, run_sweep, summarize
from runner.engine.scheduler import Orders
from runner.engine.selection import Selection
from runner.engine.sweep_names import check_sweep_name
from runner.engine.vocabulary import VOCABULARY
from runner.engine.workshop import Workshop
from runner.ledger import Launch, SweepSummary, open_ledger
from runner.suites import load_suite, suite_document

#: Hears of a sweep once it is recorded, and of what people should know before it runs.
Announce: TypeAlias = Callable[[SweepSummary, list[str]], None]


@dataclass(frozen=True, slots=True, kw_only=True)
class LaunchRequest:
    """What the caller asked for; None leaves the suite file's own value.

    Attributes:
        name: The sweep's, or None for the suite's name with a number.
        most_infra_errors: Stop after so many infrastructure errors; None: never.
    """

    suite_path: Path
    selection: Selection = Selection()
    name: str | None = None
    repeats: int | None = None
    max_in_flight: int | None = None
    budget_nusd: int | None = None
    seed: int | None = None
    most_infra_errors: int | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class PlannedLaunch:
    """A launch that could begin: the suite as it will run, and its files on disk."""

    suite: Suite
    files: BlobSource
    path: Path
    request: LaunchRequest

    @property
    def trials(self) -> int:
        """Count the trials."""
        return len(self.suite.tasks) * len(self.suite.configs) * self.suite.repeats


def plan_launch(request: LaunchRequest, *, now_us: int) -> PlannedLaunch:
    """Read and check what a launch needs of the suite and the machine; writes nothing.

    Raises:
        UsageError: If the file, the flags or the machine do not allow it.
    """
    if request.name is not None:
        check_sweep_name(request.name)
    loaded = load_suite(request.suite_path, VOCABULARY)
    suite = request.selection.apply(loaded.suite)
    suite = replace(
        suite,
        repeats=suite.repeats if request.repeats is None else request.repeats,
        max_in_flight=request.max_in_flight or suite.max_in_flight,
        budget_nusd=suite.budget_nusd if request.budget_nusd is None else request.budget_nusd,
        seed=suite.seed if request.seed is None else request.seed,
    )
    host_floors().check(suite.tasks)
    refuse_unpriced(suite, now_us=now_us)
    path = loaded.path.absolute()
    return PlannedLaunch(suite=suite, files=loaded.blobs, path=path, request=request)


async def launch(
    planned: PlannedLaunch,
    *,
    equipment: Equipment,
    announce: Announce,
) -> SweepSummary:
    """Record a sweep and run it.

    Args:
        planned: What to launch.
        equipment: What the process around it gives.
        announce: Called once, before anything runs.

    Raises:
        UsageError: If an agent or a sandbox cannot be made, or the name is taken; nothing has
            been recorded or spent then.
        LedgerError: If the ledger cannot be written.
    """
    suite = planned.suite
    slots = suite.max_in_flight
    async with serve_local_models(suite, slots=slots, cache=equipment.cache) as local_urls:
        workshop = Workshop(
            suite, files=planned.files, api_key=equipment.api_key, local_urls=local_urls
        )
        workshop.check()
        async with open_ledger(equipment.address, clock=equipment.clock) as ledger:
            sweep = await ledger.launch(
                _recorded(planned, now_us=equipment.clock.now_us()),
                _contents(suite, planned.files),
            )
            announce(summarize(equipment.address, sweep), workshop.warnings())
            orders = Orders(
                sweep=sweep,
                max_in_flight=suite.max_in_flight,
                infra_attempts=suite.infra_attempts,
                most_infra_errors=planned.request.most_infra_errors,
            )
            return await run_sweep(
                ledger, suite, orders, local_urls=local_urls, equipment=equipment
            )


def _recorded(planned: PlannedLaunch, *, now_us: int) -> Launch:
    return Launch(
        name=planned.request.name,
        suite=planned.suite,
        document={
            "suite": suite_document(planned.suite),
            "selection": planned.request.selection.document(),
        },
        suite_path=str(planned.path),
        environment=describe_environment(planned.path),
        created_us=now_us,
    )


def _contents(suite: Suite, files: BlobSource) -> Iterator[bytes]:
    """Read every file of a suite, each content once."""
    digests = {entry.digest for tree in _trees(suite) for entry in tree.entries}
    return (files.read(digest) for digest in sorted(digests))


def _trees(suite: Suite) -> Iterator[FileTree]:
    for task in suite.tasks:
        yield from (task.files, task.tests, task.solution)
    for config in suite.configs:
        yield config.files
