"""The contents of a sweep's files, read from the ledger while it runs.

Trials never read the suite's own files: whoever edits those in mid-run changes nothing.
"""

from __future__ import annotations

import threading
from collections import OrderedDict

from sqlalchemy.exc import DBAPIError

from runner.ledger.store.address import LedgerAddress
from runner.ledger.store.blobs import read_blob
from runner.ledger.store.connect import explain, read_engine

_MOST_CACHED_BYTES = 64 << 20


class LedgerBlobs:
    """A source of blobs over a ledger, safe to use from many threads, with a bounded cache."""

    def __init__(self, address: LedgerAddress) -> None:
        self._address = address
        self._engine = read_engine(address)
        self._lock = threading.Lock()
        self._cache: OrderedDict[str, bytes] = OrderedDict()
        self._cached_bytes = 0

    def read(self, digest: str) -> bytes:
        """Give the content with this digest.

        Raises:
            KeyError: If the ledger does not hold it.
            LedgerError: If the ledger cannot be read.
        """
        with self._lock:
            if digest in self._cache:
                self._cache.move_to_end(digest)
                return self._cache[digest]
            try:
                with self._engine.connect() as connection:
                    data = read_blob(connection, digest)
            except DBAPIError as error:
                raise explain(error, self._address) from error
            self._keep(digest, data)
            return data

    def _keep(self, digest: str, data: bytes) -> None:
        self._cache[digest] = data
        self._cached_bytes += len(data)
        while self._cached_bytes > _MOST_CACHED_BYTES:
            _, dropped = self._cache.popitem(last=False)
            self._cached_bytes -= len(dropped)
