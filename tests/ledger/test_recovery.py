"""What a killed process leaves is taken back, shown as unknown, and never lost."""

from __future__ import annotations

import signal
import subprocess
import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any

import pytest
from sqlalchemy import text

from runner.ledger import Ledger, LedgerAddress, read_ledger
from runner.ledger.store.connect import write_engine
from runner.testing.examples import make_launch, make_suite

Query = Callable[[str], list[dict[str, Any]]]


@contextmanager
def holder(url: str, sweep: int, *, trials: int) -> Iterator[subprocess.Popen[str]]:
    """Run a process that holds trials of a sweep."""
    command = [sys.executable, "-m", "runner.testing.holder", url, str(sweep), str(trials)]
    with subprocess.Popen(command, stdout=subprocess.PIPE, text=True) as process:
        assert process.stdout is not None
        assert process.stdout.readline() == "holding\n"
        try:
            yield process
        finally:
            process.kill()


def end_leases(address: LedgerAddress) -> None:
    """Let the time of every lease be over (on SQLite there are none)."""
    engine = write_engine(address)
    with engine.begin() as connection:
        connection.execute(text("UPDATE attempts SET lease_until_us = lease_until_us - 60000000"))
    engine.dispose()


async def test_a_killed_owner_loses_its_trials_and_its_open_call_is_unknown(
    ledger: Ledger, ledger_url: str, query: Query
) -> None:
    sweep = await ledger.launch(make_launch(), [])
    with holder(ledger_url, sweep, trials=3) as process:
        process.send_signal(signal.SIGKILL)
        process.wait()
    with read_ledger(ledger.address) as reader:
        assert reader.summary("sweep").interrupted == 3

    reopened = await ledger.reopen(sweep, budget_nusd=None)

    assert (reopened.missing, reopened.interrupted, reopened.held) == (9, 3, ())
    assert query("SELECT ending, count(*) AS n FROM attempts GROUP BY ending") == [
        {"ending": "interrupted", "n": 3}
    ]
    assert query("SELECT state, cost_nusd, reserved_nusd FROM model_calls") == [
        {"state": "unknown", "cost_nusd": None, "reserved_nusd": 1_000}
    ]
    money = "spent_nusd, reserved_nusd, exposed_nusd, unpriced_calls"
    assert query(f"SELECT {money} FROM sweeps") == [
        {"spent_nusd": 0, "reserved_nusd": 0, "exposed_nusd": 1_000, "unpriced_calls": 1}
    ]
    claims = await ledger.claim(sweep, most=100)
    assert sorted(claim.number for claim in claims) == [1] * 9 + [2] * 3


async def test_a_stopped_owner_keeps_its_trials(ledger: Ledger, ledger_url: str) -> None:
    sweep = await ledger.launch(make_launch(), [])

    with holder(ledger_url, sweep, trials=2) as process:
        process.send_signal(signal.SIGSTOP)
        reopened = await ledger.reopen(sweep, budget_nusd=None)
        assert await ledger.take_back(sweep) == 0

    assert [(pid, trials) for _, pid, trials in reopened.held] == [(process.pid, 2)]


async def test_a_frozen_owner_loses_its_trials_with_its_lease_and_never_with_its_lock(
    ledger: Ledger, ledger_url: str
) -> None:
    sweep = await ledger.launch(make_launch(), [])
    with holder(ledger_url, sweep, trials=2) as process:
        process.send_signal(signal.SIGSTOP)
        end_leases(ledger.address)

        taken_back = await ledger.take_back(sweep)

    locked_by_file = ledger.address.file is not None
    assert taken_back == (0 if locked_by_file else 2)


async def test_recovery_twice_changes_nothing_more(
    ledger: Ledger, ledger_url: str, query: Query
) -> None:
    sweep = await ledger.launch(make_launch(make_suite(repeats=1)), [])
    with holder(ledger_url, sweep, trials=1):
        pass

    assert await ledger.take_back(sweep) == 1
    before = query("SELECT * FROM trials ORDER BY id"), query("SELECT * FROM sweeps")
    assert await ledger.take_back(sweep) == 0

    assert (query("SELECT * FROM trials ORDER BY id"), query("SELECT * FROM sweeps")) == before


@pytest.mark.parametrize("trials", [1, 6])
async def test_the_lock_files_of_the_dead_do_not_pile_up(
    ledger: Ledger, ledger_url: str, trials: int
) -> None:
    sweep = await ledger.launch(make_launch(), [])
    with holder(ledger_url, sweep, trials=trials):
        pass

    await ledger.take_back(sweep)

    file = ledger.address.file
    if file is not None:
        locks = list(file.with_name(f"{file.name}-workers").iterdir())
        assert len(locks) == 1, "only this process's own lock is left"
