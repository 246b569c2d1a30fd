"""One thread writes: many units to a commit, each failing alone; a broken ledger stops all."""

from __future__ import annotations

import threading
from functools import partial
from pathlib import Path

import anyio
import pytest
from sqlalchemy import Connection, create_engine, text
from sqlalchemy.exc import IntegrityError, ProgrammingError

from runner.errors import LedgerError
from runner.ledger import parse_address
from runner.ledger.store.connect import explain, write_engine
from runner.ledger.store.writer import Writer


def make_writer(file: Path) -> Writer:
    address = parse_address(str(file))
    engine = write_engine(address)
    with engine.begin() as connection:
        connection.execute(text("CREATE TABLE IF NOT EXISTS t (n INTEGER PRIMARY KEY)"))
    return Writer(engine, lambda error: explain(error, address))


async def test_a_unit_that_fails_leaves_nothing_and_the_others_of_its_group_stand(
    tmp_path: Path,
) -> None:
    seen: list[int] = []
    failed: list[Exception] = []

    async def write(writer: Writer, number: int) -> None:
        def unit(connection: Connection) -> int:
            connection.execute(text("INSERT INTO t VALUES (:n)"), {"n": number})
            if number % 3 == 0:
                connection.execute(text("INSERT INTO t VALUES (:n)"), {"n": number})
            return number

        try:
            seen.append(await writer.run(unit))
        except IntegrityError as error:
            failed.append(error)

    async with make_writer(tmp_path / "l.db") as writer, anyio.create_task_group() as tasks:
        for number in range(30):
            tasks.start_soon(write, writer, number)

    engine = create_engine(f"sqlite:///{tmp_path / 'l.db'}")
    with engine.connect() as connection:
        rows = list(connection.scalars(text("SELECT n FROM t ORDER BY n")))
    engine.dispose()
    assert rows == sorted(seen) == [n for n in range(30) if n % 3]
    assert len(failed) == 10


async def test_a_cancelled_waiter_does_not_split_its_unit(tmp_path: Path) -> None:
    async with make_writer(tmp_path / "l.db") as writer:
        for number in range(20):
            with anyio.CancelScope() as scope:
                scope.cancel()
                await writer.run(partial(_two, number=number))

        counts = await writer.run(
            lambda connection: connection.scalar(text("SELECT count(*) FROM t"))
        )
    assert counts == 40


async def test_once_the_ledger_cannot_be_written_every_unit_fails_and_says_why(
    tmp_path: Path,
) -> None:
    writer = make_writer(tmp_path / "l.db")

    async with writer:
        with pytest.raises(LedgerError, match="no such table: gone"):
            await writer.run(lambda connection: connection.execute(text("DELETE FROM gone")))
        with pytest.raises(LedgerError, match="no such table: gone"):
            await writer.run(lambda connection: connection.execute(text("DELETE FROM t")))


async def test_a_value_that_no_database_takes_fails_alone(tmp_path: Path) -> None:
    async with make_writer(tmp_path / "l.db") as writer:
        with pytest.raises(ProgrammingError):
            await writer.run(
                lambda connection: connection.exec_driver_sql("INSERT INTO t VALUES (?)", ({},))
            )
        await writer.run(partial(_two, number=1))

        counts = await writer.run(
            lambda connection: connection.scalar(text("SELECT count(*) FROM t"))
        )
    assert counts == 2


@pytest.mark.parametrize("replaced", [False, True])
async def test_nothing_is_written_into_a_file_that_was_taken_away(
    tmp_path: Path, replaced: bool
) -> None:
    file = tmp_path / "l.db"
    async with make_writer(file) as writer:
        await writer.run(partial(_two, number=1))
        file.rename(tmp_path / "elsewhere.db")
        if replaced:
            make_writer(file)

        with pytest.raises(LedgerError, match="taken away or replaced"):
            await writer.run(partial(_two, number=2))


async def test_units_that_a_silent_database_holds_up_end_once_the_writer_is_given_up(
    tmp_path: Path,
) -> None:
    silence = threading.Event()
    error = LedgerError("silent")
    failed: list[Exception] = []

    async def write(writer: Writer) -> None:
        try:
            await writer.run(lambda _: silence.wait())
        except LedgerError as met:
            failed.append(met)

    with anyio.fail_after(20):
        async with make_writer(tmp_path / "l.db") as writer:
            async with anyio.create_task_group() as tasks:
                for _ in range(3):
                    tasks.start_soon(write, writer)
                await anyio.wait_all_tasks_blocked()
                writer.give_up(error)
            with pytest.raises(LedgerError, match="silent"):
                await writer.run(partial(_two, number=1))
    silence.set()

    assert failed == [error] * 3


def _two(connection: Connection, number: int) -> None:
    connection.execute(text("INSERT INTO t VALUES (:n)"), {"n": 2 * number})
    connection.execute(text("INSERT INTO t VALUES (:n)"), {"n": 2 * number + 1})
