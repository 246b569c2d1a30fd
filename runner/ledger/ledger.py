"""The ledger as the scheduler sees it: every write of a sweep's life, each durable on return."""

from __future__ import annotations

from collections.abc import AsyncIterator, Iterable, Iterator
from contextlib import asynccontextmanager
from functools import partial

import anyio
from anyio import to_thread
from sqlalchemy import Connection, Engine
from sqlalchemy.exc import DBAPIError

from runner.domain import AttemptReport, Clock, Journal, Suite
from runner.errors import LedgerError
from runner.ledger.life.claims import (
    Claim,
    Unclaimable,
    claim_trials,
    next_retry_us,
    take_back_from_the_dead,
)
from runner.ledger.life.finish import finish_attempt, prepare_finish
from runner.ledger.life.journal import AttemptJournal
from runner.ledger.life.liveness import LEASE_SECONDS, RENEW_SECONDS, WorkerLock, renew_leases
from runner.ledger.life.record import Launch, raise_repeats, record_contents, record_launch
from runner.ledger.life.sweeps import Reopened, close_sweep, reopen_sweep
from runner.ledger.life.this_process import this_process
from runner.ledger.schema.migrate import require_current, upgrade, version
from runner.ledger.schema.tables import workers
from runner.ledger.store.address import LedgerAddress
from runner.ledger.store.connect import explain, write_engine
from runner.ledger.store.rows import insert_row
from runner.ledger.store.writer import Writer

#: Bytes of file contents that go into one transaction.
_CONTENTS_AT_ONCE = 8 << 20


class Ledger:
    """One process's open ledger; made by ``open_ledger``.

    Every method raises ``LedgerError`` when the ledger cannot be written; nothing of the call is
    recorded then.
    """

    def __init__(
        self, address: LedgerAddress, writer: Writer, *, worker: int, clock: Clock
    ) -> None:
        self.address = address
        self._writer = writer
        self._worker = worker
        self._clock = clock

    async def launch(self, launch: Launch, contents: Iterable[bytes]) -> int:
        """Record a new sweep, its files and its whole plan; give the sweep's id.

        Raises:
            UsageError: If its name is taken.
        """
        for chunk in _portions(contents):
            await self._writer.run(partial(record_contents, contents=chunk))
        return await self._writer.run(lambda connection: record_launch(connection, launch))

    async def reopen(self, sweep: int, *, budget_nusd: int | None) -> Reopened:
        """Make a sweep ready to go on: take back from the dead, open infrastructure errors again.

        Args:
            sweep: Its id.
            budget_nusd: A new cap, or None to leave it as it is.
        """
        return await self._writer.run(
            lambda connection: reopen_sweep(
                connection,
                sweep,
                ledger=self.address.file,
                now_us=self._clock.now_us(),
                budget_nusd=budget_nusd,
            )
        )

    async def raise_repeats(self, sweep: int, suite: Suite, *, repeats: int) -> int:
        """Add repeats to a sweep; give how many there were. Fewer deletes nothing."""
        return await self._writer.run(
            lambda connection: raise_repeats(connection, sweep, suite, repeats=repeats)
        )

    async def claim(
        self, sweep: int, *, most: int, without: Unclaimable = Unclaimable()
    ) -> list[Claim]:
        """Take the next trials whose time has come; none if there are none now."""
        now = self._clock.now_us()
        return await self._writer.run(
            lambda connection: claim_trials(
                connection, sweep, worker=self._worker, now_us=now, most=most, without=without
            )
        )

    async def next_retry_us(
        self, sweep: int, *, without: Unclaimable = Unclaimable()
    ) -> int | None:
        """Give when the earliest pending trial may start; None if none is pending."""
        return await self._writer.run(
            lambda connection: next_retry_us(connection, sweep, without=without)
        )

    async def take_back(self, sweep: int) -> int:
        """End the attempts of workers that are gone; give how many trials are open again."""
        file, now = self.address.file, self._clock.now_us()

        def unit(connection: Connection) -> int:
            if file is None:
                renew_leases(connection, self._worker)  # whoever asks is alive
            return take_back_from_the_dead(connection, sweep, ledger=file, now_us=now)

        return await self._writer.run(unit)

    def journal(self, claim: Claim) -> Journal:
        """Give the journal of a claimed attempt."""
        return AttemptJournal(self._writer.run, claim, self._clock)

    async def finish(
        self, claim: Claim, report: AttemptReport, *, retry_after_s: float | None = None
    ) -> bool:
        """Record an attempt's end in one transaction.

        Args:
            claim: The attempt.
            report: How it went.
            retry_after_s: For an infrastructure error: try again after this; None settles it.

        Returns:
            Whether it counts; False if another process had taken the trial over.
        """
        now = self._clock.now_us()
        retry_at = None if retry_after_s is None else now + round(retry_after_s * 1e6)
        prepare = partial(prepare_finish, report, now_us=now, retry_at_us=retry_at)
        large = report.work is not None and report.work.files
        ready = await to_thread.run_sync(prepare) if large else prepare()
        return await self._writer.run(lambda connection: finish_attempt(connection, claim, ready))

    async def close_sweep(self, sweep: int, *, stop_reason: str | None) -> None:
        """Record that a sweep is complete, or why it stopped before."""
        now = self._clock.now_us()
        await self._writer.run(
            lambda connection: close_sweep(connection, sweep, now_us=now, stop_reason=stop_reason)
        )

    async def keep_leases(self) -> None:
        """Renew this worker's leases for ever; returns at once where file locks do the work.

        Raises:
            LedgerError: If a renewal did not come through before the leases ended.
        """
        if self.address.file is not None:
            return
        while True:
            await anyio.sleep(RENEW_SECONDS)  # real time: the database's clock compares
            with anyio.move_on_after(LEASE_SECONDS - 2 * RENEW_SECONDS) as patience:
                await self._writer.run(lambda connection: renew_leases(connection, self._worker))
            if patience.cancelled_caught:
                error = LedgerError(
                    f"ledger {self.address} did not answer for {LEASE_SECONDS} s, so this "
                    "process no longer owns its trials",
                    hint="Run `runner resume` once the database answers again.",
                )
                self._writer.give_up(error)
                raise error


