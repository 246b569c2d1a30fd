"""Money: reserved before it is spent, booked once, unknown where it is unknown."""

from __future__ import annotations

import json
from collections.abc import Callable
from typing import Any, TypeVar

import anyio
import anyio.lowlevel
import pytest

from runner.domain import CallFate, ModelFailure, ToolRequest
from runner.errors import BudgetReachedError
from runner.ledger import Ledger, read_ledger
from runner.ledger.life.journal import AttemptJournal
from runner.ledger.store.connect import explain, write_engine
from runner.ledger.store.writer import Unit, Writer
from runner.testing.examples import (
    make_infra_report,
    make_launch,
    make_report,
    make_request,
    make_result,
    make_suite,
)
from runner.testing.manual_clock import ManualClock

T = TypeVar("T")
Query = Callable[[str], list[dict[str, Any]]]


async def test_a_call_is_in_the_ledger_before_it_is_answered(ledger: Ledger, query: Query) -> None:
    sweep = await ledger.launch(make_launch(), [])
    (claim,) = await ledger.claim(sweep, most=1)

    await ledger.journal(claim).call_sent(make_request(reserved_nusd=1_000))

    assert query("SELECT number, state, cost_nusd, reserved_nusd FROM model_calls") == [
        {"number": 1, "state": "sent", "cost_nusd": None, "reserved_nusd": 1_000}
    ]
    assert query("SELECT spent_nusd, reserved_nusd FROM sweeps") == [
        {"spent_nusd": 0, "reserved_nusd": 1_000}
    ]


async def test_the_money_of_attempts_that_were_retried_stays(ledger: Ledger, query: Query) -> None:
    sweep = await ledger.launch(make_launch(), [])
    (first,) = await ledger.claim(sweep, most=1)
    journal = ledger.journal(first)
    await journal.call_completed(
        await journal.call_sent(make_request()), make_result(cost_nusd=37_500_000)
    )
    await ledger.finish(first, make_infra_report(), retry_after_s=0)
    (second,) = await ledger.claim(sweep, most=1)
    journal = ledger.journal(second)
    await journal.call_completed(
        await journal.call_sent(make_request()), make_result(cost_nusd=30_000_000)
    )
    await ledger.finish(second, make_report())

    assert second.trial == first.trial
    rows = query(f"SELECT cost_usd, input_tokens FROM results WHERE trial = {first.trial}")
    assert rows == [{"cost_usd": 0.0675, "input_tokens": 20}]
    assert query("SELECT sum(cost_usd) AS usd FROM spend") == [{"usd": 0.0675}]


async def test_a_cost_of_which_nothing_is_known_is_null_and_counted(
    ledger: Ledger, query: Query
) -> None:
    sweep = await ledger.launch(make_launch(), [])
    (claim,) = await ledger.claim(sweep, most=1)
    journal = ledger.journal(claim)
    await journal.call_completed(
        await journal.call_sent(make_request(reserved_nusd=None)), make_result(cost_nusd=None)
    )
    await ledger.finish(claim, make_report())

    rows = query(f"SELECT cost_usd, unpriced_calls FROM results WHERE trial = {claim.trial}")
    assert rows == [{"cost_usd": None, "unpriced_calls": 1}]
    with read_ledger(ledger.address) as reader:
        summary = reader.summary("sweep")
    assert (summary.spent_nusd, summary.unpriced_calls) == (None, 1)


async def test_one_unknown_call_does_not_wipe_out_what_is_known(
    ledger: Ledger, query: Query
) -> None:
    sweep = await ledger.launch(make_launch(), [])
    (claim,) = await ledger.claim(sweep, most=1)
    journal = ledger.journal(claim)
    await journal.call_completed(await journal.call_sent(make_request()), make_result())
    cut = ModelFailure(fate=CallFate.UNKNOWN, reason="stream_cut", message="closed")
    await journal.call_failed(await journal.call_sent(make_request()), cut)
    refused = ModelFailure(fate=CallFate.FAILED, reason="rate_limited", message="slow down")
    await journal.call_failed(await journal.call_sent(make_request()), refused)
    await ledger.finish(claim, make_report())

    rows = query(f"SELECT cost_nusd, unpriced_calls FROM trials WHERE id = {claim.trial}")
    assert rows == [{"cost_nusd": 700, "unpriced_calls": 1}]
    money = "spent_nusd, reserved_nusd, exposed_nusd, unpriced_calls"
    assert query(f"SELECT {money} FROM sweeps") == [
        {"spent_nusd": 700, "reserved_nusd": 0, "exposed_nusd": 1_000, "unpriced_calls": 1}
    ]


async def test_a_trial_without_calls_cost_nothing_and_that_is_known(
    ledger: Ledger, query: Query
) -> None:
    sweep = await ledger.launch(make_launch(), [])
    (claim,) = await ledger.claim(sweep, most=1)
    await ledger.finish(claim, make_report())

    rows = query("SELECT cost_usd, output_tokens FROM results WHERE outcome = 'pass'")
    assert rows == [{"cost_usd": 0.0, "output_tokens": 0}]


