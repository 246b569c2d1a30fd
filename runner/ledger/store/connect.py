"""Engines for both databases, set up so that a commit means durable.

SQLite runs in WAL with ``synchronous=FULL`` and one write connection a process; transactions begin
``IMMEDIATE``, since a read that upgrades to a write fails at once when another writer is there,
whatever the timeout. ``isolation_level=None`` takes the driver's own implicit transactions out of
the way, which would commit before DDL.
"""

from __future__ import annotations

import sqlite3
from functools import partial
from pathlib import Path
from urllib.parse import quote

from sqlalchemy import Connection, Engine, create_engine, event
from sqlalchemy.engine.interfaces import DBAPIConnection
from sqlalchemy.exc import DBAPIError
from sqlalchemy.pool import ConnectionPoolEntry, NullPool

from runner.errors import LedgerError, NotFoundError
from runner.ledger.store.address import LedgerAddress
from runner.ledger.store.filesystem import refuse_network_filesystem

BUSY_SECONDS = 30
#: Longest pause within one of our transactions, which never wait for anything but the database.
MOST_IDLE_SECONDS = 10
CONNECT_SECONDS = 10


def write_engine(address: LedgerAddress) -> Engine:
    """Make the engine of a process's one writer; creates a SQLite file that is not there.

    Raises:
        LedgerError: If the directory is missing, read-only or on a network file system.
    """
    file = address.file
    if file is None:
        engine = create_engine(
            address.url, pool_size=1, max_overflow=1, connect_args=_postgres_arguments()
        )
        event.listen(engine, "connect", _prepare_postgres)
        return engine
    _check_writable(file)
    engine = create_engine(
        address.url,
        poolclass=NullPool,
        connect_args={"timeout": BUSY_SECONDS, "check_same_thread": False},
    )
    event.listen(engine, "connect", _prepare_sqlite)
    event.listen(engine, "connect", partial(_remember_file, file))
    event.listen(engine, "begin", partial(_begin_immediate, file))
    return engine


def read_engine(address: LedgerAddress) -> Engine:
    """Make an engine that cannot write, and whose transactions each see one state throughout.

    Raises:
        NotFoundError: If a SQLite ledger does not exist.
    """
    file = address.file
    if file is None:
        arguments = _postgres_arguments()
        arguments["options"] = "-c default_transaction_read_only=on"
        return create_engine(
            address.url, pool_size=1, connect_args=arguments, isolation_level="REPEATABLE READ"
        )
    _refuse_directory(file)
    if not file.exists():
        raise NotFoundError(
            f"there is no ledger at {address}",
            hint="Run `runner launch SUITE` to make one, or name another with --ledger.",
        )
    engine = create_engine("sqlite://", poolclass=NullPool, creator=lambda: _open_read_only(file))
    event.listen(engine, "begin", _begin)
    return engine


def explain(error: DBAPIError | OSError, address: LedgerAddress) -> LedgerError:
    """Turn a driver's error into one line that says what to do."""
    cause = str(error.orig) if isinstance(error, DBAPIError) else str(error)
    line = cause.strip().splitlines()[0] if cause.strip() else type(error).__name__
    return LedgerError(f"ledger {address}: {line}", hint=_remedy(line, address))


def _remedy(line: str, address: LedgerAddress) -> str:
    lower = line.lower()
    if "full" in lower or "no space" in lower:
        return "Free some disk space, then run `runner resume`: what is recorded is safe."
    if "readonly" in lower or "read-only" in lower or "permission" in lower:
        return "Make the ledger's file and directory writable, or name another with --ledger."
    if "locked" in lower:
        return "Another program holds the ledger's lock; end it, then run the command again."
    if "not a database" in lower or "malformed" in lower:
        return "The file is no ledger; name another with --ledger."
    if address.file is None:
        return "Check that the server runs and that --ledger or RUNNER_LEDGER names it rightly."
    return "Check the ledger's file and directory, or name another with --ledger."


