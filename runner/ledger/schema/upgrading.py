"""Bringing a whole ledger to this code's schema."""

from __future__ import annotations

from dataclasses import dataclass

from sqlalchemy.exc import DBAPIError

from runner.ledger.schema.migrate import known_revisions, require_current, upgrade, version
from runner.ledger.schema.tables import REVISION
from runner.ledger.store.address import LedgerAddress
from runner.ledger.store.connect import explain, write_engine


@dataclass(frozen=True, slots=True, kw_only=True)
class Upgrade:
    """A schema before (None: there was nothing) and after."""

    before: str | None
    after: str


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
            if before is None or (before != REVISION and before in known_revisions()):
                upgrade(connection)
            require_current(connection, address)
    except (DBAPIError, OSError) as error:
        raise explain(error, address) from error
    finally:
        engine.dispose()
    return Upgrade(before=before, after=REVISION)
