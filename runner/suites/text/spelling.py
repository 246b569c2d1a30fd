"""The nearest name to one that does not exist."""

from __future__ import annotations

import difflib
from collections.abc import Iterable


def nearest_name(name: str, known: Iterable[str]) -> str | None:
    """Give the known name most like this one, or None if none is near."""
    folded = {candidate.casefold(): candidate for candidate in known}
    near = difflib.get_close_matches(name.casefold(), folded, n=1, cutoff=0.6)
    return folded[near[0]] if near else None


def spelling_hint(name: str, known: Iterable[str]) -> str:
    """Say in one sentence what to write instead: the nearest name, or all there are."""
    names = list(known)
    near = nearest_name(name, names)
    if near is not None:
        return f"Did you mean {near!r}?"
    if not names:
        return "There is none to choose from."
    shown = ", ".join(names[:_MOST_SHOWN])
    more = len(names) - _MOST_SHOWN
    return f"Choose from: {shown}" + (f" and {more} more." if more > 0 else ".")


_MOST_SHOWN = 20
