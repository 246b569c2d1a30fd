"""A journal that keeps everything in memory, in order, and insists on the order of its port."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TypeAlias

from runner.domain import (
    ModelFailure,
    ModelRequest,
    ModelResult,
    ToolRequest,
    ToolResult,
)
from runner.errors import BudgetReachedError


@dataclass(slots=True)
class RecordedCall:
    """A model call: its intent, and its end once there is one."""

    request: ModelRequest
    end: ModelResult | ModelFailure | None = None

    @property
    def result(self) -> ModelResult:
        """Give the answer.

        Raises:
            AssertionError: If the call failed or has not ended.
        """
        if not isinstance(self.end, ModelResult):
            msg = f"the call has no answer but {self.end}"
            raise AssertionError(msg)  # noqa: TRY004 - what the test expected did not happen
        return self.end

    @property
    def failure(self) -> ModelFailure:
        """Give the failure.

        Raises:
            AssertionError: If the call succeeded or has not ended.
        """
        if not isinstance(self.end, ModelFailure):
            msg = f"the call did not fail but {self.end}"
            raise AssertionError(msg)  # noqa: TRY004 - what the test expected did not happen
        return self.end


@dataclass(slots=True)
class RecordedTool:
    """A tool call: its intent, and its result once there is one."""

    request: ToolRequest
    result: ToolResult | None = None

    @property
    def output(self) -> bytes:
        """Give what the tool wrote.

        Raises:
            AssertionError: If it has not finished.
        """
        if self.result is None:
            msg = f"{self.request.name} has not finished"
            raise AssertionError(msg)
        return self.result.output


Event: TypeAlias = tuple[str, int]


@dataclass(slots=True, kw_only=True)
class RecordingJournal:
    """A ``Journal`` for tests.

    Attributes:
        budget_nusd: Most that calls may cost together, reservations included, or None.
        calls: Model calls; handles count from 1.
        tools: Tool calls; handles count from 1.
        events: What was recorded, in order: the method's name and the handle.
        waits: The intervals booked as waiting.
    """

    budget_nusd: int | None = None
    calls: list[RecordedCall] = field(default_factory=list)
    tools: list[RecordedTool] = field(default_factory=list)
    events: list[Event] = field(default_factory=list)
    waits: list[tuple[float, float]] = field(default_factory=list)

    @property
    def spent_nusd(self) -> int:
        """Add up what is known of the calls' cost."""
        ends = [call.end for call in self.calls]
        return sum(end.cost_nusd or 0 for end in ends if isinstance(end, ModelResult))

    @property
    def failures(self) -> list[ModelFailure]:
        """Give the failed calls' ends, in order."""
        return [call.end for call in self.calls if isinstance(call.end, ModelFailure)]

    @property
    def waited_seconds(self) -> float:
        """Add up the intervals booked as waiting."""
        return sum(end - start for start, end in self.waits)

    async def call_sent(self, request: ModelRequest) -> int:
        """Record an intent.

        Raises:
            BudgetReachedError: If the budget does not hold its reservation.
        """
        reserved = request.reserved_nusd or 0
        if self.budget_nusd is not None and self.spent_nusd + reserved > self.budget_nusd:
            left = self.budget_nusd - self.spent_nusd
            msg = f"{left} nano-dollars are left and the next call can cost {reserved}"
            raise BudgetReachedError(msg, call_nusd=reserved)
        self.calls.append(RecordedCall(request))
        return self._note("call_sent", len(self.calls))

    async def call_completed(self, call: int, result: ModelResult) -> None:
        """Record an answer."""
        self._end_call(call, result)
        self._note("call_completed", call)

    async def call_failed(self, call: int, failure: ModelFailure) -> None:
        """Record that there was none."""
        self._end_call(call, failure)
        self._note("call_failed", call)

    async def tool_started(self, request: ToolRequest) -> int:
        """Record an intent."""
        self.tools.append(RecordedTool(request))
        return self._note("tool_started", len(self.tools))

    async def tool_finished(self, tool: int, result: ToolResult) -> None:
        """Record a result.

        Raises:
            AssertionError: If it had one already.
        """
        recorded = self.tools[tool - 1]
        if recorded.result is not None:
            msg = f"tool call {tool} finished twice"
            raise AssertionError(msg)
        recorded.result = result
        self._note("tool_finished", tool)

    def waited(self, start_monotonic: float, end_monotonic: float) -> None:
        """Record an interval."""
        self.waits.append((start_monotonic, end_monotonic))

    def _end_call(self, call: int, end: ModelResult | ModelFailure) -> None:
        recorded = self.calls[call - 1]
        if recorded.end is not None:
            msg = f"model call {call} ended twice"
            raise AssertionError(msg)
        recorded.end = end

    def _note(self, what: str, handle: int) -> int:
        self.events.append((what, handle))
        return handle
