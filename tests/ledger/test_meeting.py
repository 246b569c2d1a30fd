"""Two processes that meet in the same rows: whoever comes second sees what the first one did."""

from __future__ import annotations

from collections.abc import Callable, Coroutine, Iterator
from contextlib import contextmanager
from functools import partial
from typing import Any

import anyio
import anyio.to_thread
import pytest
from sqlalchemy import Connection, text

from runner.domain import AttemptReport, Ending, Reason
from runner.errors import OwnershipLostError
from runner.ledger import Ledger, LedgerAddress
from runner.ledger.life.calls import settle_call
from runner.ledger.life.claims import interrupt_attempt
from runner.ledger.life.record import raise_repeats, record_launch
from runner.ledger.store.connect import read_engine, write_engine
from runner.testing.examples import make_launch, make_request, make_result, make_suite

Query = Callable[[str], list[dict[str, Any]]]
INTERRUPTED = AttemptReport(ending=Ending.INTERRUPTED, reason=Reason.INTERRUPTED)
COMPLETED = {"state": "completed", "cost_nusd": 500, "input_tokens": 7, "output_tokens": 3}


@contextmanager
def other_process(address: LedgerAddress) -> Iterator[Connection]:
    """Open a transaction as another process would; it commits at the end."""
    engine = write_engine(address)
    try:
        with engine.begin() as connection:
            yield connection
    finally:
        engine.dispose()


async def both(
    address: LedgerAddress,
    first: Callable[[Connection], object],
    second: Callable[[], Coroutine[Any, Any, Any]],
) -> None:
    """Let the second come while the first has written and not yet committed."""
    async with anyio.create_task_group() as tasks:
        with other_process(address) as connection:
            first(connection)
            tasks.start_soon(second)
            await second_waits(address)


async def second_waits(address: LedgerAddress) -> None:
    """Wait until somebody waits for a row; SQLite lets nobody begin in the first place."""
    if address.file is not None:
        return
    engine = read_engine(address)
    waiting = text("SELECT count(*) FROM pg_locks WHERE NOT granted")
    with anyio.fail_after(20), engine.connect() as connection:
        while not await anyio.to_thread.run_sync(connection.scalar, waiting):
            connection.rollback()
            await anyio.sleep(0.01)
    engine.dispose()


async def test_an_answer_that_comes_while_its_trial_is_taken_back_is_booked_once(
    ledger: Ledger, address: LedgerAddress, query: Query
) -> None:
    sweep = await ledger.launch(make_launch(), [])
    (claim,) = await ledger.claim(sweep, most=1)
    journal = ledger.journal(claim)
    call = await journal.call_sent(make_request(reserved_nusd=1_000))

    async def answer() -> None:
        with pytest.raises(OwnershipLostError):
            await journal.call_completed(call, make_result(cost_nusd=700))

    await both(
        address,
        lambda connection: interrupt_attempt(connection, claim.attempt, now_us=1, detail="gone"),
        answer,
    )

    money = "spent_nusd, reserved_nusd, exposed_nusd, priced_calls, unpriced_calls"
    (row,) = query(f"SELECT {money} FROM sweeps")
    assert list(row.values()) == [700, 0, 0, 1, 0]


async def test_a_late_answer_and_the_new_owners_answer_are_both_in_the_trials_cost(
    ledger: Ledger, address: LedgerAddress, query: Query
) -> None:
    sweep = await ledger.launch(make_launch(make_suite(repeats=1)), [])
    (late,) = await ledger.claim(sweep, most=1)
    late_call = await ledger.journal(late).call_sent(make_request())
    await ledger.finish(late, INTERRUPTED)
    (now,) = await ledger.claim(sweep, most=1)
    journal = ledger.journal(now)
    call = await journal.call_sent(make_request())

    await both(
        address,
        lambda connection: settle_call(connection, late, late_call, COMPLETED),
        partial(journal.call_completed, call, make_result(cost_nusd=700)),
    )

    assert now.trial == late.trial
    rows = query(f"SELECT cost_nusd, output_tokens FROM trials WHERE id = {now.trial}")
    assert rows == [{"cost_nusd": 1_200, "output_tokens": 8}]


async def test_two_launches_at_once_without_a_name_get_two_names(
    ledger: Ledger, address: LedgerAddress, query: Query
) -> None:
    unnamed = make_launch(name=None)

    await both(
        address,
        lambda connection: record_launch(connection, unnamed),
        partial(ledger.launch, unnamed, []),
    )

    assert query("SELECT name FROM sweeps ORDER BY id") == [
        {"name": "small-1"},
        {"name": "small-2"},
    ]
    assert query("SELECT count(*) AS n FROM trials") == [{"n": 24}]


async def test_of_two_raises_at_once_the_higher_one_stays(
    ledger: Ledger, address: LedgerAddress, query: Query
) -> None:
    suite = make_suite()
    sweep = await ledger.launch(make_launch(suite), [])

    await both(
        address,
        lambda connection: raise_repeats(connection, sweep, suite, repeats=5),
        partial(ledger.raise_repeats, sweep, suite, repeats=3),
    )

    assert query("SELECT repeats FROM sweeps") == [{"repeats": 5}]
    assert query("SELECT count(*) AS n, max(repeat) AS last FROM trials") == [{"n": 30, "last": 5}]
