"""The schema's version: read cheaply on every opening, moved on by Alembic when it must."""

from __future__ import annotations

from sqlalchemy import Connection, inspect, text

from runner.errors import LedgerError, SchemaVersionError
from runner.ledger.schema.tables import REVISION
from runner.ledger.store.address import LedgerAddress
from runner.shipped import shipped

#: Any number that no other program would choose for its advisory lock.
_MIGRATION_LOCK = 7_305_771_094


def version(connection: Connection) -> str | None:
    """Give the ledger's schema version, or None for an empty database.

    Raises:
        LedgerError: If the database holds something that is no ledger.
    """
    names = set(inspect(connection).get_table_names())
    if not names:
        return None
    if "alembic_version" not in names:
        raise LedgerError(
            "the database holds tables of something else",
            hint="Name another file or database with --ledger.",
        )
    found: str | None = connection.scalar(text("SELECT version_num FROM alembic_version"))
    return found


def require_current(connection: Connection, address: LedgerAddress) -> None:
    """Refuse a schema that this code does not know.

    Raises:
        SchemaVersionError: With the command that helps.
    """
    found = version(connection)
    if found == REVISION:
        return
    if found is None:
        raise LedgerError(
            f"the ledger {address} is empty",
            hint="Run `runner launch SUITE`, or `runner db upgrade` to make its tables.",
        )
    if found in known_revisions():
        raise SchemaVersionError(
            f"the ledger {address} has schema {found}; this runner needs {REVISION}",
            hint=f"Run `runner db upgrade --ledger {address}`; nothing recorded is lost.",
        )
    raise SchemaVersionError(
        f"the ledger {address} has schema {found}, which is newer than this runner ({REVISION})",
        hint="Upgrade runner (pip install --upgrade agent-trial-runner).",
    )


def known_revisions() -> set[str]:
    """Give every revision that this code can upgrade from, its own included."""
    from alembic.script import ScriptDirectory  # noqa: PLC0415 - heavy, and rarely needed

    scripts = ScriptDirectory(str(shipped("migrations")))
    return {script.revision for script in scripts.walk_revisions()}


def upgrade(connection: Connection) -> None:
    """Bring the schema to ``REVISION`` in the connection's transaction, wholly or not at all."""
    from alembic import command  # noqa: PLC0415 - heavy, and rarely needed
    from alembic.config import Config  # noqa: PLC0415 - as above

    if connection.dialect.name == "postgresql":
        connection.execute(text(f"SELECT pg_advisory_xact_lock({_MIGRATION_LOCK})"))
    config = Config()
    config.set_main_option("script_location", str(shipped("migrations")).replace("%", "%%"))
    config.attributes["connection"] = connection
    command.upgrade(config, "head")
