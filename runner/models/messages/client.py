"""Asking a model: each HTTP request is recorded before it is sent and settled before it is used."""

from __future__ import annotations

import random
from types import TracebackType
from typing import Self

import anyio

from runner.domain import (
    CallFate,
    CallRole,
    Clock,
    Journal,
    ModelFailure,
    ModelRequest,
    ModelResult,
    Reason,
    compact_json,
)
from runner.models.messages.answer import Answer
from runner.models.messages.draft import Draft
from runner.models.messages.endpoint import Endpoint
from runner.models.messages.faults import Fault
from runner.models.messages.patience import Patience, Waits
from runner.models.messages.question import Question
from runner.models.messages.wire import FaultError, Wire
from runner.models.price_list import PriceList

#: What the ledger gets to write an ending down; it has its own limits, this is the last one.
SETTLE_SECONDS = 120.0


class MessagesClient:
    """Asks one service on behalf of one attempt.

    Args:
        endpoint: The service.
        api_key: Its key; needed unless the endpoint is on loopback. It is only ever sent.
        prices: What the model costs, or None where nobody knows.
        journal: Gets every request, and its end.
        clock: Time.
        request_seconds: Most seconds for one HTTP request.
        chance: Where the jitter of the waits comes from.
        patience: Limits of waiting and retrying.

    Raises:
        UsageError: If there is no usable key.
    """

    def __init__(
        self,
        endpoint: Endpoint,
        *,
        api_key: str | None,
        prices: PriceList | None,
        journal: Journal,
        clock: Clock,
        request_seconds: float,
        chance: random.Random,
        patience: Patience = Patience(),  # noqa: B008 - frozen
    ) -> None:
        self._endpoint = endpoint
        self._prices = prices
        self._journal = journal
        self._clock = clock
        self._chance = chance
        self._patience = patience
        self._wire = Wire(
            endpoint,
            api_key=api_key,
            request_seconds=request_seconds,
            silence_seconds=patience.silence_seconds or request_seconds,
            now_us=clock.now_us,
        )

    async def __aenter__(self) -> Self:
        return self

    async def __aexit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        with anyio.CancelScope(shield=True, deadline=anyio.current_time() + SETTLE_SECONDS):
            await self._wire.close()

    async def ask(self, question: Question, *, role: CallRole = CallRole.AGENT) -> Answer:
        """Ask, and ask again while it fails for a reason that passes.

        Waiting, and the time that a failed request took, are booked as waiting on the service.

        Raises:
            ContextWindowError: If the history is too long for the model.
            ProviderError: If the service failed for good.
            BreakerError: If every further call would fail alike.
            BudgetReachedError: If the sweep's money is used up.
        """
        waits = Waits(self._patience, chance=self._chance)
        while True:
            start = self._clock.monotonic()
            outcome = await self._try(question, role)
            if isinstance(outcome, Answer):
                return outcome
            self._journal.waited(start, self._clock.monotonic())
            wait = waits.after(outcome)
            if wait is None:
                outcome.give_up(question.model)
            await self._wait(wait)

    async def _wait(self, seconds: float) -> None:
        start = self._clock.monotonic()
        self._journal.waited(start, start + seconds)
        await self._clock.sleep(seconds)

    async def _try(self, question: Question, role: CallRole) -> Answer | Fault:
        body = question.body()
        call = await self._journal.call_sent(self._request(question, role, size=len(body)))
        draft = Draft()
        start = self._clock.monotonic()
        first: list[float] = []
        try:
            await self._wire.send(
                body, draft, on_first=lambda: first.append(self._clock.monotonic() - start)
            )
        except FaultError as error:
            if not draft.complete:
                await self._fail(call, error.fault, draft, start=start)
                return error.fault
        except anyio.get_cancelled_exc_class():
            # An answer that is there is kept, so that it is not bought again.
            if draft.complete:
                await self._complete(call, draft, start=start, first=first)
            else:
                await self._fail(call, _STOPPED, draft, start=start)
            raise
        return await self._complete(call, draft, start=start, first=first)

    async def _complete(
        self, call: int, draft: Draft, *, start: float, first: list[float]
    ) -> Answer:
        usage, message = draft.usage, draft.message()
        price = self._prices.price_of(usage) if self._prices else None
        answer = Answer(
            call=call,
            message=message,
            usage=usage,
            cost_nusd=self._prices.cost_nusd(usage) if self._prices else None,
        )
        result = ModelResult(
            usage=usage,
            cost_nusd=answer.cost_nusd,
            price_source=price.source if price else None,
            stop_reason=answer.stop_reason,
            response=compact_json(message),
            request_id=draft.request_id,
            seconds=self._clock.monotonic() - start,
            first_byte_seconds=first[0] if first else None,
        )
        with anyio.fail_after(SETTLE_SECONDS, shield=True):
            await self._journal.call_completed(call, result)
        return answer

    def _request(self, question: Question, role: CallRole, *, size: int) -> ModelRequest:
        most = None
        if self._prices is not None:
            most = self._prices.most_nusd(request_bytes=size, max_tokens=question.max_tokens)
        return ModelRequest(
            role=role,
            model=question.model,
            endpoint=self._endpoint.recorded,
            parameters=question.recorded_parameters,
            messages=question.messages,
            reserved_nusd=most,
        )

    async def _fail(self, call: int, fault: Fault, draft: Draft, *, start: float) -> None:
        failure = ModelFailure(
            fate=fault.fate,
            reason=fault.reason.value,
            message=fault.message,
            status=fault.status,
            usage=draft.usage,
            partial=draft.partial(),
            request_id=fault.request_id,
            seconds=self._clock.monotonic() - start,
        )
        with anyio.fail_after(SETTLE_SECONDS, shield=True):
            await self._journal.call_failed(call, failure)


_STOPPED = Fault(
    reason=Reason.INTERRUPTED,
    fate=CallFate.UNKNOWN,
    message="stopped while the answer was on its way",
    passing=False,
)
