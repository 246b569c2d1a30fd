"""Trees of files as values: names and digests here, the bytes wherever a source keeps them."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from typing import Protocol

from runner.domain.json import Json, digest_bytes, digest_json


@dataclass(frozen=True, slots=True, kw_only=True)
class FileEntry:
    """One regular file of a tree.

    Attributes:
        path: Relative, with forward slashes, never absolute and never holding ``..``.
        digest: SHA-256 of the content.
        size: Bytes.
        executable: Whether the owner may execute it; no other mode bit is kept.
    """

    path: str
    digest: str
    size: int
    executable: bool = False


@dataclass(frozen=True, slots=True)
class FileTree:
    """A set of files, in path order; directories exist only through the files in them."""

    entries: tuple[FileEntry, ...] = ()

    def __post_init__(self) -> None:
        object.__setattr__(self, "entries", tuple(sorted(self.entries, key=lambda e: e.path)))

    def __bool__(self) -> bool:
        return bool(self.entries)

    def canonical(self) -> Json:
        """Give the tree as JSON: what digests are taken of and what the ledger keeps."""
        return [
            {"path": e.path, "digest": e.digest, "size": e.size, "executable": e.executable}
            for e in self.entries
        ]

    @property
    def digest(self) -> str:
        """Give one digest for all names, contents and execute bits."""
        return digest_json(self.canonical())


class BlobSource(Protocol):
    """Where the bytes behind a digest can be read."""

    def read(self, digest: str) -> bytes:
        """Give the content with this digest.

        Raises:
            KeyError: If there is none.
        """
        ...


@dataclass(frozen=True, slots=True, kw_only=True)
class FileContent:
    """A file with its bytes, as taken out of a sandbox or put into one."""

    path: str
    data: bytes
    executable: bool = False


def tree_of(files: Iterable[FileContent]) -> FileTree:
    """Describe files by their digests."""
    return FileTree(
        tuple(
            FileEntry(
                path=file.path,
                digest=digest_bytes(file.data),
                size=len(file.data),
                executable=file.executable,
            )
            for file in files
        )
    )


def contents_of(tree: FileTree, source: BlobSource) -> tuple[FileContent, ...]:
    """Read all files of a tree, in path order.

    Raises:
        KeyError: If the source does not hold one of them.
    """
    return tuple(
        FileContent(path=entry.path, data=source.read(entry.digest), executable=entry.executable)
        for entry in tree.entries
    )