def _postgres_arguments() -> dict[str, object]:
    """Name ourselves, and notice within a minute that the network to the server is gone."""
    return {
        "application_name": "runner",
        "connect_timeout": CONNECT_SECONDS,
        "keepalives_idle": 20,
        "keepalives_interval": 10,
        "keepalives_count": 3,
        "tcp_user_timeout": 50_000,
    }


def _refuse_directory(file: Path) -> None:
    if file.is_dir():
        raise LedgerError(
            f"the ledger {file} is a directory",
            hint=f"Name a file in it: --ledger {file / 'ledger.db'}.",
        )


def _check_writable(file: Path) -> None:
    _refuse_directory(file)
    directory = file.parent
    if not directory.is_dir():
        raise LedgerError(
            f"the ledger's directory {directory} does not exist",
            hint=f"Create it (mkdir -p {directory}) or name another ledger with --ledger.",
        )
    refuse_network_filesystem(directory)


def _prepare_sqlite(connection: DBAPIConnection, _record: ConnectionPoolEntry) -> None:
    assert isinstance(connection, sqlite3.Connection)  # noqa: S101 - narrows the driver's type
    connection.isolation_level = None
    cursor = connection.cursor()
    for pragma in (
        "journal_mode=WAL",
        "synchronous=FULL",
        "foreign_keys=ON",
        f"busy_timeout={BUSY_SECONDS * 1000}",
    ):
        cursor.execute(f"PRAGMA {pragma}")
    cursor.close()


def _prepare_postgres(connection: DBAPIConnection, _record: ConnectionPoolEntry) -> None:
    """Let nobody who freezes within a transaction hold up the others by its locks."""
    cursor = connection.cursor()
    cursor.execute(f"SET idle_in_transaction_session_timeout = '{MOST_IDLE_SECONDS}s'")
    cursor.close()
    connection.commit()


def _remember_file(file: Path, _connection: DBAPIConnection, record: ConnectionPoolEntry) -> None:
    record.info["file"] = _identity(file)


def _begin(connection: Connection) -> None:
    connection.exec_driver_sql("BEGIN")


def _begin_immediate(file: Path, connection: Connection) -> None:
    """Begin in the file that was opened: SQLite itself would write on into one that is gone."""
    if _identity(file) != connection.info["file"]:
        raise LedgerError(
            f"ledger {file}: the file was taken away or replaced while in use",
            hint="Put it back and run `runner resume`, or launch anew.",
        )
    connection.exec_driver_sql("BEGIN IMMEDIATE")


def _identity(file: Path) -> tuple[int, int] | None:
    try:
        status = file.stat()
    except FileNotFoundError:
        return None
    return status.st_dev, status.st_ino


def _open_read_only(file: Path) -> sqlite3.Connection:
    """Open without writing anything; without shared memory where the directory forbids it."""
    uri = f"file:{quote(str(file))}?mode=ro"
    try:
        return _probe(uri)
    except sqlite3.OperationalError:
        log = file.with_name(file.name + "-wal")
        if log.exists() and log.stat().st_size:
            raise
        return _probe(f"{uri}&immutable=1")


def _probe(uri: str) -> sqlite3.Connection:
    connection = sqlite3.connect(uri, uri=True, timeout=BUSY_SECONDS, check_same_thread=False)
    connection.isolation_level = None
    try:
        connection.execute("PRAGMA query_only=ON")
        connection.execute("SELECT 1 FROM sqlite_master").fetchone()
        connection.set_authorizer(_no_other_files)
    except sqlite3.Error:
        connection.close()
        raise
    return connection


def _no_other_files(action: int, *_details: str | None) -> int:
    """Refuse what would make or open another file, which "read only" does not cover."""
    return sqlite3.SQLITE_DENY if action == sqlite3.SQLITE_ATTACH else sqlite3.SQLITE_OK
