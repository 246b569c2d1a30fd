"""Which ids and names can be told apart by people, files and command lines."""

from __future__ import annotations

import unicodedata

from runner.suites.text.mistakes import Mistakes
from runner.suites.text.nodes import Mark

_LINE_ENDS = frozenset("\n\r\0\x0b\x0c\x1c\x1d\x1e\x85\u2028\u2029")


def is_sound_name(name: str, mark: Mark, *, what: str, mistakes: Mistakes) -> bool:
    """Refuse a name that is empty or breaks a line; any other text is taken as it is."""
    if not name.strip():
        mistakes.add(mark, f"{what} is empty", hint="Write a name.")
        return False
    if not _LINE_ENDS.isdisjoint(name):
        mistakes.add(
            mark, f"{what} {name!r} holds a line end or a NUL", hint="Write it on one line."
        )
        return False
    return True


class TakenNames:
    """Names seen so far; twins that look the same are one name."""

    def __init__(self, what: str, *, mistakes: Mistakes) -> None:
        self._what = what
        self._mistakes = mistakes
        self._seen: dict[str, tuple[str, Mark]] = {}

    def take(self, name: str, mark: Mark) -> bool:
        """Note a name; refuse it if it is there already, also in another Unicode form."""
        same = unicodedata.normalize("NFC", name)
        first, first_mark = self._seen.setdefault(same, (name, mark))
        if first_mark is mark:
            return True
        told = f"{self._what} {name!r} is there twice"
        if first != name:
            told = f"{self._what} {name!r} and {first!r} differ only in their Unicode form"
        self._mistakes.add(mark, f"{told}, first at {first_mark}", hint="Rename one of them.")
        return False


def says_nothing(key: str) -> bool:
    """Tell whether an expected answer holds no letter, digit or symbol.

    An agent that stays silent would match such a key once both are normalised.
    """
    return not any(unicodedata.category(char)[0] in "LNS" for char in key)
