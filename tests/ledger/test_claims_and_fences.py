"""A trial has one owner, and the database decides who."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import anyio
import pytest

from runner.domain import AttemptReport, Ending, Outcome, Reason
from runner.errors import OwnershipLostError, UsageError
from runner.ledger import Ledger, LedgerAddress, Unclaimable, open_ledger
from runner.testing.examples import (
    make_infra_report,
    make_launch,
    make_report,
    make_request,
    make_result,
    make_suite,
)
from runner.testing.manual_clock import ManualClock

Query = Callable[[str], list[dict[str, Any]]]


async def test_claims_come_in_plan_order_repeat_by_repeat(ledger: Ledger) -> None:
    sweep = await ledger.launch(make_launch(), [])

    claims = await ledger.claim(sweep, most=100)

    assert [claim.repeat for claim in claims] == [1] * 6 + [2] * 6
    assert [claim.config for claim in claims[:4]] == ["a", "b", "a", "b"]
    assert len({(c.task, c.config, c.repeat) for c in claims}) == 12
    assert await ledger.claim(sweep, most=1) == []


async def test_two_workers_never_hold_the_same_trial(
    ledger: Ledger, address: LedgerAddress, clock: ManualClock
) -> None:
    sweep = await ledger.launch(make_launch(make_suite(repeats=20)), [])
    taken: list[int] = []

    async def take(of: Ledger) -> None:
        while claims := await of.claim(sweep, most=3):
            taken.extend(claim.trial for claim in claims)

    async with open_ledger(address, clock=clock) as second, anyio.create_task_group() as tasks:
        tasks.start_soon(take, ledger)
        tasks.start_soon(take, second)

    assert len(taken) == len(set(taken)) == 120


async def test_a_settled_trial_keeps_its_verdict_and_is_never_claimed_again(
    ledger: Ledger, query: Query
) -> None:
    sweep = await ledger.launch(make_launch(), [])
    (claim,) = await ledger.claim(sweep, most=1)

    assert await ledger.finish(claim, make_report(Outcome.PASS))
    assert not await ledger.finish(claim, make_report(Outcome.FAIL))
    await ledger.reopen(sweep, budget_nusd=None)

    assert len(await ledger.claim(sweep, most=100)) == 11
    rows = query(f"SELECT outcome, passed, score FROM results WHERE trial = {claim.trial}")
    assert rows == [{"outcome": "pass", "passed": 1, "score": 1.0}]


async def test_what_a_lost_owner_finishes_is_kept_as_superseded_and_not_counted(
    ledger: Ledger, query: Query
) -> None:
    sweep = await ledger.launch(make_launch(), [])
    (lost,) = await ledger.claim(sweep, most=1)
    interrupted = AttemptReport(ending=Ending.INTERRUPTED, reason=Reason.INTERRUPTED)
    await ledger.finish(lost, interrupted)
    (now,) = await ledger.claim(sweep, most=1)

    assert not await ledger.finish(lost, make_report(Outcome.FAIL))
    assert await ledger.finish(now, make_report(Outcome.PASS))

    assert now.trial == lost.trial
    assert query("SELECT number, ending FROM attempts ORDER BY number") == [
        {"number": 1, "ending": "superseded"},
        {"number": 2, "ending": "finished"},
    ]
    assert query("SELECT outcome FROM results WHERE outcome IS NOT NULL") == [{"outcome": "pass"}]


async def test_a_lost_owner_can_send_no_call_but_its_money_is_booked(
    ledger: Ledger, query: Query
) -> None:
    sweep = await ledger.launch(make_launch(), [])
    (lost,) = await ledger.claim(sweep, most=1)
    journal = ledger.journal(lost)
    call = await journal.call_sent(make_request())
    await ledger.finish(lost, AttemptReport(ending=Ending.INTERRUPTED, reason=Reason.INTERRUPTED))

    assert query("SELECT state, cost_nusd FROM model_calls") == [
        {"state": "unknown", "cost_nusd": None}
    ]
    with pytest.raises(OwnershipLostError):
        await journal.call_completed(call, make_result(cost_nusd=700))
    with pytest.raises(OwnershipLostError):
        await journal.call_sent(make_request())

    assert query("SELECT state, cost_nusd FROM model_calls") == [
        {"state": "completed", "cost_nusd": 700}
    ]
    money = "spent_nusd, reserved_nusd, exposed_nusd, unpriced_calls"
    assert query(f"SELECT {money} FROM sweeps") == [
        {"spent_nusd": 700, "reserved_nusd": 0, "exposed_nusd": 0, "unpriced_calls": 0}
    ]
    assert query(f"SELECT cost_nusd, unpriced_calls FROM trials WHERE id = {lost.trial}") == [
        {"cost_nusd": 700, "unpriced_calls": 0}
    ]


async def test_an_infrastructure_error_waits_for_its_time_and_is_tried_again(
    ledger: Ledger, clock: ManualClock, query: Query
) -> None:
    suite = make_suite(repeats=1, configs=make_suite().configs[:1])
    sweep = await ledger.launch(make_launch(suite), [])
    first, *others = await ledger.claim(sweep, most=3)
    for claim in others:
        await ledger.finish(claim, make_report())

    await ledger.finish(first, make_infra_report(), retry_after_s=5)

    assert await ledger.claim(sweep, most=1) == []
    assert await ledger.next_retry_us(sweep) == clock.now_us() + 5_000_000
    clock.advance(5)
    (again,) = await ledger.claim(sweep, most=1)
    assert (again.trial, again.number, again.infra_tries) == (first.trial, 2, 1)
    await ledger.finish(again, make_infra_report())
    rows = query("SELECT outcome, passed, score, attempts FROM results WHERE outcome <> 'pass'")
    assert rows == [{"outcome": "infra_error", "passed": None, "score": None, "attempts": 2}]


async def test_reopening_opens_infrastructure_errors_again_and_counts_what_there_is(
    ledger: Ledger,
) -> None:
    sweep = await ledger.launch(make_launch(), [])
    claims = await ledger.claim(sweep, most=4)
    await ledger.finish(claims[0], make_report(Outcome.PASS))
    await ledger.finish(claims[1], make_report(Outcome.FAIL))
    await ledger.finish(claims[2], make_infra_report())
    await ledger.finish(
        claims[3], AttemptReport(ending=Ending.INTERRUPTED, reason=Reason.INTERRUPTED)
    )

    reopened = await ledger.reopen(sweep, budget_nusd=None)

    assert (reopened.kept, reopened.missing, reopened.interrupted, reopened.infra) == (2, 8, 1, 1)
    assert len(await ledger.claim(sweep, most=100)) == 10


async def test_a_living_owner_keeps_its_trials_through_a_reopening(
    ledger: Ledger, address: LedgerAddress, clock: ManualClock
) -> None:
    sweep = await ledger.launch(make_launch(), [])
    await ledger.claim(sweep, most=2)

    async with open_ledger(address, clock=clock) as second:
        reopened = await second.reopen(sweep, budget_nusd=None)
        assert sum(trials for _, _, trials in reopened.held) == 2
        assert len(await second.claim(sweep, most=100)) == 10


async def test_more_repeats_are_added_and_fewer_delete_nothing(ledger: Ledger) -> None:
    suite = make_suite()
    sweep = await ledger.launch(make_launch(suite), [])
    for claim in await ledger.claim(sweep, most=100):
        await ledger.finish(claim, make_report())

    assert await ledger.raise_repeats(sweep, suite, repeats=3) == 2
    claims = await ledger.claim(sweep, most=100)
    assert [claim.repeat for claim in claims] == [3] * 6
    assert await ledger.raise_repeats(sweep, suite, repeats=1) == 3


async def test_trials_of_named_tasks_and_configurations_stay_open(ledger: Ledger) -> None:
    sweep = await ledger.launch(make_launch(), [])

    claims = await ledger.claim(sweep, most=100, without=Unclaimable(tasks=("t0",), configs=("b",)))

    assert {(claim.task, claim.config) for claim in claims} == {("t1", "a"), ("t2", "a")}


async def test_a_taken_name_is_refused_with_the_command_that_goes_on(ledger: Ledger) -> None:
    await ledger.launch(make_launch(), [])

    with pytest.raises(UsageError, match="'sweep' already") as refused:
        await ledger.launch(make_launch(), [])

    assert "runner resume sweep" in (refused.value.hint or "")


async def test_a_sweep_without_a_name_gets_the_suites_with_the_next_number(
    ledger: Ledger, query: Query
) -> None:
    await ledger.launch(make_launch(name=None), [])
    await ledger.launch(make_launch(name=None), [])

    assert query("SELECT name FROM sweeps ORDER BY id") == [
        {"name": "small-1"},
        {"name": "small-2"},
    ]
