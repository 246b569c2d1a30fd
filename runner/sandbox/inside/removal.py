"""Remove a tree that a stranger left, however deep, following no link."""

from __future__ import annotations

import os
import stat

OPEN_DIRECTORY = os.O_RDONLY | os.O_DIRECTORY | os.O_NOFOLLOW | os.O_CLOEXEC


def remove_tree(path: str | bytes, *, at: int | None = None) -> bool:
    """Remove a file or a whole directory; tell whether it is gone.

    What is not the caller's to remove stays. Nothing may change the tree meanwhile.
    """
    try:
        if stat.S_ISDIR(os.lstat(path, dir_fd=at).st_mode):
            _empty(path, at)
            os.rmdir(path, dir_fd=at)
        else:
            os.unlink(path, dir_fd=at)
    except FileNotFoundError:
        return True
    except OSError:
        return False
    return True


def names_in(directory: str | int) -> list[str]:
    """Give the names in a directory."""
    with os.scandir(directory) as entries:
        return [entry.name for entry in entries]


def _empty(path: str | bytes, at: int | None) -> None:
    # Directories below are lifted to the top one by one, so that depth costs neither recursion nor
    # descriptors.
    top = _open(path, at)
    lifted = 0
    try:
        while names := names_in(top):
            for name in names:
                if not stat.S_ISDIR(os.lstat(name, dir_fd=top).st_mode):
                    os.unlink(name, dir_fd=top)
                    continue
                lifted = _lift(name, top, lifted)
                os.rmdir(name, dir_fd=top)
    finally:
        os.close(top)


def _lift(name: str, top: int, lifted: int) -> int:
    inner = _open(name, top)
    try:
        for below in names_in(inner):
            if stat.S_ISDIR(os.lstat(below, dir_fd=inner).st_mode):
                os.chmod(below, 0o700, dir_fd=inner)
                lifted = _free_number(top, lifted)
                os.rename(below, f".lifted-{lifted}", src_dir_fd=inner, dst_dir_fd=top)
            else:
                os.unlink(below, dir_fd=inner)
    finally:
        os.close(inner)
    return lifted


def _free_number(top: int, number: int) -> int:
    number += 1
    while True:
        try:
            os.lstat(f".lifted-{number}", dir_fd=top)
        except FileNotFoundError:
            return number
        number += 1


def _open(path: str | bytes, at: int | None) -> int:
    os.chmod(path, 0o700, dir_fd=at)
    return os.open(path, OPEN_DIRECTORY, dir_fd=at)
