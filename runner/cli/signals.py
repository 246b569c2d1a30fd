"""Ctrl-C and its relatives: once to stop in order, twice to stop at once."""

from __future__ import annotations

import os
import signal
from collections.abc import Callable

import anyio
from anyio.abc import TaskStatus

from runner.cli.exit_codes import ExitCode
from runner.engine.stopping import Stop, StopKind


async def watch_signals(
    on_first: Callable[[Stop], None],
    *,
    on_second: Callable[[], None],
    task_status: TaskStatus[None],
) -> None:
    """Hand the first signal on as a stop; from then on any other ends the process at once.

    Args:
        on_first: Stops the run in order.
        on_second: Gives the terminal back, right before the process ends.
        task_status: Started once no signal can be missed.
    """
    watched = [number for number in _STOPS if signal.getsignal(number) != signal.SIG_IGN]
    with anyio.open_signal_receiver(*watched) as signals:
        task_status.started()
        async for number in signals:
            on_first(_STOPS[number])
            break
    # Handlers of Python's own, since the event loop may be the very thing that hangs.
    for number in watched:
        signal.signal(number, lambda number, _frame: _exit_at_once(number, on_second))


def exit_code_of(stop: Stop) -> ExitCode | None:
    """Give the exit code of a stop that somebody asked for; None for the runner's own stops."""
    match stop.kind:
        case StopKind.INTERRUPTED:
            return ExitCode.INTERRUPTED
        case StopKind.TERMINATED:
            return ExitCode.TERMINATED
        case _:
            return None


def _exit_at_once(number: int, on_second: Callable[[], None]) -> None:
    """End without any farewell; what is in flight is taken back by the next resume."""
    on_second()
    stop = _STOPS[signal.Signals(number)]
    os._exit(exit_code_of(stop) or ExitCode.TERMINATED)


#: A signal that is ignored from the start (nohup, a job in the background) stays ignored.
_STOPS = {
    signal.SIGINT: Stop(kind=StopKind.INTERRUPTED, detail="interrupted by Ctrl-C"),
    signal.SIGTERM: Stop(kind=StopKind.TERMINATED, detail="terminated by SIGTERM"),
    signal.SIGHUP: Stop(kind=StopKind.TERMINATED, detail="terminated by SIGHUP"),
}
