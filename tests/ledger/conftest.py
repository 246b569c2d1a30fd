"""Ledgers to try, on both databases."""

from __future__ import annotations

from collections.abc import AsyncIterator, Callable
from typing import Any

import pytest

from runner.ledger import Ledger, LedgerAddress, open_ledger, parse_address, run_query
from runner.testing.manual_clock import ManualClock


@pytest.fixture
def clock() -> ManualClock:
    return ManualClock()


@pytest.fixture
def address(ledger_url: str) -> LedgerAddress:
    return parse_address(ledger_url)


@pytest.fixture
async def ledger(address: LedgerAddress, clock: ManualClock) -> AsyncIterator[Ledger]:
    async with open_ledger(address, clock=clock) as opened:
        yield opened


@pytest.fixture
def query(address: LedgerAddress) -> Callable[[str], list[dict[str, Any]]]:
    """Ask the ledger in SQL, as a user would."""

    def ask(statement: str) -> list[dict[str, Any]]:
        answer = run_query(address, statement)
        return [dict(zip(answer.columns, row, strict=True)) for row in answer.rows]

    return ask
