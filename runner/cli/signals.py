"""Ctrl-C and its relatives: once to stop in order, twice to stop at once."""

from __future__ import annotations

import os
import signal
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from types import FrameType

import anyio

from runner.cli.exit_codes import ExitCode
from runner.engine.stopping import Stop, StopKind

_POLL_SECONDS = 0.1


class Signals:
    """Takes signals by Python's own handlers, which work also while the event loop hangs."""

    def __init__(self, on_second: Callable[[], None]) -> None:
        self._on_second = on_second
        self._stop: Stop | None = None

    async def first(self) -> Stop:
        """Wait for the first signal."""
        while self._stop is None:  # noqa: ASYNC110 - a handler may not touch the event loop
            await anyio.sleep(_POLL_SECONDS)
        return self._stop

    def take(self, number: int, _frame: FrameType | None) -> None:
        """Note the first signal; end the process at the second, without any farewell.

        What is in flight then is taken back by the next resume.
        """
        stop = _STOPS[signal.Signals(number)]
        if self._stop is None:
            self._stop = stop
            return
        self._on_second()
        os._exit(exit_code_of(stop) or ExitCode.TERMINATED)


@contextmanager
def taken_signals(on_second: Callable[[], None]) -> Iterator[Signals]:
    """Take the signals that stop a run for as long as the block runs.

    Args:
        on_second: Gives the terminal back, right before the process ends.
    """
    signals = Signals(on_second)
    before = {number: signal.getsignal(number) for number in _STOPS}
    # What is ignored from the start (nohup, a job in the background) stays ignored.
    watched = [number for number, handler in before.items() if handler != signal.SIG_IGN]
    for number in watched:
        signal.signal(number, signals.take)
    try:
        yield signals
    finally:
        for number in watched:
            signal.signal(number, before[number] or signal.SIG_DFL)


def exit_code_of(stop: Stop) -> ExitCode | None:
    """Give the exit code of a stop that somebody asked for; None for the runner's own stops."""
    match stop.kind:
        case StopKind.INTERRUPTED:
            return ExitCode.INTERRUPTED
        case StopKind.TERMINATED:
            return ExitCode.TERMINATED
        case _:
            return None


_STOPS = {
    signal.SIGINT: Stop(kind=StopKind.INTERRUPTED, detail="interrupted by Ctrl-C"),
    signal.SIGTERM: Stop(kind=StopKind.TERMINATED, detail="terminated by SIGTERM"),
    signal.SIGHUP: Stop(kind=StopKind.TERMINATED, detail="terminated by SIGHUP"),
}
