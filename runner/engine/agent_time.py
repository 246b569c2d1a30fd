"""An agent's working time: what passes while it works, without its waits on a model's service."""

from __future__ import annotations

import math
from collections.abc import Iterator
from contextlib import contextmanager

import anyio

from runner.domain import (
    Clock,
    Journal,
    ModelFailure,
    ModelRequest,
    ModelResult,
    ToolRequest,
    ToolResult,
)


@contextmanager
def agent_time(seconds: float, *, clock: Clock) -> Iterator[AgentTime]:
    """Cancel the block once the agent in it has worked for its seconds; ``over`` tells."""
    with anyio.CancelScope() as scope:
        yield AgentTime(seconds, clock=clock, scope=scope)


class AgentTime:
    """Measures an agent's work and waits, and moves the deadline of a scope along with them.

    Waits that overlap count once. A wait may be booked when it begins, with the end that is
    planned; what of it still lies ahead is neither work nor waiting yet.
    """

    def __init__(self, seconds: float, *, clock: Clock, scope: anyio.CancelScope) -> None:
        self._seconds = seconds
        self._clock = clock
        self._scope = scope
        self._start = clock.monotonic()
        self._waits: list[tuple[float, float]] = []
        self._held = 0
        self._set_deadline()

    @property
    def over(self) -> bool:
        """Whether the seconds were used up."""
        return self._scope.cancel_called

    def book(self, start: float, end: float) -> None:
        """Take an interval of the clock's monotonic seconds for a wait."""
        if end > start:
            self._waits.append((start, end))
            self._set_deadline()

    @contextmanager
    def held(self) -> Iterator[None]:
        """Take the block for a wait, however long it may be."""
        start = self._clock.monotonic()
        self._held += 1
        self._set_deadline()
        try:
            yield
        finally:
            self._held -= 1
            self._waits.append((start, self._clock.monotonic()))
            self._set_deadline()

    def worked(self) -> float:
        """Give the seconds of work so far."""
        return max(0.0, self._clock.monotonic() - self._start - self.waited())

    def waited(self) -> float:
        """Give the seconds of waiting so far, the union of all waits."""
        return _union(self._waits, since=self._start, until=self._clock.monotonic())

    def _set_deadline(self) -> None:
        if self._held:
            self._scope.deadline = math.inf
            return
        planned = _union(self._waits, since=self._start, until=math.inf)
        elapsed = self._clock.monotonic() - self._start
        self._scope.deadline = anyio.current_time() + self._seconds + planned - elapsed


class TimedJournal:
    """A ``Journal`` that hands everything on, and tells an ``AgentTime`` of each wait."""

    def __init__(self, journal: Journal, *, time: AgentTime) -> None:
        self._journal = journal
        self._time = time

    async def call_sent(self, request: ModelRequest) -> int:
        """Record the intent; waiting until the budget has room for it is no work."""
        with self._time.held():
            return await self._journal.call_sent(request)

    async def call_completed(self, call: int, result: ModelResult) -> None:
        """Record an answer."""
        await self._journal.call_completed(call, result)

    async def call_failed(self, call: int, failure: ModelFailure) -> None:
        """Record that there was none."""
        await self._journal.call_failed(call, failure)

    async def tool_started(self, request: ToolRequest) -> int:
        """Record the intent to run a tool."""
        return await self._journal.tool_started(request)

    async def tool_finished(self, tool: int, result: ToolResult) -> None:
        """Record what it gave."""
        await self._journal.tool_finished(tool, result)

    def waited(self, start_monotonic: float, end_monotonic: float) -> None:
        """Book a wait."""
        self._time.book(start_monotonic, end_monotonic)
        self._journal.waited(start_monotonic, end_monotonic)


def _union(waits: list[tuple[float, float]], *, since: float, until: float) -> float:
    total = 0.0
    reached = since
    for start, end in sorted(waits):
        begin, stop = max(start, reached), min(end, until)
        if stop > begin:
            total += stop - begin
            reached = stop
    return total
