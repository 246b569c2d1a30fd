"""A clock whose hands a test turns."""

from __future__ import annotations

import anyio.lowlevel


class ManualClock:
    """A ``Clock`` in which sleeping costs no time but moves the hands.

    Args:
        now_us: The wall clock's first reading.

    Attributes:
        sleeps: The seconds of every sleep so far, in order.
    """

    def __init__(self, *, now_us: int = 1_800_000_000_000_000) -> None:
        self._start_us = now_us
        self._seconds = 0.0
        self.sleeps: list[float] = []

    def now_us(self) -> int:
        """Give the wall clock's time."""
        return self._start_us + round(self._seconds * 1_000_000)

    def monotonic(self) -> float:
        """Give the seconds that the hands have moved."""
        return self._seconds

    async def sleep(self, seconds: float) -> None:
        """Move the hands, and let other tasks run once."""
        self.sleeps.append(seconds)
        self.advance(seconds)
        await anyio.lowlevel.checkpoint()

    def advance(self, seconds: float) -> None:
        """Move the hands forward.

        Raises:
            ValueError: If they would step back.
        """
        if seconds < 0:
            msg = f"a clock cannot step back by {-seconds} s"
            raise ValueError(msg)
        self._seconds += seconds