async def test_a_budget_is_never_passed_however_many_call_at_once(
    ledger: Ledger, query: Query
) -> None:
    suite = make_suite(budget_nusd=3_500)
    sweep = await ledger.launch(make_launch(suite), [])
    claims = await ledger.claim(sweep, most=12)
    refused: list[BudgetReachedError] = []

    async def call(number: int) -> None:
        journal = ledger.journal(claims[number])
        try:
            handle = await journal.call_sent(make_request(reserved_nusd=1_000))
        except BudgetReachedError as error:
            refused.append(error)
        else:
            await journal.call_completed(handle, make_result(cost_nusd=900))

    async with anyio.create_task_group() as tasks:
        for number in range(12):
            tasks.start_soon(call, number)

    (money,) = query("SELECT spent_nusd, reserved_nusd FROM sweeps")
    assert money == {"spent_nusd": 2_700, "reserved_nusd": 0}
    assert len(refused) == 9
    assert all(error.call_nusd == 1_000 for error in refused)
    assert "$0.000001" in refused[0].message


async def test_what_was_sent_and_never_answered_counts_against_the_budget(
    ledger: Ledger,
) -> None:
    sweep = await ledger.launch(make_launch(make_suite(budget_nusd=1_500)), [])
    lost, other = await ledger.claim(sweep, most=2)
    await ledger.journal(lost).call_sent(make_request(reserved_nusd=1_000))
    await ledger.finish(lost, make_infra_report(), retry_after_s=60)

    with pytest.raises(BudgetReachedError):
        await ledger.journal(other).call_sent(make_request(reserved_nusd=1_000))


async def test_the_cost_of_a_running_trial_is_what_its_settled_calls_cost(
    ledger: Ledger, query: Query
) -> None:
    sweep = await ledger.launch(make_launch(), [])
    (claim,) = await ledger.claim(sweep, most=1)
    journal = ledger.journal(claim)
    await journal.call_completed(await journal.call_sent(make_request()), make_result())
    await journal.call_sent(make_request())

    rows = query("SELECT cost_nusd, unpriced_calls, output_tokens FROM trials WHERE cost_nusd > 0")
    assert rows == [{"cost_nusd": 700, "unpriced_calls": 0, "output_tokens": 5}]


async def test_calls_and_tools_started_side_by_side_get_numbers_of_their_own(
    ledger: Ledger, query: Query
) -> None:
    sweep = await ledger.launch(make_launch(), [])
    (claim,) = await ledger.claim(sweep, most=1)
    journal = ledger.journal(claim)
    tool = ToolRequest(call=None, name="bash", input=b"{}")

    async with anyio.create_task_group() as tasks:
        for _ in range(4):
            tasks.start_soon(journal.call_sent, make_request(b"1", b"2"))
            tasks.start_soon(journal.tool_started, tool)

    rows = query("SELECT number, messages_kept FROM model_calls ORDER BY number")
    assert [tuple(row.values()) for row in rows] == [(1, 0), (2, 2), (3, 2), (4, 2)]
    rows = query("SELECT number FROM tool_calls ORDER BY number")
    assert [row["number"] for row in rows] == [1, 2, 3, 4]


async def test_a_call_that_was_cancelled_while_it_was_written_leaves_the_next_one_whole(
    ledger: Ledger, query: Query
) -> None:
    sweep = await ledger.launch(make_launch(), [])
    (claim,) = await ledger.claim(sweep, most=1)
    engine = write_engine(ledger.address)
    async with Writer(engine, lambda error: explain(error, ledger.address)) as writer:
        with anyio.CancelScope() as scope:

            async def write_and_stop_waiting(unit: Unit[T]) -> T:
                value = await writer.run(unit)
                scope.cancel()
                await anyio.lowlevel.checkpoint_if_cancelled()
                return value

            journal = AttemptJournal(write_and_stop_waiting, claim, ManualClock())
            await journal.call_sent(make_request(b"1", b"2"))

        await journal.call_sent(make_request(b"1", b"2", b"3"))
    engine.dispose()

    rows = query("SELECT number, messages_kept, messages FROM model_calls ORDER BY number")
    told = [(row["number"], row["messages_kept"], len(json.loads(row["messages"]))) for row in rows]
    assert told == [(1, 0, 2), (2, 0, 3)]


async def test_a_call_that_can_cost_nothing_at_most_has_cost_nothing_answered_or_not(
    ledger: Ledger, query: Query
) -> None:
    sweep = await ledger.launch(make_launch(), [])
    first, second, third = await ledger.claim(sweep, most=3)
    await ledger.journal(first).call_sent(make_request(reserved_nusd=0))
    await ledger.finish(first, make_infra_report())
    journal = ledger.journal(second)
    cut = ModelFailure(fate=CallFate.UNKNOWN, reason="stream_cut", message="closed")
    await journal.call_failed(await journal.call_sent(make_request(reserved_nusd=0)), cut)
    await ledger.finish(second, make_report())
    await ledger.journal(third).call_sent(make_request(reserved_nusd=None))
    await ledger.finish(third, make_infra_report())

    calls = query("SELECT state, cost_nusd FROM model_calls ORDER BY id")
    assert [tuple(call.values()) for call in calls] == [
        ("unknown", 0),
        ("unknown", 0),
        ("unknown", None),
    ]
    assert query("SELECT exposed_nusd, unpriced_calls FROM sweeps") == [
        {"exposed_nusd": 0, "unpriced_calls": 1}
    ]
