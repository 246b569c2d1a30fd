"""One running command as init sees it: its pipes, its caps, its clock."""

from __future__ import annotations

import os
import time

from runner.sandbox.inside.wire import ERRORS, OUTPUT, PAYLOAD, Wire, send_end

#: What may still lie in the pipes when a command has ended; more comes from its children.
_MOST_AT_END = 1 << 20


class RunningCommand:
    """A command from its start to its end.

    Attributes:
        pid: Its main process.
        marker: The number by which its descendants are known.
        deadline: When its time is over, on the monotonic clock.
        timed_out: Whether its time was over before its main process ended.
        streams: The reading ends of its pipes, with the kind of frame that each becomes.
    """

    __slots__ = (
        "_cut",
        "_left",
        "_number",
        "_started",
        "deadline",
        "marker",
        "pid",
        "streams",
        "timed_out",
    )

    def __init__(
        self,
        number: int,
        *,
        pid: int,
        marker: int,
        seconds: float,
        most_bytes: int,
        pipes: tuple[int, ...],
    ) -> None:
        self.pid = pid
        self.marker = marker
        self.timed_out = False
        self.streams = dict(zip(pipes, (OUTPUT, ERRORS), strict=True))
        self._number = number
        self._left = {OUTPUT: most_bytes, ERRORS: most_bytes}
        self._cut = 0
        self._started = time.monotonic()
        self.deadline = self._started + seconds

    def forward(self, pipe: int, wire: Wire) -> int:
        """Pass on what a pipe holds, up to the cap; give how much it was, 0 at its end.

        Raises:
            BlockingIOError: If it holds nothing.
        """
        data = os.read(pipe, PAYLOAD)
        kind = self.streams[pipe]
        kept = data[: self._left[kind]]
        if kept:
            self._left[kind] -= len(kept)
            wire.send(kind, self._number, kept)
        self._cut += len(data) - len(kept)
        return len(data)

    def finish(self, status: int, wire: Wire) -> None:
        """Pass on what is left in the pipes and report the end of the main process."""
        for pipe in self.streams:
            self._drain(pipe, wire)
        code = os.waitstatus_to_exitcode(status)
        send_end(
            wire,
            self._number,
            exit_status=code if code >= 0 else 128 - code,
            timed_out=self.timed_out,
            cut_bytes=self._cut,
            microseconds=int((time.monotonic() - self._started) * 1e6),
        )

    def _drain(self, pipe: int, wire: Wire) -> None:
        left = _MOST_AT_END
        while left > 0:
            try:
                size = self.forward(pipe, wire)
            except BlockingIOError:
                return
            if size == 0:
                return
            left -= size
