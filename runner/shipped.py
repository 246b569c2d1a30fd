"""Where the files lie that ship with runner, in the wheel or in a checkout."""

from __future__ import annotations

from pathlib import Path


def shipped(*parts: str) -> Path:
    """Find a file or folder that ships with runner, for example ``shipped("tasks", "warmup")``.

    The path exists in every install; whether the last parts do is for the caller to see.
    """
    root = checkout() or _PACKAGE / "_shipped"
    return root.joinpath(*parts)


def checkout() -> Path | None:
    """Give the folder of the checkout that runner is imported from; None for an install."""
    root = _PACKAGE.parent
    return root if (root / "pyproject.toml").is_file() and (root / "migrations").is_dir() else None


_PACKAGE = Path(__file__).resolve().parent
