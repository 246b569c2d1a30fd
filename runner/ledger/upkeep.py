"""Looking after a ledger as a whole: bringing its schema on, proving that it is sound."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from sqlalchemy import Connection, text
from sqlalchemy.exc import DBAPIError

from runner.ledger.address import LedgerAddress
from runner.ledger.blobs import read_blob
from runner.ledger.connect import explain, read_engine, write_engine
from runner.ledger.migrate import require_current, upgrade, version
from runner.ledger.schema import REVISION
from runner.domain import digest_bytes


@dataclass(frozen=True, slots=True, kw_only=True)
class Upgrade:
    """A schema before (None: there was nothing) and after."""

    before: str | None
    after: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Soundness:
    """What a check found; nothing under ``problems`` means sound.

    Attributes:
        schema: The ledger's schema version.
        sweeps: How many there are; likewise ``trials``, ``attempts``, ``blobs``.
    """

    schema: str
    sweeps: int
    trials: int
    attempts: int
    blobs: int
    problems: tuple[str, ...]


def upgrade_ledger(address: LedgerAddress) -> Upgrade:
    """Bring a ledger to this code's schema in one transaction; makes one that is not there.

    Raises:
        SchemaVersionError: If it is newer than this code.
        LedgerError: If it cannot be written, or the database holds something else.
    """
    engine = write_engine(address)
    try:
        with engine.begin() as connection:
            before = version(connection)
            if before != REVISION:
                _upgrade_known(connection, address, before)
            require_current(connection, address)
    except (DBAPIError, OSError) as error:
        raise explain(error, address) from error
    finally:
        engine.dispose()
    return Upgrade(before=before, after=REVISION)


def check_ledger(address: LedgerAddress) -> Soundness:
    """Prove that a ledger is sound: the file, its references, its sums, each blob's content.

    Reads everything once and writes nothing.

    Raises:
        NotFoundError: If there is no ledger.
        LedgerError: If it cannot be read, or is none.
        SchemaVersionError: If its schema is older or newer.
    """
    engine = read_engine(address)
    try:
        with engine.connect() as connection:
            require_current(connection, address)
            counts = {name: _count(connection, name) for name in _COUNTED}
            return Soundness(
                schema=REVISION,
                **counts,
                problems=(
                    *_file_problems(connection),
                    *_contradictions(connection),
                    *_bad_blobs(connection),
                ),
            )
    except DBAPIError as error:
        raise explain(error, address) from error
    finally:
        engine.dispose()


def _upgrade_known(connection: Connection, address: LedgerAddress, before: str | None) -> None:
    """Refuse what is newer before Alembic meets a revision that it does not know."""
    from runner.ledger.migrate import known_revisions
    if before is not None and before not in known_revisions():
        require_current(connection, address)
    upgrade(connection)


def _count(connection: Connection, table: str) -> int:
    return int(connection.execute(text(f"SELECT COUNT(*) FROM {table}")).scalar_one())


def _file_problems(connection: Connection) -> Sequence[str]:
    if connection.dialect.name != "sqlite":
        return []
    found = connection.execute(text("PRAGMA integrity_check(20)")).scalars().all()
    problems = [f"the file: {line}" for line in found if line != "ok"]
    broken = connection.execute(text("PRAGMA foreign_key_check")).all()
    return problems + [f"table {row[0]}, row {row[1]}: its {row[2]} is missing" for row in broken]


def _contradictions(connection: Connection) -> Sequence[str]:
    return [
        f"{subject}: {what}"
        for what, statement in _RULES.items()
        for (subject,) in connection.execute(text(statement))
    ]


def _bad_blobs(connection: Connection) -> Sequence[str]:
    problems = []
    for digest in connection.execute(text("SELECT digest FROM blobs")).scalars().all():
        try:
            sound = digest_bytes(read_blob(connection, digest)) == digest
        except Exception:
            sound = False
        if not sound:
            problems.append(f"blob {digest}: its content is not what was stored")
    return problems


_COUNTED = ("sweeps", "trials", "attempts", "blobs")
