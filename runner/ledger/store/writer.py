"""One thread a process that writes to the ledger, many units to a commit.

A unit is a function from a connection to a value. Units that wait at the same time share one
transaction, each in a savepoint of its own, so that a bad one fails alone and the disk is asked to
make durable once for all. A waiter that is cancelled never touches the transaction. Once the
ledger cannot be written, every unit fails at once, so that nothing more is spent unrecorded.
"""

from __future__ import annotations

import queue
import threading
from collections.abc import Callable
from types import TracebackType
from typing import Any, Generic, Self, TypeVar

import anyio
from anyio import from_thread, to_thread
from anyio.lowlevel import EventLoopToken, current_token
from sqlalchemy import Connection, Engine
from sqlalchemy.exc import (
    DataError,
    DBAPIError,
    IntegrityError,
    InterfaceError,
    ProgrammingError,
)

from runner.errors import RunnerError

T = TypeVar("T")
Unit = Callable[[Connection], T]

MOST_UNITS = 512
#: How long to wait for the last units once the writer is closed; longer than a database may block.
CLOSE_SECONDS = 60
#: Errors of a unit's own values or rows; any other one is the database's.
UNITS_OWN = (DataError, IntegrityError, InterfaceError, ProgrammingError)
#: PostgreSQL asks for the transaction to be run again: serialization failure, deadlock.
TRY_AGAIN = frozenset({"40001", "40P01"})
MOST_TRIES = 5


class Writer:
    """The one writer; use as an async context manager.

    Args:
        engine: Its transactions must begin so that they may write.
        explain: Turns a driver's error into one for people.
    """

    def __init__(self, engine: Engine, explain: Callable[[DBAPIError], RunnerError]) -> None:
        self._engine = engine
        self._explain = explain
        self._queue: queue.SimpleQueue[_Job[Any] | None] = queue.SimpleQueue()
        self._thread = threading.Thread(target=self._work, name="ledger-writer", daemon=True)
        self._token: EventLoopToken | None = None
        self._broken: Exception | None = None
        self._waiting: set[_Job[Any]] = set()
        self._given_up = False

    async def __aenter__(self) -> Self:
        self._token = current_token()
        self._thread.start()
        return self

    async def __aexit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self._queue.put(None)
        seconds = 0 if self._given_up else CLOSE_SECONDS
        with anyio.CancelScope(shield=True):
            await to_thread.run_sync(self._thread.join, seconds)

    async def run(self, unit: Unit[T]) -> T:
        """Run a unit and return its value once it is durable.

        Raises:
            LedgerError: If the ledger cannot be written.
            Exception: Whatever the unit raised; nothing of the unit was written then.
        """
        if self._broken is not None:
            raise self._broken
        job: _Job[T] = _Job(unit)
        self._waiting.add(job)
        try:
            self._queue.put(job)
            await job.done.wait()
        finally:
            self._waiting.discard(job)
        return job.outcome()

    def give_up(self, error: Exception) -> None:
        """Let every unit fail with this error, those that a silent database holds up as well."""
        self._broken = self._broken or error
        self._given_up = True
        for job in self._waiting:
            job.given_up = error
            job.done.set()

    def _work(self) -> None:
        group: list[_Job[Any]] = []
        try:
            with self._engine.connect() as connection:
                while group := self._next_group():
                    self._write(connection, group)
                    if self._given_up:
                        return
                    self._deliver(group)
        except Exception as error:  # noqa: BLE001 - a dead writer must be heard by every waiter
            self._broken = self._explain(error) if isinstance(error, DBAPIError) else error
            self._fail_all(group, self._broken)

    def _next_group(self) -> list[_Job[Any]]:
        """Wait for a unit and take along what else waits; empty once the writer is closed."""
        first = self._queue.get()
        if first is None:
            return []
        group = [first]
        while len(group) < MOST_UNITS:
            try:
                job = self._queue.get_nowait()
            except queue.Empty:
                break
            if job is None:
                self._queue.put(None)
                break
            group.append(job)
        return group

    def _write(self, connection: Connection, group: list[_Job[Any]]) -> None:
        for again in range(MOST_TRIES):
            try:
                with connection.begin():
                    for job in group:
                        _run_in_savepoint(connection, job)
            except DBAPIError as error:
                state = getattr(error.orig, "sqlstate", None)
                if state not in TRY_AGAIN or again == MOST_TRIES - 1:
                    raise
            else:
                return

    def _deliver(self, group: list[_Job[Any]]) -> None:
        from_thread.run_sync(_wake, group, token=self._token)

    def _fail_all(self, group: list[_Job[Any]], error: Exception) -> None:
        if self._given_up:
            return
        for job in group:
            job.fail(error)
        self._deliver(group)
        while job_or_end := self._queue.get():
            job_or_end.fail(error)
            self._deliver([job_or_end])


class _Job(Generic[T]):
    def __init__(self, unit: Unit[T]) -> None:
        self.unit = unit
        self.done = anyio.Event()
        self.given_up: Exception | None = None
        self._value: list[T] = []
        self._error: Exception | None = None

    def succeed(self, value: T) -> None:
        self._value, self._error = [value], None

    def fail(self, error: Exception) -> None:
        self._error = error

    def outcome(self) -> T:
        error = self.given_up or self._error
        if error is not None:
            raise error
        return self._value[0]


def _run_in_savepoint(connection: Connection, job: _Job[Any]) -> None:
    connection.exec_driver_sql("SAVEPOINT unit")
    try:
        job.succeed(job.unit(connection))
    except Exception as error:
        if isinstance(error, DBAPIError) and not isinstance(error, UNITS_OWN):
            raise
        job.fail(error)
        connection.exec_driver_sql("ROLLBACK TO SAVEPOINT unit")
    connection.exec_driver_sql("RELEASE SAVEPOINT unit")


def _wake(group: list[_Job[Any]]) -> None:
    for job in group:
        job.done.set()
