"""The machine's own clocks."""

from __future__ import annotations

import time

import anyio


class SystemClock:
    """A ``Clock`` by which real time passes."""

    def now_us(self) -> int:
        """Give the wall clock's time, microseconds since 1970 UTC."""
        return time.time_ns() // 1_000

    def monotonic(self) -> float:
        """Give seconds that never step back."""
        return time.monotonic()

    async def sleep(self, seconds: float) -> None:
        """Wait; cancelling the caller ends the wait at once."""
        await anyio.sleep(seconds)
