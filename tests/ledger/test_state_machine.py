"""Any order of claims, calls, ends, deaths and resumes leaves a ledger that adds up."""

from __future__ import annotations

import tempfile
from collections import Counter
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any, TypeVar

import pytest
from hypothesis import settings
from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, initialize, invariant, rule
from sqlalchemy import Connection, text

from runner.domain import AttemptReport, Ending, Outcome, Reason
from runner.errors import OwnershipLostError
from runner.ledger import Claim, Unclaimable, parse_address
from runner.ledger.ledger import prepare_schema
from runner.ledger.life.calls import insert_call, settle_call
from runner.ledger.life.claims import claim_trials, take_back_from_the_dead
from runner.ledger.life.finish import finish_attempt, prepare_finish
from runner.ledger.life.liveness import WorkerLock
from runner.ledger.life.record import raise_repeats, record_launch
from runner.ledger.life.sweeps import close_sweep, reopen_sweep
from runner.ledger.schema.soundness import check_ledger
from runner.ledger.schema.tables import workers
from runner.ledger.store.connect import write_engine
from runner.ledger.store.rows import insert_row
from runner.testing.examples import make_infra_report, make_launch, make_report, make_suite
from runner.testing.manual_clock import ManualClock

T = TypeVar("T")
BUDGET = 6_000
CALL = {
    "role": "agent",
    "model": "m",
    "endpoint": "https://example.test",
    "parameters_digest": "-",
    "messages_kept": 0,
    "messages": "[]",
    "sent_us": 0,
}
REPORTS = (
    make_report(Outcome.PASS),
    make_report(Outcome.FAIL),
    make_infra_report(),
    AttemptReport(ending=Ending.INTERRUPTED, reason=Reason.INTERRUPTED),
)
#: What can come of a call: its state, and which part of its reservation it costs.
FATES = (("completed", 0.0), ("completed", 0.7), ("completed", None), ("failed", 0), ("unknown", 0))
pick = st.integers(0, 1 << 16)


class Held:
    """A claim as its process remembers it, long after it may be somebody else's."""

    def __init__(self, claim: Claim) -> None:
        self.claim = claim
        self.calls: list[tuple[int, int]] = []
        self.numbers = 0


