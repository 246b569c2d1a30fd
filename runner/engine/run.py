"""One run of a sweep, whether it was just launched or is gone on with."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

from runner.domain import Clock, Suite
from runner.engine.floors import Floors
from runner.engine.host import host_resources
from runner.engine.progress import Progress, Watcher
from runner.engine.scheduler import Orders, Scheduler
from runner.engine.stopping import Stopper
from runner.engine.workshop import Workshop
from runner.ledger import Ledger, LedgerAddress, LedgerBlobs, SweepSummary, read_ledger


@dataclass(frozen=True, slots=True, kw_only=True)
class Equipment:
    """What a run gets from the process around it.

    Attributes:
        api_key: The model service's key, or None.
        cache: runner's cache folder; None for the user's default one.
        progress: Counts that a display reads while the run goes on.
        watcher: Hears of each attempt's end.
    """

    address: LedgerAddress
    api_key: str | None
    cache: Path | None
    clock: Clock
    stopper: Stopper
    progress: Progress
    watcher: Watcher


async def run_sweep(
    ledger: Ledger,
    suite: Suite,
    orders: Orders,
    *,
    local_urls: Mapping[str, str],
    equipment: Equipment,
) -> SweepSummary:
    """Run a recorded sweep's open trials and record how it stands afterwards.

    Files come from the ledger and never from the suite's directory.

    Raises:
        LedgerError: If the ledger cannot be written.
    """
    _begin(equipment, orders.sweep)
    workshop = Workshop(
        suite,
        files=LedgerBlobs(equipment.address),
        api_key=equipment.api_key,
        local_urls=local_urls,
    )
    await Scheduler(
        ledger,
        orders,
        prepare=workshop.prepare,
        floors=host_floors(),
        clock=equipment.clock,
        stopper=equipment.stopper,
        progress=equipment.progress,
        watcher=equipment.watcher,
    ).run()
    stop = equipment.stopper.stop
    await ledger.close_sweep(orders.sweep, stop_reason=None if stop is None else stop.detail)
    return summarize(equipment.address, orders.sweep)


def host_floors() -> Floors:
    """Give this machine's processors and memory to hand out."""
    host = host_resources()
    return Floors(cpus=host.cpus, memory_bytes=host.memory_bytes)


def summarize(address: LedgerAddress, sweep: int) -> SweepSummary:
    """Read a sweep's counts."""
    with read_ledger(address) as reader:
        return reader.summary_of(sweep)


def _begin(equipment: Equipment, sweep: int) -> None:
    summary, progress = summarize(equipment.address, sweep), equipment.progress
    progress.total = summary.total
    progress.passed, progress.failed = summary.passed, summary.failed
    progress.infra_error = summary.infra_error
