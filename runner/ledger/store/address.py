"""Where a ledger is: a file or a PostgreSQL database."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

from sqlalchemy.engine import URL, make_url
from sqlalchemy.exc import ArgumentError

from runner.errors import UsageError

_EXAMPLES = "Give a file name (ledger.db) or postgresql://user@host/database."


@dataclass(frozen=True, slots=True)
class LedgerAddress:
    """A ledger's place, in the form that the database drivers want."""

    url: URL

    @property
    def file(self) -> Path | None:
        """Give the SQLite file's absolute path, or None for a server."""
        if self.url.get_backend_name() != "sqlite":
            return None
        return Path(self.url.database or "").absolute()

    def __str__(self) -> str:
        """Spell the address for people and command lines, a password hidden."""
        if self.file is not None:
            return str(self.url.database)
        return self.url.set(drivername="postgresql").render_as_string(hide_password=True)


def parse_address(text: str) -> LedgerAddress:
    """Read a file name, ``sqlite:///FILE`` or ``postgresql://…``.

    Raises:
        UsageError: If it is none of these.
    """
    if not text.strip():
        raise UsageError("the ledger's address is empty", hint=_EXAMPLES)
    if "://" not in text:
        return LedgerAddress(_file_url(text))
    try:
        url = make_url(text)
    except ArgumentError as error:
        raise UsageError(f"cannot read the ledger's address {text!r}", hint=_EXAMPLES) from error
    backend = url.get_backend_name()
    if backend == "sqlite" and url.database:
        return LedgerAddress(_file_url(url.database))
    if backend in {"postgresql", "postgres"}:
        return LedgerAddress(url.set(drivername="postgresql+psycopg"))
    raise UsageError(f"a ledger cannot live in {backend!r}", hint=_EXAMPLES)


def _file_url(name: str) -> URL:
    if name == ":memory:":
        raise UsageError("a ledger in memory would not outlive the command", hint=_EXAMPLES)
    return URL.create("sqlite", database=name)
