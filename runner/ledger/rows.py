"""Row ids of what was just inserted."""

from __future__ import annotations

from sqlalchemy import Connection, Insert


def insert_row(connection: Connection, statement: Insert) -> int:
    """Insert one row and give its id."""
    key = connection.execute(statement).inserted_primary_key
    if key is None:
        raise ValueError("an insert of one row gives its key")
    return int(key[0])
