"""Row ids."""

from __future__ import annotations

from sqlalchemy import Connection, Insert


def insert_row(connection: Connection, statement: Insert) -> int:
    """Insert one row and give its id."""
    key = connection.execute(statement).inserted_primary_key
    if key is None:
        raise ValueError("an insert of one row gives its key")
    return int(key[0])


def row_id(text: str) -> int | None:
    """Read a row id as people write it; None for all else, and for what no row can have."""
    digits = text.isascii() and text.isdigit() and len(text) <= _MOST_DIGITS
    return int(text) if digits else None


#: Longer numbers may not fit the databases' integers.
_MOST_DIGITS = 18