class LedgerLife(RuleBasedStateMachine):
    """Processes that share one sweep in a SQLite file; each rule is one transaction."""

    def __init__(self) -> None:
        super().__init__()
        self.folder = tempfile.TemporaryDirectory()
        self.file = Path(self.folder.name) / "ledger.db"
        self.engine = write_engine(parse_address(str(self.file)))
        self.connection = self.engine.connect()
        self.connection.connection.cursor().execute(
            "PRAGMA synchronous=OFF"
        )  # no power is cut here
        self.clock = ManualClock()
        self.locks: dict[int, WorkerLock] = {}
        self.held: list[Held] = []
        self.graded: dict[int, tuple[Any, ...]] = {}

    def teardown(self) -> None:
        for lock in self.locks.values():
            lock.release()
        self.connection.close()
        self.engine.dispose()
        self.folder.cleanup()

    def unit(self, work: Callable[[Connection], T]) -> T:
        with self.connection.begin():
            return work(self.connection)

    def rows(self, statement: str) -> list[Mapping[str, Any]]:
        return self.unit(lambda c: [dict(row) for row in c.execute(text(statement)).mappings()])

    @initialize(budget=st.sampled_from([None, BUDGET]))
    def record_plan(self, budget: int | None) -> None:
        self.budget, self.repeats = budget, 1
        self.suite = make_suite(repeats=1, budget_nusd=budget)
        self.unit(lambda c: prepare_schema(c, parse_address(str(self.file))))
        self.sweep = self.unit(lambda c: record_launch(c, make_launch(self.suite)))

    @rule()
    def start(self) -> None:
        row = workers.insert().values(host="h", pid=1, boot_id="", started_us=0)
        worker = self.unit(lambda c: insert_row(c, row))
        self.locks[worker] = WorkerLock(self.file, worker)

    @rule(most=st.integers(1, 3), who=pick)
    def claim(self, most: int, who: int) -> None:
        if not self.locks:
            return
        worker = list(self.locks)[who % len(self.locks)]
        claims = self.unit(
            lambda c: claim_trials(
                c,
                self.sweep,
                worker=worker,
                now_us=self.clock.now_us(),
                most=most,
                without=Unclaimable(),
            )
        )
        assert len(claims) <= most
        self.held += [Held(claim) for claim in claims]

    @rule(which=pick, reserved=st.sampled_from([None, 0, 1_000, 4_000]))
    def call(self, which: int, reserved: int | None) -> None:
        if not self.held:
            return
        held = self.held[which % len(self.held)]
        values = {**CALL, "number": held.numbers + 1}
        try:
            row = self.unit(lambda c: insert_call(c, held.claim, values, reserved=reserved))
        except OwnershipLostError:
            return
        if isinstance(row, int):
            held.numbers += 1
            held.calls.append((row, reserved or 0))

    @rule(which=pick, what=st.sampled_from(FATES))
    def settle(self, which: int, what: tuple[str, float | None]) -> None:
        """Hear of a call: perhaps twice, perhaps long after its trial was taken over."""
        calls = [(held, *call) for held in self.held for call in held.calls]
        if not calls:
            return
        held, call, reserved = calls[which % len(calls)]
        state, part = what
        cost = None if part is None or state == "unknown" else round(reserved * part)
        values = {"state": state, "cost_nusd": cost, "input_tokens": 3, "output_tokens": None}
        self.unit(lambda c: settle_call(c, held.claim, call, values))

    @rule(which=pick, report=st.sampled_from(REPORTS), retry=st.booleans())
    def finish(self, which: int, report: AttemptReport, retry: bool) -> None:
        if not self.held:
            return
        claim, now = self.held[which % len(self.held)].claim, self.clock.now_us()
        ready = prepare_finish(report, now_us=now, retry_at_us=now + 5_000_000 if retry else None)
        self.unit(lambda c: finish_attempt(c, claim, ready))

    @rule(who=pick)
    def crash(self, who: int) -> None:
        """Only the lock goes; what the process held may still be heard of."""
        if self.locks:
            self.locks.pop(list(self.locks)[who % len(self.locks)]).release()

    @rule()
    def take_back(self) -> None:
        now = self.clock.now_us()
        self.unit(lambda c: take_back_from_the_dead(c, self.sweep, ledger=self.file, now_us=now))

    @rule(more_money=st.booleans(), more_repeats=st.booleans())
    def reopen(self, more_money: bool, more_repeats: bool) -> None:
        if more_repeats and self.repeats < 3:
            self.repeats += 1
            self.unit(lambda c: raise_repeats(c, self.sweep, self.suite, repeats=self.repeats))
        if more_money and self.budget is not None:
            self.budget += 1_000
        reopened = self.unit(
            lambda c: reopen_sweep(
                c,
                self.sweep,
                ledger=self.file,
                now_us=self.clock.now_us(),
                budget_nusd=self.budget,
            )
        )
        held = sum(count for _, _, count in reopened.held)
        assert reopened.kept + reopened.to_run + held == 6 * self.repeats

    @rule(stopped=st.booleans())
    def close(self, stopped: bool) -> None:
        reason = "stopped" if stopped else None
        self.unit(lambda c: close_sweep(c, self.sweep, now_us=1, stop_reason=reason))

    @rule(seconds=st.sampled_from([1, 10]))
    def advance_clock(self, seconds: int) -> None:
        self.clock.advance(seconds)

    @invariant()
    def every_planned_trial_is_settled_or_open(self) -> None:
        states = Counter((row["state"], row["outcome"]) for row in self.rows(_TRIALS))
        assert states.total() == 6 * self.repeats
        (sweep,) = self.rows("SELECT state FROM sweeps")
        unsettled = sum(count for (state, _), count in states.items() if state != "settled")
        assert sweep["state"] != "complete" or not unsettled

    @invariant()
    def a_running_trial_has_one_live_owner_and_a_graded_one_one_counting_attempt(self) -> None:
        endings: dict[int, Counter[str | None]] = {}
        for row in self.rows("SELECT trial_id, ending FROM attempts"):
            endings.setdefault(row["trial_id"], Counter())[row["ending"]] += 1
        for trial in self.rows(_TRIALS):
            of = endings.get(trial["id"], Counter())
            assert of[None] == (trial["state"] == "running")
            assert of["finished"] == (trial["outcome"] in {"pass", "fail"})
            assert of.total() == trial["attempts"]

    @invariant()
    def nothing_graded_ever_changes(self) -> None:
        now = {
            row["id"]: tuple(row[name] for name in ("outcome", "reason", "score", "fence"))
            for row in self.rows(_TRIALS)
            if row["outcome"] in {"pass", "fail"}
        }
        assert now.items() >= self.graded.items()
        self.graded = now

    @invariant()
    def counters_are_what_the_calls_say(self) -> None:
        calls = self.rows(_CALLS)
        (sweep,) = self.rows("SELECT * FROM sweeps")
        assert {name: sweep[name] for name in _money([])} == _money(calls)
        if self.budget is not None:
            used = sweep["spent_nusd"] + sweep["reserved_nusd"] + sweep["exposed_nusd"]
            assert used <= self.budget
        for trial in self.rows(_TRIALS):
            own = [call for call in calls if call["trial_id"] == trial["id"]]
            assert {name: trial[name] for name in _sums([])} == _sums(own)

    @invariant()
    def views_are_what_the_tables_say(self) -> None:
        trials, calls = self.rows(_TRIALS), self.rows(_CALLS)
        graded = [trial for trial in trials if trial["outcome"] in {"pass", "fail"}]
        passed = sum(trial["outcome"] == "pass" for trial in trials)
        for view in ("task_scores", "repeat_scores", "config_scores"):
            rows = self.rows(f"SELECT trials, n, c, infra, open FROM {view}")
            sums = {name: sum(row[name] for row in rows) for name in rows[0]}
            assert (sums["trials"], sums["n"], sums["c"]) == (len(trials), len(graded), passed)
            assert sums["trials"] == sums["n"] + sums["infra"] + sums["open"]
        spend = self.rows("SELECT calls, unpriced_calls, cost_usd FROM spend")
        assert sum(row["calls"] for row in spend) == len(calls)
        assert sum(row["unpriced_calls"] for row in spend) == _money(calls)["unpriced_calls"]
        cost = sum(row["cost_usd"] or 0 for row in spend)
        assert round(cost * 1e9) == _money(calls)["spent_nusd"]


