"""Resume: run exactly what is missing of a sweep, with what the ledger knows of it."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from pathlib import Path
from typing import cast

from runner.domain import JsonObject, Suite
from runner.engine.budget import refuse_unpriced
from runner.engine.endpoints import reached_as_now
from runner.engine.local_models import serve_local_models
from runner.engine.run import Equipment, host_floors, run_sweep, summarize
from runner.engine.scheduler import Orders
from runner.engine.selection import read_selection
from runner.engine.vocabulary import VOCABULARY
from runner.engine.workshop import Workshop
from runner.errors import UsageError
from runner.ledger import (
    LedgerAddress,
    LedgerBlobs,
    Reopened,
    SweepSummary,
    Unclaimable,
    open_ledger,
    read_ledger,
)
from runner.suites import (
    SuiteChanges,
    compare_suites,
    is_there,
    load_suite,
    suite_from_document,
)


@dataclass(frozen=True, slots=True, kw_only=True)
class ResumeRequest:
    """What the caller asked for; None leaves what the sweep was launched with.

    Attributes:
        sweep: Its name or id; None for the newest that is not complete.
        repeats: More repeats than before are added; fewer delete nothing.
        only_unchanged: Go on with the tasks and configurations that did not change on disk.
    """

    sweep: str | None = None
    repeats: int | None = None
    max_in_flight: int | None = None
    budget_nusd: int | None = None
    most_infra_errors: int | None = None
    only_unchanged: bool = False


@dataclass(frozen=True, slots=True, kw_only=True)
class PlannedResume:
    """A resume that could begin.

    Attributes:
        suite: As it was launched; what the ledger holds of it is what runs.
        without: Tasks and configurations that changed on disk and stay open.
        file_is_gone: Whether the suite file is no longer there.
    """

    summary: SweepSummary
    suite: Suite
    request: ResumeRequest
    without: Unclaimable
    file_is_gone: bool

    @property
    def max_in_flight(self) -> int:
        """Give how many trials may run at once."""
        return self.request.max_in_flight or self.summary.max_in_flight

    @property
    def nothing_to_run(self) -> bool:
        """Whether the sweep is complete without infrastructure errors, and no repeat is added."""
        summary = self.summary
        done = summary.state == "complete" and not summary.infra_error
        return done and self.suite.repeats == summary.repeats


@dataclass(frozen=True, slots=True, kw_only=True)
class Resumed:
    """What is told before a resumed sweep runs on."""

    planned: PlannedResume
    reopened: Reopened
    warnings: tuple[str, ...] = ()


def plan_resume(request: ResumeRequest, address: LedgerAddress, *, now_us: int) -> PlannedResume:
    """Read and check what a resume needs; writes nothing.

    Raises:
        NotFoundError: If there is no such sweep.
        UsageError: If the suite changed on disk since the launch, with each change.
    """
    with read_ledger(address) as reader:
        summary = reader.summary(request.sweep)
        document = reader.document(summary.document_digest)
    suite = suite_from_document(cast("JsonObject", document["suite"]))
    repeats = max(request.repeats or 0, summary.repeats)
    budget = summary.budget_nusd if request.budget_nusd is None else request.budget_nusd
    suite = replace(suite, repeats=repeats, budget_nusd=budget)
    path = Path(summary.suite_path)
    without = Unclaimable()
    is_gone = not is_there(path)
    if not is_gone:
        now = _as_it_is_now(suite, path, document)
        changes = compare_suites(suite, now)
        without = _left_out(changes, summary.name, only_unchanged=request.only_unchanged)
        suite = reached_as_now(suite, now)
    host_floors().check(suite.tasks)
    refuse_unpriced(suite, now_us=now_us)
    return PlannedResume(
        summary=summary,
        suite=suite,
        request=request,
        without=without,
        file_is_gone=is_gone,
    )


async def resume(
    planned: PlannedResume, *, equipment: Equipment, announce: Callable[[Resumed], None]
) -> SweepSummary:
    """Open a sweep again and run what is to run.

    Args:
        planned: What to resume.
        equipment: What the process around it gives.
        announce: Told what is kept and what is to run, before anything runs.

    Raises:
        UsageError: If an agent or a sandbox cannot be made; nothing has been changed then.
        LedgerError: If the ledger cannot be written.
    """
    sweep, suite, request = planned.summary.id, planned.suite, planned.request
    if planned.nothing_to_run:
        announce(Resumed(planned=planned, reopened=_all_kept(planned.summary)))
        return planned.summary
    slots = planned.max_in_flight
    async with serve_local_models(suite, slots=slots, cache=equipment.cache) as local_urls:
        workshop = Workshop(
            suite,
            files=LedgerBlobs(equipment.address),
            api_key=equipment.api_key,
            local_urls=local_urls,
        )
        workshop.check()
        async with open_ledger(equipment.address, clock=equipment.clock) as ledger:
            await ledger.raise_repeats(sweep, suite, repeats=suite.repeats)
            reopened = await ledger.reopen(sweep, budget_nusd=request.budget_nusd)
            warnings = tuple(workshop.warnings())
            announce(Resumed(planned=planned, reopened=reopened, warnings=warnings))
            if not reopened.to_run:
                await ledger.close_sweep(sweep, stop_reason=None)
                return summarize(equipment.address, sweep)
            orders = Orders(
                sweep=sweep,
                max_in_flight=planned.max_in_flight,
                infra_attempts=planned.summary.infra_attempts,
                most_infra_errors=request.most_infra_errors,
                without=planned.without,
            )
            return await run_sweep(
                ledger, suite, orders, local_urls=local_urls, equipment=equipment
            )


def _all_kept(summary: SweepSummary) -> Reopened:
    kept = summary.passed + summary.failed
    return Reopened(kept=kept, missing=0, interrupted=0, infra=0, held=())


def _as_it_is_now(recorded: Suite, path: Path, document: Mapping[str, object]) -> Suite:
    """Read what the launch picked from the file as it is now."""
    selection = read_selection(cast("JsonObject", document["selection"]))
    everything = load_suite(path, VOCABULARY).suite
    tasks = {task.id for task in recorded.tasks}
    configs = {config.name for config in recorded.configs}
    same_names = replace(
        everything,
        tasks=tuple(task for task in everything.tasks if task.id in tasks),
        configs=tuple(config for config in everything.configs if config.name in configs),
    )
    if not (same_names.tasks and same_names.configs):
        return same_names
    # By name: else configurations that run only when they are named would be left out.
    names = tuple(config.name for config in same_names.configs)
    return replace(selection, configs=names, tasks=(), tags=(), limit=None).apply(same_names)


def _left_out(changes: SuiteChanges, name: str, *, only_unchanged: bool) -> Unclaimable:
    if not changes:
        return Unclaimable()
    if not only_unchanged:
        raise UsageError(
            f"the suite has changed since sweep {name} was launched:\n{_listed(changes)}",
            hint=(
                "Undo the changes, launch a new sweep, or go on with what is the same by "
                f"`runner resume {name} --only-unchanged`."
            ),
        )
    return Unclaimable(
        tasks=(*changes.tasks.changed, *changes.tasks.removed),
        configs=(*changes.configs.changed, *changes.configs.removed),
    )


def _listed(changes: SuiteChanges) -> str:
    lines = [] if changes.name is None else [f"  suite {changes.name}"]
    for what, named in (("task", changes.tasks), ("configuration", changes.configs)):
        lines += [f"  {what} {name}: not in the file any more" for name in named.removed]
        lines += [f"  {what} {name}: new in the file" for name in named.added]
        for name, fields in named.changed.items():
            lines += [f"  {what} {name}: {field}" for field in fields]
    return "\n".join(lines)
