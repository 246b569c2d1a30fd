"""Reading a ledger without ever taking a write lock."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from typing import Any

from sqlalchemy import Connection, Row, select, text
from sqlalchemy.exc import DBAPIError

from runner.domain import JsonObject
from runner.errors import NotFoundError
from runner.ledger.reads.summaries import SweepSummary, read_summaries
from runner.ledger.schema.migrate import require_current
from runner.ledger.schema.tables import sweeps
from runner.ledger.store.address import LedgerAddress
from runner.ledger.store.blobs import missing_blobs, read_blob
from runner.ledger.store.connect import explain, read_engine
from runner.ledger.store.rows import row_id


class LedgerReader:
    """A ledger opened for reading; made by ``read_ledger``. Also a source of blobs."""

    def __init__(self, connection: Connection, address: LedgerAddress) -> None:
        self._connection = connection
        self.address = address

    def summary(self, sweep: str | None) -> SweepSummary:
        """Summarise one sweep, named as ``find_sweep`` takes it.

        Raises:
            NotFoundError: If there is none such.
        """
        return self.summary_of(self.find_sweep(sweep))

    def summary_of(self, sweep: int) -> SweepSummary:
        """Summarise the sweep with this id."""
        return read_summaries(self._connection, self.address.file, sweep)[0]

    def summaries(self) -> list[SweepSummary]:
        """Summarise every sweep, newest first."""
        return read_summaries(self._connection, self.address.file)

    def find_sweep(self, sweep: str | None) -> int:
        """Give a sweep's id.

        Args:
            sweep: Its name or id; None for the newest that is not complete, else the newest.

        Raises:
            NotFoundError: If there is none such.
        """
        statement = select(sweeps.c.id)
        if sweep is None:
            statement = statement.order_by(sweeps.c.state == "complete", sweeps.c.id.desc())
        elif (
            named := self._connection.scalar(statement.where(sweeps.c.name == sweep))
        ) is not None:
            return int(named)
        else:
            number = row_id(sweep) or -1
            statement = statement.where(sweeps.c.id == number)
        found: int | None = self._connection.scalar(statement.limit(1))
        if found is None:
            what = "no sweep" if sweep is None else f"no sweep {sweep!r}"
            raise NotFoundError(
                f"there is {what} in the ledger {self.address}",
                hint="See `runner list` for its sweeps, or name another ledger with --ledger.",
            )
        return found

    def document(self, digest: str) -> JsonObject:
        """Read a suite as it was launched."""
        document: JsonObject = json.loads(self.read(digest))
        return document

    def read(self, digest: str) -> bytes:
        """Read a content by its digest.

        Raises:
            KeyError: If the ledger does not hold it.
        """
        return read_blob(self._connection, digest)

    def missing(self, digests: Sequence[str]) -> set[str]:
        """Tell which contents the ledger does not hold."""
        return missing_blobs(self._connection, digests)

    def rows(self, statement: str, values: Mapping[str, object]) -> Sequence[Row[Any]]:
        """Run one of our own SELECTs with named values."""
        return self._connection.execute(text(statement), dict(values)).all()


@contextmanager
def read_ledger(address: LedgerAddress) -> Iterator[LedgerReader]:
    """Open a ledger for reading; one snapshot for as long as the block runs.

    Raises:
        NotFoundError: If there is no ledger.
        LedgerError: If it cannot be read, or holds no ledger.
        SchemaVersionError: If its schema is older or newer.
    """
    engine = read_engine(address)
    try:
        with engine.connect() as connection:
            require_current(connection, address)
            yield LedgerReader(connection, address)
    except DBAPIError as error:
        raise explain(error, address) from error
    finally:
        engine.dispose()