def _money(calls: list[Mapping[str, Any]]) -> dict[str, int]:
    """Recompute a sweep's counters."""
    by_state = {
        state: sum(call["reserved_nusd"] or 0 for call in calls if call["state"] == state)
        for state in ("sent", "unknown")
    }
    unpriced = [c for c in calls if c["cost_nusd"] is None and c["state"] != "sent"]
    priced = [c for c in calls if c["cost_nusd"] is not None and c["state"] == "completed"]
    return {
        "spent_nusd": sum(call["cost_nusd"] or 0 for call in calls),
        "reserved_nusd": by_state["sent"],
        "exposed_nusd": by_state["unknown"],
        "priced_calls": len(priced),
        "unpriced_calls": len(unpriced),
    }


def _sums(calls: list[Mapping[str, Any]]) -> dict[str, int | None]:
    """Recompute a trial's sums: what is unknown is null unless a part of it is known."""
    money = _money(calls)
    nothing_known = money["unpriced_calls"] and not money["priced_calls"]
    settled = [call for call in calls if call["state"] != "sent"]
    tokens = [call["input_tokens"] for call in calls if call["input_tokens"] is not None]
    return {
        "cost_nusd": None if nothing_known else money["spent_nusd"],
        "unpriced_calls": money["unpriced_calls"],
        "input_tokens": sum(tokens) if tokens or not settled else None,
    }


_TRIALS = "SELECT * FROM trials"
_CALLS = "SELECT m.*, a.trial_id FROM model_calls m JOIN attempts a ON a.id = m.attempt_id"

#: Longer than it needs, for a busy machine.
pytestmark = pytest.mark.timeout(300)

TestLedgerLife = LedgerLife.TestCase
TestLedgerLife.settings = settings(max_examples=60, stateful_step_count=40, deadline=None)


def test_a_ledger_after_such_a_life_is_sound() -> None:
    """The check that users have agrees with the invariants above."""
    life = LedgerLife()
    life.record_plan(BUDGET)
    life.start()
    life.claim(3, 0)
    for which, reserved in enumerate((1_000, 4_000, 1_000)):
        life.call(which, reserved)
    life.settle(0, ("completed", 0.7))
    life.finish(0, REPORTS[0], False)
    life.crash(0)
    life.reopen(True, False)
    try:
        assert check_ledger(parse_address(str(life.file))).problems == ()
        life.counters_are_what_the_calls_say()
    finally:
        life.teardown()
