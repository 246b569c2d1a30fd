"""Which names a sweep may have: those that a command line cannot take for something else."""

from __future__ import annotations

from runner.errors import UsageError

_HINT = "Choose a --name of letters, digits, dots, dashes and the like."


def check_sweep_name(name: str) -> None:
    """Refuse a name that is empty, a number, a flag, a path, or not printable.

    Raises:
        UsageError: With what is wrong with it.
    """
    if not name.strip():
        raise UsageError("the sweep's name is empty", hint=_HINT)
    if name.isdigit():
        raise UsageError(
            f"the sweep's name {name!r} could be taken for another sweep's number", hint=_HINT
        )
    if name.startswith("-"):
        raise UsageError(f"the sweep's name {name!r} could be taken for a flag", hint=_HINT)
    if "/" in name:
        raise UsageError(
            f"the sweep's name {name!r} holds '/', which stands between a sweep and its parts",
            hint=_HINT,
        )
    if not name.isprintable():
        raise UsageError(
            f"the sweep's name {name!r} holds characters that cannot be shown", hint=_HINT
        )
