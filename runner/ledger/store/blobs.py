"""Content by digest, compressed, each distinct content once."""

from __future__ import annotations

import zlib
from collections.abc import Iterable

from anyio import to_thread
from sqlalchemy import Connection, select
from sqlalchemy.dialects import postgresql, sqlite

from runner.domain import digest_bytes
from runner.ledger.schema.tables import blobs

_WORTH_COMPRESSING = 128
#: Bytes whose compression takes some milliseconds.
_LARGE = 1 << 18


class Blobs:
    """Contents on their way into the ledger, compressed outside of any transaction."""

    def __init__(self) -> None:
        self._rows: dict[str, dict[str, object]] = {}

    def add(self, data: bytes) -> str:
        """Take a content in and give its digest."""
        digest = digest_bytes(data)
        if digest not in self._rows:
            codec, packed = _pack(data)
            self._rows[digest] = {
                "digest": digest,
                "size": len(data),
                "codec": codec,
                "data": packed,
            }
        return digest

    async def add_aside(self, data: bytes) -> str:
        """Take a content in, a large one in a thread: compressing it would hold up all trials."""
        if len(data) < _LARGE:
            return self.add(data)
        return await to_thread.run_sync(self.add, data)

    def insert(self, connection: Connection) -> None:
        """Write what is not there yet."""
        if self._rows:
            dialect = sqlite if connection.dialect.name == "sqlite" else postgresql
            statement = dialect.insert(blobs).on_conflict_do_nothing()
            connection.execute(statement, list(self._rows.values()))


def read_blob(connection: Connection, digest: str) -> bytes:
    """Read one content.

    Raises:
        KeyError: If the ledger does not hold it.
    """
    row = connection.execute(
        select(blobs.c.codec, blobs.c.data).where(blobs.c.digest == digest)
    ).one_or_none()
    if row is None:
        raise KeyError(digest)
    return _unpack(row.codec, row.data)


def missing_blobs(connection: Connection, digests: Iterable[str]) -> set[str]:
    """Tell which of these the ledger does not hold yet."""
    wanted = list(digests)
    found: set[str] = set()
    for start in range(0, len(wanted), 500):
        chunk = wanted[start : start + 500]
        found.update(connection.scalars(select(blobs.c.digest).where(blobs.c.digest.in_(chunk))))
    return set(wanted) - found


def _pack(data: bytes) -> tuple[str, bytes]:
    if len(data) >= _WORTH_COMPRESSING:
        packed = zlib.compress(data, 6)
        if len(packed) < len(data):
            return "zlib", packed
    return "raw", data


def _unpack(codec: str, data: bytes) -> bytes:
    return zlib.decompress(data) if codec == "zlib" else bytes(data)
