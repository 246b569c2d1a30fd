"""Proving that a ledger is sound: the file, its references, its sums, each blob's content."""

from __future__ import annotations

import zlib
from collections.abc import Iterator
from dataclasses import dataclass

from sqlalchemy import Connection, func, select, text
from sqlalchemy.exc import DBAPIError

from runner.domain import digest_bytes
from runner.ledger.schema.migrate import require_current
from runner.ledger.schema.tables import REVISION, attempts, blobs, sweeps, trials
from runner.ledger.store.address import LedgerAddress
from runner.ledger.store.blobs import read_blob
from runner.ledger.store.connect import explain, read_engine


@dataclass(frozen=True, slots=True, kw_only=True)
class Soundness:
    """What a check found; without ``problems`` the ledger is sound.

    Attributes:
        schema: The ledger's schema version.
        sweeps: How many rows there are; likewise ``trials``, ``attempts``, ``blobs``.
    """

    schema: str
    sweeps: int
    trials: int
    attempts: int
    blobs: int
    problems: tuple[str, ...]


def check_ledger(address: LedgerAddress) -> Soundness:
    """Read everything once, write nothing, and say what does not fit together.

    Raises:
        NotFoundError: If there is no ledger.
        LedgerError: If it cannot be read, or is none.
        SchemaVersionError: If its schema is older or newer.
    """
    engine = read_engine(address)
    try:
        with engine.connect() as connection:
            require_current(connection, address)
            return Soundness(
                schema=REVISION,
                sweeps=connection.scalar(select(func.count()).select_from(sweeps)) or 0,
                trials=connection.scalar(select(func.count()).select_from(trials)) or 0,
                attempts=connection.scalar(select(func.count()).select_from(attempts)) or 0,
                blobs=connection.scalar(select(func.count()).select_from(blobs)) or 0,
                problems=tuple(_problems(connection)),
            )
    except DBAPIError as error:
        raise explain(error, address) from error
    finally:
        engine.dispose()


def _problems(connection: Connection) -> Iterator[str]:
    if connection.dialect.name == "sqlite":
        yield from _file_problems(connection)
    for what, statement in _MUST_BE_EMPTY.items():
        for row in connection.execute(text(statement)):
            yield f"{row[0]}: {what}"
    for digest in connection.scalars(select(blobs.c.digest)).all():
        if not _is_sound(connection, digest):
            yield f"blob {digest}: its content is not what was stored"


def _file_problems(connection: Connection) -> Iterator[str]:
    for line in connection.scalars(text("PRAGMA integrity_check(20)")).all():
        if line != "ok":
            yield f"file: {line}"
    for row in connection.execute(text("PRAGMA foreign_key_check")).all():
        yield f"{row[0]} {row[1]}: the row of {row[2]} that it names is missing"


def _is_sound(connection: Connection, digest: str) -> bool:
    try:
        return digest_bytes(read_blob(connection, digest)) == digest
    except (zlib.error, TypeError):  # TypeError: SQLite let text into the column
        return False


_CALLS = """
SELECT COALESCE(SUM({0}), 0) FROM model_calls m
JOIN attempts a ON a.id = m.attempt_id JOIN trials t ON t.id = a.trial_id
WHERE t.sweep_id = s.id"""
#: What is wrong with every row that one of these gives; the row's name comes first.
_MUST_BE_EMPTY = {
    "what it spent is not the sum of its calls": (
        f"SELECT 'sweep ' || s.name FROM sweeps s WHERE s.spent_nusd <> "  # noqa: S608 - our own text
        f"({_CALLS.format('m.cost_nusd')})"
    ),
    "what it has reserved is not the sum of its calls in flight": (
        f"SELECT 'sweep ' || s.name FROM sweeps s WHERE s.reserved_nusd <> "  # noqa: S608 - as above
        f"({_CALLS.format('m.reserved_nusd')} AND m.state = 'sent')"
    ),
    "its exposure is not the sum of its calls of unknown fate": (
        f"SELECT 'sweep ' || s.name FROM sweeps s WHERE s.exposed_nusd <> "  # noqa: S608 - as above
        f"({_CALLS.format('m.reserved_nusd')} AND m.state = 'unknown')"
    ),
    "it is settled without an attempt that ended so": """
        SELECT 'trial ' || CAST(t.id AS TEXT) FROM trials t
        WHERE t.state = 'settled' AND NOT EXISTS (
            SELECT 1 FROM attempts a
            WHERE a.trial_id = t.id AND a.ending IN ('finished', 'infra_error'))""",
    "it runs without an attempt that has not ended": """
        SELECT 'trial ' || CAST(t.id AS TEXT) FROM trials t
        WHERE t.state = 'running' AND NOT EXISTS (
            SELECT 1 FROM attempts a WHERE a.trial_id = t.id AND a.ending IS NULL)""",
}
