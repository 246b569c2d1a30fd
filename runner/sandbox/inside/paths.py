"""Open what a stranger's tree holds without following its links."""

from __future__ import annotations

import os
import stat

from runner.sandbox.inside.removal import OPEN_DIRECTORY, remove_tree

_OPEN_FILE = os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK | os.O_NOCTTY | os.O_CLOEXEC
_CREATE = os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_NOFOLLOW | os.O_CLOEXEC
_APPEND = os.O_WRONLY | os.O_APPEND | os.O_NOFOLLOW | os.O_NONBLOCK | os.O_CLOEXEC


def open_regular(name: str | bytes, directory: int) -> int:
    """Open a regular file for reading; a FIFO or a device neither blocks nor opens.

    Raises:
        OSError: If it is no regular file or cannot be read.
    """
    descriptor = os.open(name, _OPEN_FILE, dir_fd=directory)
    if stat.S_ISREG(os.fstat(descriptor).st_mode):
        return descriptor
    os.close(descriptor)
    raise OSError(0, "not a regular file")


def open_below(root: bytes, path: bytes) -> int:
    """Open a regular file below ``root``; links that stay below it are followed.

    Raises:
        OSError: If there is no such file, or it lies outside.
    """
    real = os.path.realpath(os.path.join(root, path))  # noqa: PTH118 - see ``removal``
    if not real.startswith(root + b"/"):
        raise OSError(0, "outside of the sandbox's own directories")
    # The links are resolved by now, so a link met here was put in between.
    parts = real[len(root) + 1 :].split(b"/")
    directory = os.open(root, OPEN_DIRECTORY)
    try:
        for part in parts[:-1]:
            directory = _exchange(directory, os.open(part, OPEN_DIRECTORY, dir_fd=directory))
        return open_regular(parts[-1], directory)
    finally:
        os.close(directory)


def create_below(root: bytes, path: bytes, *, executable: bool) -> int:
    """Create a file below ``root`` and the directories it needs, replacing what is in the way.

    Raises:
        OSError: If it cannot be created.
    """
    directory, name = _make_way(root, path)
    try:
        if not remove_tree(name, at=directory):
            raise OSError(0, "what is there cannot be removed")
        mode = 0o755 if executable else 0o644
        descriptor = os.open(name, _CREATE, mode, dir_fd=directory)
        os.fchmod(descriptor, mode)
    finally:
        os.close(directory)
    return descriptor


def append_below(root: bytes, path: bytes) -> int:
    """Open a file that ``create_below`` made, for more of its data.

    Raises:
        OSError: If it is gone or no longer a regular file.
    """
    directory, name = _make_way(root, path)
    try:
        descriptor = os.open(name, _APPEND, dir_fd=directory)
    finally:
        os.close(directory)
    if not stat.S_ISREG(os.fstat(descriptor).st_mode):
        raise OSError(0, "not a regular file")
    return descriptor


def _make_way(root: bytes, path: bytes) -> tuple[int, bytes]:
    """Open the directory that is to hold ``path`` and give the last part of its name."""
    parts = [part for part in path.split(b"/") if part not in {b"", b"."}]
    if not parts or b".." in parts:
        raise OSError(0, "not a path below the directory")
    directory = os.open(root, OPEN_DIRECTORY)
    try:
        for part in parts[:-1]:
            directory = _exchange(directory, _enter(part, directory))
    except OSError:
        os.close(directory)
        raise
    return directory, parts[-1]


def _enter(name: bytes, directory: int) -> int:
    try:
        inner = os.open(name, OPEN_DIRECTORY, dir_fd=directory)
    except (FileNotFoundError, NotADirectoryError, PermissionError):
        inner = _replace_by_directory(name, directory)
    mode = os.fstat(inner).st_mode
    if mode & 0o300 != 0o300:
        os.fchmod(inner, stat.S_IMODE(mode) | 0o700)
    return inner


def _replace_by_directory(name: bytes, directory: int) -> int:
    try:
        mode = os.stat(name, dir_fd=directory, follow_symlinks=False).st_mode
    except FileNotFoundError:
        mode = 0
    if stat.S_ISDIR(mode):
        os.chmod(name, 0o700, dir_fd=directory)
    else:
        if mode and not remove_tree(name, at=directory):
            raise OSError(0, "what is there cannot be removed")
        os.mkdir(name, 0o755, dir_fd=directory)
    return os.open(name, OPEN_DIRECTORY, dir_fd=directory)


def _exchange(old: int, new: int) -> int:
    os.close(old)
    return new
