"""Typed reading of a map's keys; whatever does not fit is noted with its line."""

from __future__ import annotations

from collections.abc import Collection

from runner.suites.text.mistakes import Mistakes
from runner.suites.text.nodes import (
    OWN_PREFIX,
    Items,
    Mapping,
    Mark,
    Node,
    Scalar,
    Style,
    number_of,
)
from runner.suites.text.spelling import spelling_hint
from runner.suites.values.amounts import bytes_of, nusd_of


class Keys:
    """A map's keys, each read by the type it must have.

    Every reader gives None for a key that is not there and, after noting it, for a mistake.
    """

    def __init__(self, mapping: Mapping, mistakes: Mistakes) -> None:
        self.mapping = mapping
        self._mistakes = mistakes

    def check_known(self, known: Collection[str], *, owner: str) -> None:
        """Note each key that is neither known nor the user's own."""
        for name, entry in self.mapping.entries.items():
            if name not in known and not name.startswith(OWN_PREFIX):
                self._mistakes.add(
                    entry.mark, f"unknown key {name!r} in {owner}", hint=spelling_hint(name, known)
                )

    def mark(self, name: str) -> Mark:
        """Give the place of a key."""
        return self.mapping.mark_of(name)

    def has(self, name: str) -> bool:
        """Tell whether a key is there, whatever its value."""
        return name in self.mapping.entries

    def is_null(self, name: str) -> bool:
        """Tell whether a key says that there is no value."""
        node = self.mapping.get(name)
        return isinstance(node, Scalar) and node.is_null

    def text(self, name: str) -> str | None:
        """Read text as it is written: ``1.10``, ``007`` and ``NO`` stay what they are."""
        node = self._node(name)
        if node is None:
            return None
        if not isinstance(node, Scalar):
            self.refuse(name, "is not text", hint="Write one word or a text.")
            return None
        if node.is_null:
            self.refuse(name, "has no value", hint='Write a value; quote it if it is "null".')
            return None
        return node.text

    def texts(self, name: str) -> tuple[str, ...] | None:
        """Read a list of texts, each as it is written."""
        node = self._node(name)
        if node is None:
            return None
        if isinstance(node, Items) and all(isinstance(i, Scalar) for i in node.items):
            return tuple(item.text for item in node.items if isinstance(item, Scalar))
        self.refuse(name, "is not a list of words", hint=f"Write {name}: [one, two].")
        return None

    def integer(self, name: str, *, least: int, most: int) -> int | None:
        """Read a whole number within bounds."""
        scalar = self._unquoted(name, "a whole number")
        number = number_of(scalar.text) if scalar else None
        if scalar is None:
            return None
        if not isinstance(number, int):
            self.refuse(name, f"{scalar.text!r} is not a whole number")
            return None
        return number if self._is_within(name, number, least, most) else None

    def number(self, name: str, *, above: float, most: float) -> float | None:
        """Read a number that is greater than one bound and at most the other."""
        scalar = self._unquoted(name, "a number")
        number = number_of(scalar.text) if scalar else None
        if scalar is None:
            return None
        if number is None:
            self.refuse(name, f"{scalar.text!r} is not a number")
            return None
        if not above < number <= most:
            self.refuse(name, f"{scalar.text} is not above {above:g} and at most {most:,.10g}")
            return None
        return float(number)

    def flag(self, name: str) -> bool | None:
        """Read ``true`` or ``false``; nothing else, and nothing in quotes, is either."""
        scalar = self._unquoted(name, "true or false")
        if scalar is None:
            return None
        if scalar.text.lower() not in ("true", "false"):
            self.refuse(name, f"{scalar.text!r} is neither true nor false")
            return None
        return scalar.text.lower() == "true"

    def choice(self, name: str, choices: Collection[str]) -> str | None:
        """Read one of some words."""
        text = self.text(name)
        if text is not None and text not in choices:
            hint = spelling_hint(text, choices)
            self.refuse(name, f"{text!r} is not one of {', '.join(choices)}", hint=hint)
            return None
        return text

    def bytes(self, name: str) -> int | None:
        """Read a size such as ``512MiB``, in bytes."""
        text = self.text(name)
        size = bytes_of(text) if text is not None else None
        if text is not None and size is None:
            hint = "Write a whole or decimal number and a unit: 512MiB, 1.5GiB or 2GB."
            self.refuse(name, f"{text!r} is not a size", hint=hint)
        return size

    def nusd(self, name: str) -> int | None:
        """Read dollars, exact to the nano-dollar, in nano-dollars."""
        scalar = self._unquoted(name, "an amount of dollars")
        amount = nusd_of(scalar.text) if scalar else None
        if scalar is not None and amount is None:
            hint = "Write dollars as a number of at least 0, with at most 9 decimals: 0.05."
            self.refuse(name, f"{scalar.text!r} is not an amount of dollars", hint=hint)
        return amount

    def submapping(self, name: str) -> Mapping | None:
        """Read a map."""
        node = self._node(name)
        if node is None or isinstance(node, Mapping):
            return node
        self.refuse(name, "is not a map", hint=f"Write {name}: {{key: value}}.")
        return None

    def items(self, name: str) -> Items | None:
        """Read a list."""
        node = self._node(name)
        if node is None or isinstance(node, Items):
            return node
        self.refuse(name, "is not a list", hint=f"Write {name}: [one, two], or a line with '-'.")
        return None

    def refuse(self, name: str, what: str, *, hint: str | None = None) -> None:
        """Note a mistake in a key's value."""
        self._mistakes.add(self.mark(name), f"{name}: {what}", hint=hint)

    def _node(self, name: str) -> Node | None:
        return self.mapping.get(name)

    def _unquoted(self, name: str, wanted: str) -> Scalar | None:
        node = self._node(name)
        if node is None:
            return None
        if not isinstance(node, Scalar) or node.is_null:
            self.refuse(name, f"is not {wanted}")
            return None
        if node.style is Style.QUOTED:
            self.refuse(
                name, f"{node.text!r} in quotes is text, not {wanted}", hint="Remove the quotes."
            )
            return None
        return node

    def _is_within(self, name: str, number: int, least: int, most: int) -> bool:
        if number < least:
            self.refuse(name, f"{number} is below {least}", hint=f"Write at least {least}.")
        elif number > most:
            self.refuse(name, f"{number} is above {most}", hint=f"Write at most {most}.")
        return least <= number <= most
