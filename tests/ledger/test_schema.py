"""The schema: the same by migrations and by code, and refused when it is another's."""

from __future__ import annotations

import sqlite3
from pathlib import Path

import pytest
from alembic.autogenerate import compare_metadata
from alembic.migration import MigrationContext
from alembic.script import ScriptDirectory
from sqlalchemy import text

from runner.errors import LedgerError, NotFoundError, SchemaVersionError
from runner.ledger import Ledger, LedgerAddress, open_ledger, parse_address, read_ledger
from runner.ledger.schema.tables import REVISION, metadata
from runner.ledger.store.connect import write_engine
from runner.shipped import shipped
from runner.testing.manual_clock import ManualClock


async def test_the_schema_that_migrations_make_is_the_one_that_the_code_describes(
    ledger: Ledger,
) -> None:
    engine = write_engine(ledger.address)
    with engine.connect() as connection:
        context = MigrationContext.configure(connection, opts={"compare_type": True})
        differences = compare_metadata(context, metadata)
    engine.dispose()

    assert differences == []


def test_the_newest_migration_is_the_revision_that_the_code_asks_for() -> None:
    assert ScriptDirectory(str(shipped("migrations"))).get_current_head() == REVISION


async def test_a_newer_schema_is_refused_with_the_command_that_helps(
    ledger: Ledger, clock: ManualClock
) -> None:
    _set_version(ledger.address, "9999")

    with (
        pytest.raises(SchemaVersionError, match="newer than this runner") as refused,
        read_ledger(ledger.address),
    ):
        pass
    with pytest.raises(SchemaVersionError):
        async with open_ledger(ledger.address, clock=clock):
            pass

    assert "pip install --upgrade" in (refused.value.hint or "")


async def test_a_database_of_something_else_is_left_alone(
    tmp_path: Path, clock: ManualClock
) -> None:
    file = tmp_path / "other.db"
    with sqlite3.connect(file) as connection:
        connection.execute("CREATE TABLE other (n)")
    connection.close()

    with pytest.raises(LedgerError, match="something else"):
        async with open_ledger(parse_address(str(file)), clock=clock):
            pass

    connection = sqlite3.connect(file)
    names = connection.execute("SELECT name FROM sqlite_master").fetchall()
    connection.close()
    assert names == [("other",)]


async def test_a_file_that_is_no_database_is_refused_in_one_line(
    tmp_path: Path, clock: ManualClock
) -> None:
    file = tmp_path / "notes.txt"
    file.write_text("These are my notes.\n" * 100)

    with pytest.raises(LedgerError, match="not a database"):
        async with open_ledger(parse_address(str(file)), clock=clock):
            pass
    with pytest.raises(LedgerError, match="not a database"), read_ledger(parse_address(str(file))):
        pass

    assert file.read_text().startswith("These are my notes.")


async def test_a_missing_directory_and_a_missing_ledger_say_what_to_do(
    tmp_path: Path, clock: ManualClock
) -> None:
    nowhere = parse_address(str(tmp_path / "none" / "ledger.db"))

    with pytest.raises(LedgerError, match="does not exist") as no_directory:
        async with open_ledger(nowhere, clock=clock):
            pass
    with pytest.raises(NotFoundError, match="no ledger") as no_ledger, read_ledger(nowhere):
        pass

    assert "mkdir -p" in (no_directory.value.hint or "")
    assert "runner launch" in (no_ledger.value.hint or "")


async def test_a_server_that_is_not_there_is_one_line(clock: ManualClock) -> None:
    address = parse_address("postgresql://nobody:secret@127.0.0.1:1/none")

    with pytest.raises(LedgerError) as unreachable:
        async with open_ledger(address, clock=clock):
            pass

    assert "secret" not in unreachable.value.message
    assert "\n" not in unreachable.value.message


def _set_version(address: LedgerAddress, version: str) -> None:
    engine = write_engine(address)
    with engine.begin() as connection:
        connection.execute(text("UPDATE alembic_version SET version_num = :v"), {"v": version})
    engine.dispose()
