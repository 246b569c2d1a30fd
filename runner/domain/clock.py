"""Time as an argument, so that tests can turn the hands themselves."""

from __future__ import annotations

from typing import Protocol


class Clock(Protocol):
    """A wall clock, a monotonic clock and a way to wait."""

    def now_us(self) -> int:
        """Give the wall clock's time, microseconds since 1970 UTC; for records only."""
        ...

    def monotonic(self) -> float:
        """Give seconds from an arbitrary start that never step back; for durations."""
        ...

    async def sleep(self, seconds: float) -> None:
        """Wait; cancelling the caller ends the wait at once."""
        ...
