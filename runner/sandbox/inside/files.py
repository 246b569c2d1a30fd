"""Lay files out and hand them over, as a worker with a command's own rights."""

from __future__ import annotations

import os
import stat

from runner.sandbox.inside.paths import append_below, create_below, open_below, open_regular
from runner.sandbox.inside.removal import OPEN_DIRECTORY, names_in

#: Exit statuses of the workers.
DONE = 0
REFUSED = 1

_DEEPEST = 100
_MOST_ENTRIES = 200_000
_MOST_NAMED = 1000
_PIECE = 1 << 18


def put(root: bytes) -> int:
    """Write the files that come on standard input to below ``root``.

    A file comes as ``kind path-length data-length`` and a newline, then its path and its data. The
    kind is ``x`` or ``-`` for an executable or another file, ``a`` for more of the last one.
    """
    with os.fdopen(0, "rb") as stream:
        for header in iter(stream.readline, b""):
            kind, path_length, data_length = header.split()
            path = stream.read(int(path_length))
            data = stream.read(int(data_length))
            try:
                _write_file(root, path, data, kind=kind)
            except OSError as error:
                os.write(2, path + b": " + str(error.strerror).encode())
                return REFUSED
    return DONE


def read(root: bytes, path: bytes, most_bytes: int) -> int:
    """Write at most ``most_bytes`` of a regular file to standard output."""
    try:
        descriptor = open_below(root, path)
    except (OSError, ValueError) as error:
        os.write(2, str(getattr(error, "strerror", error)).encode())
        return REFUSED
    while most_bytes > 0 and (piece := os.read(descriptor, min(_PIECE, most_bytes))):
        write_all(1, piece)
        most_bytes -= len(piece)
    return DONE


def take(root: bytes, most_bytes: int, most_files: int) -> int:
    """Write all regular files below ``root`` to standard output, and what is left out with why.

    They come as ``put`` reads them; the kind ``!`` is something left out, its data the reason.
    """
    taking = _Taking(most_bytes, most_files)
    taking.directory(os.open(root, OPEN_DIRECTORY), b"", depth=0)
    taking.finish()
    return DONE


def write_all(descriptor: int, data: bytes) -> None:
    """Write all of it, however small the pipe."""
    view = memoryview(data)
    while view:
        view = view[os.write(descriptor, view) :]


class _Taking:
    """One walk, with what is left of its caps."""

    __slots__ = ("bytes_left", "entries_left", "files_left", "left_out")

    def __init__(self, most_bytes: int, most_files: int) -> None:
        self.bytes_left = most_bytes
        self.files_left = most_files
        self.entries_left = _MOST_ENTRIES
        self.left_out = 0

    def directory(self, descriptor: int, prefix: bytes, *, depth: int) -> None:
        """Take what is in an open directory and below; closes it."""
        for name in sorted(map(os.fsencode, names_in(descriptor))):
            self.entries_left -= 1
            if self.entries_left < 0:
                break
            try:
                self._entry(name, descriptor, prefix + name, depth)
            except OSError as error:
                self._leave_out(prefix + name, error.strerror or "unreadable")
        os.close(descriptor)

    def finish(self) -> None:
        """Say what could not be named one by one."""
        if self.left_out > _MOST_NAMED:
            _emit(b"!", b".", b"%d more were left out" % (self.left_out - _MOST_NAMED))
        if self.entries_left < 0:
            _emit(b"!", b".", b"more than %d entries" % _MOST_ENTRIES)

    def _entry(self, name: bytes, directory: int, path: bytes, depth: int) -> None:
        status = os.stat(name, dir_fd=directory, follow_symlinks=False)
        if stat.S_ISREG(status.st_mode):
            self._file(name, directory, path, status)
        elif not stat.S_ISDIR(status.st_mode):
            kind = "a link" if stat.S_ISLNK(status.st_mode) else "not a regular file"
            self._leave_out(path, kind)
        elif depth == _DEEPEST:
            self._leave_out(path, "too deep")
        else:
            below = os.open(name, OPEN_DIRECTORY, dir_fd=directory)
            self.directory(below, path + b"/", depth=depth + 1)

    def _file(self, name: bytes, directory: int, path: bytes, status: os.stat_result) -> None:
        if self.files_left == 0:
            self._leave_out(path, "over the limit on files")
            return
        # A sparse file's size is free, so it is looked at before anything is read.
        if status.st_size > self.bytes_left:
            self._leave_out(path, "over the limit on bytes")
            return
        with os.fdopen(open_regular(name, directory), "rb") as file:
            data = file.read(status.st_size)
        self.files_left -= 1
        self.bytes_left -= len(data)
        _emit(b"x" if status.st_mode & stat.S_IXUSR else b"-", path, data)

    def _leave_out(self, path: bytes, reason: str) -> None:
        self.left_out += 1
        if self.left_out <= _MOST_NAMED:
            _emit(b"!", path, reason.encode())


def _emit(kind: bytes, path: bytes, data: bytes) -> None:
    write_all(1, b"%s %d %d\n" % (kind, len(path), len(data)) + path)
    write_all(1, data)


def _write_file(root: bytes, path: bytes, data: bytes, *, kind: bytes) -> None:
    if kind == b"a":
        descriptor = append_below(root, path)
    else:
        descriptor = create_below(root, path, executable=kind == b"x")
    try:
        write_all(descriptor, data)
    finally:
        os.close(descriptor)
