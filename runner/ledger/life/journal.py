"""One attempt's line to the ledger: the domain's ``Journal`` over the writer."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from typing import Protocol, TypeVar

import anyio
from sqlalchemy import Connection

from runner.domain import (
    NUSD_PER_USD,
    Clock,
    ModelFailure,
    ModelRequest,
    ModelResult,
    ToolRequest,
    ToolResult,
    Usage,
    canonical_json,
    digest_bytes,
)
from runner.errors import BudgetReachedError
from runner.ledger.life.calls import (
    BudgetState,
    holds,
    insert_call,
    insert_tool_call,
    ownership_lost,
    settle_call,
    settle_tool_call,
)
from runner.ledger.life.claims import Claim
from runner.ledger.store.blobs import Blobs
from runner.ledger.store.text import for_people
from runner.ledger.store.writer import Unit

T = TypeVar("T")
#: How long to wait before asking again whether a call fits the budget.
BUDGET_POLL_SECONDS = 0.25


class Write(Protocol):
    """The writer's way in."""

    async def __call__(self, unit: Unit[T], /) -> T:
        """Run a unit; return once it is durable."""
        ...


class AttemptJournal:
    """A claim's journal; see ``runner.domain.Journal`` for what each method promises."""

    def __init__(self, write: Write, claim: Claim, clock: Clock) -> None:
        self._write = write
        self._claim = claim
        self._clock = clock
        self._calls = 0
        self._tools = 0
        self._sent: list[str] = []
        self._one_intent = anyio.Lock()

    async def call_sent(self, request: ModelRequest) -> int:
        """Record the intent to call a model and reserve its price."""
        async with self._one_intent:
            return await self._call_sent(request)

    async def _call_sent(self, request: ModelRequest) -> int:
        blobs = Blobs()
        digests = [digest_bytes(message) for message in request.messages]
        kept = _common_prefix(self._sent, digests)
        for message in request.messages[kept:]:  # the others are in the ledger
            blobs.add(message)
        # Whoever stops waiting does not stop the write: the number counts as used, and the next
        # call leans on this one only once it is known to be there.
        self._calls += 1
        self._sent = []
        values = {
            "number": self._calls,
            "role": request.role,
            "model": request.model,
            "endpoint": request.endpoint,
            "parameters_digest": blobs.add(canonical_json(request.parameters)),
            "messages_kept": kept,
            "messages": json.dumps(digests[kept:], separators=(",", ":")),
            "sent_us": self._clock.now_us(),
        }

        def unit(connection: Connection) -> int | BudgetState:
            blobs.insert(connection)
            return insert_call(connection, self._claim, values, reserved=request.reserved_nusd)

        while isinstance(answer := await self._write(unit), BudgetState):
            if answer.reserved == 0:
                self._calls -= 1
                raise _budget_reached(answer, request.reserved_nusd or 0)
            await self._clock.sleep(BUDGET_POLL_SECONDS)
        self._sent = digests
        return answer

    async def call_completed(self, call: int, result: ModelResult) -> None:
        """Record an answer, book its cost and give its reservation back."""
        blobs = Blobs()
        values = {
            "state": "completed",
            "response_digest": blobs.add(result.response),
            "stop_reason": result.stop_reason,
            "request_id": result.request_id,
            "cost_nusd": result.cost_nusd,
            "price_source": result.price_source,
            "seconds": result.seconds,
            "first_byte_seconds": result.first_byte_seconds,
            **_tokens(result.usage),
        }
        await self._settle(call, values, blobs)

    async def call_failed(self, call: int, failure: ModelFailure) -> None:
        """Record that a call gave no usable answer, and what is known of its cost."""
        blobs = Blobs()
        values = {
            "state": failure.fate,
            "response_digest": None if failure.partial is None else blobs.add(failure.partial),
            "reason": failure.reason,
            "detail": for_people(failure.message),
            "http_status": failure.status,
            "request_id": failure.request_id,
            "cost_nusd": 0 if failure.fate == "failed" else None,
            "seconds": failure.seconds,
            **_tokens(failure.usage),
        }
        await self._settle(call, values, blobs)

    async def tool_started(self, request: ToolRequest) -> int:
        """Record the intent to run a tool."""
        blobs = Blobs()
        self._tools += 1
        values = {
            "number": self._tools,
            "model_call_id": request.call,
            "name": for_people(request.name),
            "input_digest": blobs.add(request.input),
        }

        def unit(connection: Connection) -> int:
            blobs.insert(connection)
            return insert_tool_call(connection, self._claim, values)

        return await self._write(unit)

    async def tool_finished(self, tool: int, result: ToolResult) -> None:
        """Record what a tool gave."""
        blobs = Blobs()
        values = {
            "state": "completed",
            "exit": result.exit,
            "seconds": result.seconds,
            "output_digest": await blobs.add_aside(result.output),
            "cut_bytes": result.cut_bytes,
            "error": None if result.error is None else for_people(result.error),
        }

        def unit(connection: Connection) -> None:
            blobs.insert(connection)
            settle_tool_call(connection, tool, values)

        await self._write(unit)

    def waited(self, start_monotonic: float, end_monotonic: float) -> None:
        """Leave the booking of waiting to whoever measures the attempt's phases."""

    async def _settle(self, call: int, values: Mapping[str, object], blobs: Blobs) -> None:
        """Book first, whoever owns the trial by now; then say if it is somebody else."""

        def book(connection: Connection) -> bool:
            blobs.insert(connection)
            settle_call(connection, self._claim, call, values)
            return holds(connection, self._claim)

        if not await self._write(book):
            raise ownership_lost(self._claim)


def _common_prefix(before: Sequence[str], now: Sequence[str]) -> int:
    kept = 0
    for old, new in zip(before, now, strict=False):
        if old != new:
            break
        kept += 1
    return kept


def _tokens(usage: Usage) -> dict[str, int | None]:
    return {
        "input_tokens": usage.input_tokens,
        "output_tokens": usage.output_tokens,
        "cache_read_tokens": usage.cache_read_tokens,
        "cache_write_5m_tokens": usage.cache_write_5m_tokens,
        "cache_write_1h_tokens": usage.cache_write_1h_tokens,
        "thinking_tokens": usage.thinking_tokens,
    }


def _budget_reached(state: BudgetState, call_nusd: int) -> BudgetReachedError:
    most, left, budget = (
        f"${max(nusd, 0) / NUSD_PER_USD:.6f}"
        for nusd in (call_nusd, state.budget - state.spent - state.exposed, state.budget)
    )
    return BudgetReachedError(
        f"the next call can cost up to {most} and {left} is left of the budget of {budget}",
        call_nusd=call_nusd,
    )
