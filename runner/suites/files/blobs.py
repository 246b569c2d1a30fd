"""The bytes behind a suite's digests, left on disk until somebody asks for them."""

from __future__ import annotations

from collections.abc import Iterable
from pathlib import Path

from runner.domain import digest_bytes
from runner.errors import UsageError


class DiskBlobs:
    """A ``BlobSource`` over the files that a suite names; holds paths, no contents."""

    def __init__(self) -> None:
        self._paths: dict[str, Path] = {}

    def keep(self, digest: str, path: Path) -> None:
        """Remember where the content with a digest is."""
        self._paths.setdefault(digest, path)

    @property
    def digests(self) -> Iterable[str]:
        """Give every digest that can be read, each once."""
        return self._paths.keys()

    def read(self, digest: str) -> bytes:
        """Read the content with this digest from its file.

        Raises:
            KeyError: If no file of the suite has it.
            UsageError: If the file is gone or has changed since the suite was loaded.
        """
        path = self._paths[digest]
        try:
            data = path.read_bytes()
        except OSError as error:
            raise UsageError(
                f"{path} cannot be read any more: {error.strerror}",
                hint="Put the file back, and leave a suite's files alone while it is launched.",
            ) from error
        if digest_bytes(data) != digest:
            raise UsageError(
                f"{path} has changed since the suite was loaded",
                hint="Start again, and leave a suite's files alone while it is launched.",
            )
        return data
