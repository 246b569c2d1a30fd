"""What the tests of the Messages client share."""

from __future__ import annotations

import random
from collections.abc import AsyncIterator, Callable
from contextlib import AbstractAsyncContextManager, asynccontextmanager
from typing import TypeAlias

import pytest

from runner.domain import Clock, compact_json
from runner.models.messages import MessagesClient, Patience, Question, parse_endpoint
from runner.models.price_list import PriceList
from runner.models.pricing import find_prices
from runner.testing.manual_clock import ManualClock
from runner.testing.recording_journal import RecordingJournal

MakeClient: TypeAlias = Callable[..., AbstractAsyncContextManager[MessagesClient]]
MODEL = "claude-sonnet-4-5"


def question(*, max_tokens: int = 1_000, model: str = MODEL, text: str = "2 + 2?") -> Question:
    said = compact_json({"role": "user", "content": text})
    return Question(model=model, max_tokens=max_tokens, parameters={}, messages=(said,))


@pytest.fixture
def journal() -> RecordingJournal:
    return RecordingJournal()


@pytest.fixture
def clock() -> ManualClock:
    return ManualClock()


@pytest.fixture
def make_client(journal: RecordingJournal, clock: ManualClock) -> MakeClient:
    @asynccontextmanager
    async def make(
        url: str,
        *,
        api_key: str | None = None,
        request_seconds: float = 20.0,
        silence_seconds: float | None = None,
        model: str = MODEL,
        time: Clock = clock,
    ) -> AsyncIterator[MessagesClient]:
        prices: PriceList | None = find_prices(model, now_us=time.now_us())
        async with MessagesClient(
            parse_endpoint(url),
            api_key=api_key,
            prices=prices,
            journal=journal,
            clock=time,
            request_seconds=request_seconds,
            patience=Patience(silence_seconds=silence_seconds),
            chance=random.Random(0),
        ) as client:
            yield client

    return make