@asynccontextmanager
async def open_ledger(address: LedgerAddress, *, clock: Clock) -> AsyncIterator[Ledger]:
    """Open a ledger for writing and register this process as a worker.

    An empty database gets its tables. On SQLite the worker holds a lock file beside the ledger for
    as long as it lives.

    Raises:
        LedgerError: If it cannot be opened or written.
        SchemaVersionError: If its schema is older or newer.
    """
    engine = write_engine(address)
    try:
        worker = await to_thread.run_sync(_register, engine, address, clock.now_us())
        lock = _lock(address, worker)
        try:
            async with Writer(engine, lambda error: explain(error, address)) as writer:
                yield Ledger(address, writer, worker=worker, clock=clock)
        finally:
            if lock is not None:
                lock.release()
    finally:
        engine.dispose()


def prepare_schema(connection: Connection, address: LedgerAddress) -> None:
    """Make the tables of an empty database, or check that the schema is this code's."""
    if version(connection) is None:
        upgrade(connection)
    require_current(connection, address)


def _register(engine: Engine, address: LedgerAddress, now_us: int) -> int:
    try:
        with engine.begin() as connection:
            prepare_schema(connection, address)
            me = this_process()
            return insert_row(
                connection,
                workers.insert().values(
                    host=me.host, pid=me.pid, boot_id=me.boot_id, started_us=now_us
                ),
            )
    except (DBAPIError, OSError) as error:
        raise explain(error, address) from error


def _lock(address: LedgerAddress, worker: int) -> WorkerLock | None:
    if address.file is None:
        return None
    try:
        return WorkerLock(address.file, worker)
    except BlockingIOError as error:
        raise LedgerError(
            f"another process still works on a ledger that stood at {address} before",
            hint="End that process, or name another ledger with --ledger.",
        ) from error
    except OSError as error:
        raise explain(error, address) from error


def _portions(contents: Iterable[bytes]) -> Iterator[list[bytes]]:
    portion: list[bytes] = []
    size = 0
    for data in contents:
        portion.append(data)
        size += len(data)
        if size >= _CONTENTS_AT_ONCE:
            yield portion
            portion, size = [], 0
    if portion:
        yield portion
