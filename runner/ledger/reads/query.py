"""One SELECT of the user's own, which cannot write whatever it says."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import date, datetime
from decimal import Decimal
from math import isfinite
from typing import Any

from sqlalchemy import Connection, text
from sqlalchemy.exc import DBAPIError

from runner.domain import Json
from runner.errors import UsageError
from runner.ledger.store.address import LedgerAddress
from runner.ledger.store.connect import explain, read_engine


@dataclass(frozen=True, slots=True, kw_only=True)
class Answer:
    """A table: column names, and rows of JSON values."""

    columns: tuple[str, ...]
    rows: tuple[tuple[Json, ...], ...]


def run_query(address: LedgerAddress, statement: str) -> Answer:
    """Run one statement on a connection that cannot write.

    Raises:
        UsageError: If the statement is wrong, writes, or gives no rows.
        LedgerError: If the ledger cannot be reached.
    """
    engine = read_engine(address)
    try:
        with engine.connect() as connection:
            return _run(connection, statement)
    except DBAPIError as error:
        raise explain(error, address) from error
    finally:
        engine.dispose()


def _run(connection: Connection, statement: str) -> Answer:
    if connection.dialect.name == "postgresql":
        connection.execute(text("SET TRANSACTION READ ONLY"))
    try:
        cursor: Any = connection.connection.cursor()
        if connection.dialect.name == "postgresql":
            # A prepared statement is always a single one: no COMMIT can hide behind a semicolon.
            cursor.execute(statement, prepare=True)
        else:
            cursor.execute(statement)
        if cursor.description is None:
            raise UsageError(
                "the statement gives no rows", hint="`runner sql` reads only: give a SELECT."
            )
        columns = tuple(column[0] for column in cursor.description)
        rows = tuple(tuple(_plain(value) for value in row) for row in cursor.fetchall())
    except connection.dialect.loaded_dbapi.Error as error:
        line = str(error).strip().splitlines()[0]
        raise UsageError(
            f"the query failed: {line}",
            hint="The views are results, task_scores, repeat_scores, config_scores and spend.",
        ) from error
    return Answer(columns=columns, rows=rows)


def _plain(value: object) -> Json:
    """Turn a driver's value into JSON; what is no number is null."""
    match value:
        case None | bool() | int() | str():
            return value
        case float() | Decimal():
            return _number(value)
        case datetime() | date():
            return value.isoformat()
        case bytes() | memoryview():
            return bytes(value).hex()
        case _:
            return str(value)


def _number(value: float | Decimal) -> Json:
    if not isfinite(value):
        return None
    if isinstance(value, Decimal) and value == value.to_integral_value():
        return int(value)
    return float(value)
