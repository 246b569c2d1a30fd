"""Directories and files named in a suite, as trees of digests."""

from __future__ import annotations

import hashlib
import os
import stat
from collections.abc import Iterator
from pathlib import Path

from runner.domain import FileEntry, FileTree
from runner.suites.files.blobs import DiskBlobs
from runner.suites.text.mistakes import Mistakes
from runner.suites.text.nodes import Mark, is_encodable
from runner.suites.text.presence import is_folder, is_there

#: Made by tools when a suite is merely looked at or tried; they must not change a digest.
LEFT_OUT = frozenset({"__pycache__", ".DS_Store"})
#: A directory with more is most likely not the one that was meant.
MOST_FILES = 100_000


class Trees:
    """Reads each directory or file once, however many tasks share it."""

    def __init__(self, *, mistakes: Mistakes) -> None:
        self.blobs = DiskBlobs()
        self._mistakes = mistakes
        self._read: dict[Path, FileTree] = {}

    def tree(self, path: Path, mark: Mark) -> FileTree:
        """Describe a directory's files, or a single file under its own name.

        Links are followed to regular files inside the directory; all others, and special files,
        are mistakes. Directories called ``__pycache__`` are left out.
        """
        if path not in self._read:
            self._read[path] = self._described(path, mark)
        return self._read[path]

    def file(self, path: Path, name: str, mark: Mark) -> FileEntry | None:
        """Describe one file under a given path of the tree to be."""
        try:
            found = path.stat()
            if not stat.S_ISREG(found.st_mode):
                self._mistakes.add(mark, f"{path} is not a regular file", hint="Name a file.")
                return None
            with path.open("rb") as stream:
                digest = hashlib.file_digest(stream, "sha256").hexdigest()
        except FileNotFoundError:
            self._mistakes.add(mark, f"{path} does not exist", hint="Correct the path.")
            return None
        except (OSError, ValueError) as error:
            reason = getattr(error, "strerror", None) or error
            self._mistakes.add(mark, f"{str(path)!r} cannot be read: {reason}")
            return None
        self.blobs.keep(digest, path)
        executable = bool(found.st_mode & stat.S_IXUSR)
        return FileEntry(path=name, digest=digest, size=found.st_size, executable=executable)

    def _described(self, path: Path, mark: Mark) -> FileTree:
        if not is_folder(path):
            entry = self.file(path, path.name, mark)
            return FileTree((entry,) if entry else ())
        entries: list[FileEntry] = []
        for found, name in self._walk(path, mark):
            if len(entries) == MOST_FILES:
                told = f"{path} holds more than {MOST_FILES:,} files"
                self._mistakes.add(mark, told, hint="Name a smaller directory, or pack the files.")
                break
            entry = self.file(found, name, mark)
            if entry:
                entries.append(entry)
        return FileTree(tuple(entries))

    def _walk(self, root: Path, mark: Mark) -> Iterator[tuple[Path, str]]:
        inside = root.resolve()
        # A list in place of recursion: directories may nest deeper than Python's stack.
        waiting = [root]
        while waiting:
            directory = waiting.pop()
            for entry in self._scan(directory, mark):
                path = directory / entry.name
                if entry.name in LEFT_OUT:
                    continue
                if entry.is_dir(follow_symlinks=False):
                    waiting.append(path)
                elif self._may_be_read(path, inside, mark):
                    yield path, path.relative_to(root).as_posix()

    def _scan(self, directory: Path, mark: Mark) -> list[os.DirEntry[str]]:
        try:
            with os.scandir(directory) as found:
                return sorted(found, key=lambda entry: entry.name)
        except OSError as error:
            self._mistakes.add(mark, f"{directory} cannot be read: {error.strerror}")
            return []

    def _may_be_read(self, path: Path, inside: Path, mark: Mark) -> bool:
        if not is_encodable(str(path)):
            self._mistakes.add(mark, f"{str(path)!r} has a name that is not UTF-8")
            return False
        if not path.is_symlink():
            return True
        target = Path(os.path.realpath(path))
        if target.is_relative_to(inside) and is_there(target) and not is_folder(target):
            return True
        if not target.is_relative_to(inside):
            what = "points outside its directory"
        else:
            what = "points to a directory" if is_folder(target) else "points to nothing"
        self._mistakes.add(
            mark, f"the link {path} {what}", hint="Put a copy of the file in its place."
        )
        return False
