"""The port through which whatever an attempt does reaches the ledger before it is used.

*Intent, act, settle*: a model call is recorded as sent, with the most that it can cost, before the
request goes out, and settled before its answer is used; a command likewise.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from enum import StrEnum
from typing import Protocol

from runner.domain.json import JsonObject
from runner.domain.usage import Usage


class CallRole(StrEnum):
    """Who asked the model."""

    AGENT = "agent"
    JUDGE = "judge"
    USER = "user"


class CallFate(StrEnum):
    """What is known of a call that gave no usable answer.

    ``failed``: refused before any work was done, so nothing was billed.
    ``unknown``: it may have been billed (a cut stream, a timeout); its reservation stays exposed.
    """

    FAILED = "failed"
    UNKNOWN = "unknown"


@dataclass(frozen=True, slots=True, kw_only=True)
class ModelRequest:
    """A request that is about to be sent.

    Attributes:
        model: The model's name as sent.
        endpoint: Scheme and host, without path, port or key.
        parameters: The request's body but for ``messages``; no key is ever in it.
        messages: Every message, oldest first, byte for byte as it is sent (compact JSON).
        reserved_nusd: The most that the call can cost, or None where the price is unknown.
    """

    role: CallRole
    model: str
    endpoint: str
    parameters: JsonObject
    messages: Sequence[bytes]
    reserved_nusd: int | None


@dataclass(frozen=True, slots=True, kw_only=True)
class ModelResult:
    """A whole answer.

    Attributes:
        cost_nusd: None where the price or the usage is unknown.
        price_source: Where the price comes from, or None.
        response: The answer's message as compact JSON.
        seconds: From the request to the end of the stream.
        first_byte_seconds: From the request to the first event, where the answer was streamed.
    """

    usage: Usage
    cost_nusd: int | None
    price_source: str | None
    stop_reason: str | None
    response: bytes
    request_id: str | None
    seconds: float
    first_byte_seconds: float | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class ModelFailure:
    """A call that gave no usable answer.

    Attributes:
        reason: A value of ``Reason`` (``rate_limited``, ``stream_cut``, …).
        status: The HTTP status, where there was one.
        usage: What the service said before it broke off; often nothing.
        partial: What had come of the answer, as compact JSON, kept as discarded.
    """

    fate: CallFate
    reason: str
    message: str
    status: int | None = None
    usage: Usage = Usage()
    partial: bytes | None = None
    request_id: str | None = None
    seconds: float | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class ToolRequest:
    """A command or an edit that is about to be done in the sandbox.

    Attributes:
        call: The model call that asked for it, as the journal numbered it, or None.
        name: The tool's name (``bash``, ``edit``, …).
        input: Its arguments as compact JSON.
    """

    call: int | None
    name: str
    input: bytes


@dataclass(frozen=True, slots=True, kw_only=True)
class ToolResult:
    """What came of it.

    Attributes:
        exit: The exit status of a command; None for a tool that runs none, or at a time limit.
        output: All that was captured, up to the sandbox's cap.
        cut_bytes: How many bytes more there were.
        error: What went wrong, in the words that the model was told, or None.
    """

    exit: int | None
    seconds: float
    output: bytes
    cut_bytes: int = 0
    error: str | None = None


class Journal(Protocol):
    """One attempt's line to the ledger.

    Each method returns once its record is durable. Any of them raises ``OwnershipLostError`` when
    the trial has been taken over; money is booked nevertheless.
    """

    async def call_sent(self, request: ModelRequest) -> int:
        """Record the intent to call a model and reserve its price; give the call's handle.

        Waits while the reservation does not fit the budget and other calls are in flight.

        Raises:
            BudgetReachedError: If it does not fit and nothing is in flight that could free money.
        """
        ...

    async def call_completed(self, call: int, result: ModelResult) -> None:
        """Record an answer, book its cost and give its reservation back."""
        ...

    async def call_failed(self, call: int, failure: ModelFailure) -> None:
        """Record that a call gave no usable answer, and what is known of its cost."""
        ...

    async def tool_started(self, request: ToolRequest) -> int:
        """Record the intent to run a tool; give the tool call's handle."""
        ...

    async def tool_finished(self, tool: int, result: ToolResult) -> None:
        """Record what a tool gave."""
        ...

    def waited(self, start_monotonic: float, end_monotonic: float) -> None:
        """Book an interval as waiting on the service, which is never agent time.

        Book a wait when it begins, with the end that is planned: else the agent's time may run
        out in the middle of it. Intervals may overlap; what a cancelled wait left over is ignored.
        """
        ...
