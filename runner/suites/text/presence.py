"""What stands at a path, also where nobody may look."""

from __future__ import annotations

from pathlib import Path


def is_there(path: Path) -> bool:
    """Tell whether a path leads to anything; one that is too long or holds a NUL does not.

    What may not be looked at is there: whoever reads it says why it cannot be read.
    """
    try:
        path.stat()
    except PermissionError:
        return True
    except (OSError, ValueError):
        return False
    return True


def is_folder(path: Path) -> bool:
    """Tell whether a path leads to a directory; unlike ``Path.is_dir`` it never raises."""
    try:
        return path.is_dir()
    except OSError:
        return False


def why_hidden(path: Path) -> str | None:
    """Say why a path may not be looked at, if it is so."""
    try:
        path.stat()
    except PermissionError as error:
        return error.strerror
    except (OSError, ValueError):
        return None
    return None
