"""Carrying a launch or a resume through: display, signals, the last words, the exit code."""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from contextlib import suppress
from dataclasses import dataclass, field

import anyio

from runner.cli.exit_codes import ExitCode
from runner.cli.faults import explain
from runner.cli.next_step import next_command
from runner.cli.printing.display import Display, make_display
from runner.cli.printing.output import ReaderGoneError, say, write_json, write_text
from runner.cli.printing.sweep_output import status_json
from runner.cli.printing.view import View
from runner.cli.settings import Settings
from runner.cli.signals import Signals, exit_code_of, taken_signals
from runner.engine.clock import SystemClock
from runner.engine.progress import Progress
from runner.engine.run import Equipment
from runner.engine.stopping import Stop, StopKind, Stopper
from runner.ledger import LedgerAddress, SweepSummary, read_ledger
from runner.printable import printable
from runner.reports import SweepReport, read_sweep_report, sweep_text

#: Tells people that the sweep is recorded and begins: the summary, and a line about it.
Announce = Callable[[SweepSummary, str], None]
Start = Callable[[Equipment, Announce], Awaitable[SweepSummary]]


@dataclass(slots=True, kw_only=True)
class Run:
    """One run of a sweep as the command line sees it.

    Attributes:
        announced: The sweep, once it is recorded; None before that.
        error: What broke the run off after that.
    """

    address: LedgerAddress
    display: Display
    stopper: Stopper = field(default_factory=Stopper)
    progress: Progress = field(default_factory=Progress)
    clock: SystemClock = field(default_factory=SystemClock)
    announced: SweepSummary | None = None
    error: Exception | None = None


def run_to_end(
    start: Start, *, address: LedgerAddress, settings: Settings, as_json: bool
) -> ExitCode:
    """Run a sweep, print how it stands afterwards, and give the exit code."""
    run = anyio.run(_run, start, address, settings)
    if run.announced is None:
        say("stopped before anything was recorded")
        return _exit_code(None, run.stopper.stop)
    if run.error is not None:
        code = explain(run.error)
        say(f"next: {next_command(run.announced, address)}")
        return code
    return _finish(run, run.announced, as_json=as_json)


async def _run(start: Start, address: LedgerAddress, settings: Settings) -> Run:
    run = Run(address=address, display=make_display(plain=settings.plain))
    try:
        await _show_and_run(start, run, settings)
    except Exception as error:
        if run.announced is None:
            raise
        run.error = error
    return run


async def _show_and_run(start: Start, run: Run, settings: Settings) -> None:
    equipment = Equipment(
        address=run.address,
        api_key=settings.api_key,
        cache=settings.cache,
        clock=run.clock,
        stopper=run.stopper,
        progress=run.progress,
        watcher=run.display,
    )
    with taken_signals(run.display.restore) as signals:
        async with anyio.create_task_group() as tasks:

            def announce(summary: SweepSummary, line: str) -> None:
                run.announced = summary
                say(printable(line))
                tasks.start_soon(run.display.show, _view(run, summary))

            tasks.start_soon(_stop_in_order, run, signals, tasks.cancel_scope)
            await start(equipment, announce)
            tasks.cancel_scope.cancel()


async def _stop_in_order(run: Run, signals: Signals, everything: anyio.CancelScope) -> None:
    """Wait for a signal, then stop the trials, or all there is if nothing is recorded yet."""
    stop = await signals.first()
    run.display.say(f"{stop.detail}: stopping what is in flight; once more exits at once")
    run.stopper.halt(stop)
    if run.announced is None:
        everything.cancel()


def _view(run: Run, summary: SweepSummary) -> View:
    return View(
        progress=run.progress,
        clock=run.clock,
        address=run.address,
        summary=summary,
        started=run.clock.monotonic(),
    )


def _finish(run: Run, sweep: SweepSummary, *, as_json: bool) -> ExitCode:
    """Print the report on stdout; the last line on stderr is the command that goes on."""
    with read_ledger(run.address) as reader:
        report = read_sweep_report(reader, sweep.name)
    stop = run.stopper.stop
    code = _exit_code(report, stop)
    with suppress(ReaderGoneError):
        if as_json:
            asked = stop is not None and exit_code_of(stop) is not None
            write_json(
                {**status_json(report, run.address), "exit_code": code, "interrupted": asked}
            )
        else:
            write_text(sweep_text(report))
    if stop is not None:
        say(f"stopped: {printable(stop.detail)}")
    say(f"next: {next_command(report.summary, run.address)}")
    return code


def _exit_code(report: SweepReport | None, stop: Stop | None) -> ExitCode:
    asked = None if stop is None else exit_code_of(stop)
    if asked is not None:
        return asked
    if report is None or report.finished:
        return ExitCode.DONE
    if stop is not None and stop.kind is StopKind.BUDGET:
        return ExitCode.BUDGET
    return ExitCode.INCOMPLETE
