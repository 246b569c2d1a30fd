"""Who still lives: on SQLite a file lock, on PostgreSQL a lease by the database's clock.

The kernel frees the lock on any death and no child inherits it, so a living owner, also a stopped
one, keeps its trials without heartbeats and without clocks. Nobody waits for the lease of a process
that is proven gone from the own machine.
"""

from __future__ import annotations

import fcntl
import os
from pathlib import Path
from typing import NamedTuple

from sqlalchemy import Connection, select, text, update

from runner.ledger.life.this_process import ProcessIdentity, is_proven_gone
from runner.ledger.schema.tables import attempts, trials, workers

LEASE_SECONDS = 30
RENEW_SECONDS = LEASE_SECONDS / 4
#: The database's clock in microseconds; the transaction's own time would stand still.
DATABASE_NOW_US = "CAST(EXTRACT(EPOCH FROM clock_timestamp()) * 1000000 AS BIGINT)"


class DeadAttempt(NamedTuple):
    """An attempt whose worker is gone."""

    attempt: int
    worker: int


class WorkerLock:
    """A lock file beside a SQLite ledger, held for as long as its worker lives."""

    def __init__(self, ledger: Path, worker: int) -> None:
        self._path = lock_path(ledger, worker)
        self._path.parent.mkdir(exist_ok=True)
        self._descriptor = os.open(self._path, os.O_RDWR | os.O_CREAT | os.O_CLOEXEC, 0o600)
        try:
            fcntl.flock(self._descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except OSError:
            os.close(self._descriptor)
            raise

    def release(self) -> None:
        """Give the lock back and take the file away."""
        self._path.unlink(missing_ok=True)
        os.close(self._descriptor)


def lock_path(ledger: Path, worker: int) -> Path:
    """Give the place of a worker's lock file."""
    return ledger.with_name(f"{ledger.name}-workers") / f"{worker}.lock"


def lock_is_free(ledger: Path, worker: int) -> bool:
    """Tell whether a worker is proven gone."""
    try:
        descriptor = os.open(lock_path(ledger, worker), os.O_RDWR | os.O_CLOEXEC)
    except FileNotFoundError:
        return True
    try:
        fcntl.flock(descriptor, fcntl.LOCK_SH | fcntl.LOCK_NB)
    except BlockingIOError:
        return False
    else:
        return True
    finally:
        os.close(descriptor)


def discard_lock(ledger: Path, worker: int) -> None:
    """Take a dead worker's lock file away; a missing one means dead as well."""
    lock_path(ledger, worker).unlink(missing_ok=True)


def dead_attempts(
    connection: Connection, sweep: int | None, ledger: Path | None
) -> list[DeadAttempt]:
    """Give the attempts that still run according to the ledger though their worker is gone.

    Args:
        connection: To the ledger.
        sweep: Only this sweep's, or None for all.
        ledger: The SQLite file, or None on PostgreSQL.
    """
    live = select(attempts.c.id, attempts.c.worker_id).where(text("attempts.ending IS NULL"))
    if sweep is not None:
        live = live.join(trials).where(trials.c.sweep_id == sweep)
    found = [DeadAttempt(*row) for row in connection.execute(live)]
    holders = {attempt.worker for attempt in found}
    if ledger is not None:
        gone = {worker for worker in holders if lock_is_free(ledger, worker)}
        return [attempt for attempt in found if attempt.worker in gone]
    gone = _gone_from_this_machine(connection, holders)
    expired = text(f"attempts.lease_until_us < {DATABASE_NOW_US}")
    late = {attempt for attempt, _ in connection.execute(live.where(expired))}
    return [each for each in found if each.worker in gone or each.attempt in late]


def _gone_from_this_machine(connection: Connection, holders: set[int]) -> set[int]:
    """Give the workers whose process is proven gone; nobody needs to wait for their leases."""
    rows = connection.execute(select(workers).where(workers.c.id.in_(holders)))
    return {
        row.id
        for row in rows
        if is_proven_gone(ProcessIdentity(host=row.host, pid=row.pid, boot_id=row.boot_id))
    }


def renew_leases(connection: Connection, worker: int) -> None:
    """Push the leases of a worker's live attempts on, by the database's clock."""
    connection.execute(
        update(attempts)
        .where(attempts.c.worker_id == worker, text("ending IS NULL"))
        .values(lease_until_us=text(f"{DATABASE_NOW_US} + {LEASE_SECONDS * 1_000_000}"))
    )
