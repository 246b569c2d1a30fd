"""What may stand in a suite file for a grader of the kind ``answer``, the key included."""

from __future__ import annotations

import re
from enum import StrEnum
from typing import Literal, Self

from pydantic import BaseModel, ConfigDict, field_validator, model_validator

from graders.answer.choice import as_labels
from graders.answer.items import key_items
from graders.answer.number import Quantity, Units, UnreadableNumberError, read_whole
from graders.answer.spelling import fold, is_too_long, says_something
from graders.answer.statement import unwrapped


class Match(StrEnum):
    """How an answer is compared with the key."""

    NUMBER = "number"
    EXACT = "exact"
    CHOICE = "choice"
    SET = "set"
    LIST = "list"


class AnswerSettings(BaseModel):
    """The settings of an ``answer`` grader.

    Attributes:
        expect: The key; a list where the match is ``set`` or ``list``.
        match: Left out, it is ``number`` for a key that is a plain number (`-3`, `2.5`; not `007`
            or `1.10`) and ``exact`` for any other.
        tolerance: For numbers: the most that an answer may differ, absolute (`0.01`) or of the key
            (`1%`), bounds included; left out, only what binary floats blur is forgiven.
        units: For numbers: words that may stand beside it (`[km, USD]`), or `any`.
        ignore_case: For texts: whether capital and small letters are one.
        choices: For ``choice``: the labels, or labels with their texts; left out, single letters.
        items: For ``set`` and ``list``: whether items are compared as texts or as numbers.
    """

    model_config = ConfigDict(extra="forbid", frozen=True)

    expect: str | tuple[str, ...]
    match: Match = Match.EXACT
    tolerance: str | None = None
    units: str | tuple[str, ...] = ()
    ignore_case: bool = True
    choices: tuple[str, ...] | dict[str, str] | None = None
    items: Literal["text", "number"] = "text"

    @field_validator("tolerance")
    @classmethod
    def _check_tolerance(cls, tolerance: str | None) -> str | None:
        if tolerance is None:
            return None
        quantity = _read_key(tolerance, ())
        if quantity is None or quantity.money or quantity.value < 0:
            raise ValueError(f"{tolerance!r} is no tolerance; write one as 0.01 or 1%")
        return tolerance

    @field_validator("units")
    @classmethod
    def _check_units(cls, units: str | tuple[str, ...]) -> str | tuple[str, ...]:
        for unit in (units,) if isinstance(units, str) else units:
            if not unit.strip() or unit != unit.strip() or re.search(r"\d", unit):
                raise ValueError(f"{unit!r} is no unit: write a word or sign without digits")
        return units

    @model_validator(mode="after")
    def _choose_match(self) -> Self:
        chosen = "match" in self.model_fields_set or isinstance(self.expect, tuple)
        if not chosen and _PLAIN_NUMBER.fullmatch(str(self.expect).strip()):
            object.__setattr__(self, "match", Match.NUMBER)  # frozen, and not handed out yet
        return self

    @model_validator(mode="after")
    def _check_key(self) -> Self:
        self._check_that_settings_apply()
        keys = (self.expect,) if isinstance(self.expect, str) else self.expect
        if any(is_too_long(key) for key in keys):
            raise ValueError("the key is longer than any answer that is read")
        if not keys or not all(says_something(key) for key in keys):
            raise ValueError(
                f"the key {self.expect!r} is empty or holds only punctuation; every silent agent"
                " would match it"
            )
        if isinstance(self.expect, tuple) and self.match not in _OF_ITEMS:
            raise ValueError(f"a list as `expect` needs match: set or list, not {self.match}")
        match self.match:
            case Match.NUMBER:
                self.number_key()
            case Match.CHOICE:
                self._check_choice()
            case Match.SET | Match.LIST:
                self._check_items()
            case Match.EXACT:
                pass
        return self

    @property
    def unit_words(self) -> Units:
        """Give the units as the reading of numbers wants them."""
        if isinstance(self.units, str):
            return "any" if self.units == "any" else (self.units,)
        return self.units

    def number_key(self) -> Quantity:
        """Give the key of ``match: number`` as a number.

        Raises:
            ValueError: If it is none.
        """
        quantity = _read_key(str(self.expect), self.unit_words)
        if quantity is None:
            raise ValueError(
                f"the key {self.expect!r} is not a number; correct it, list its unit in `units`,"
                " or use match: exact"
            )
        return quantity

    def item_keys(self) -> tuple[str, ...]:
        """Give the items of the key of ``match: set`` or ``list``."""
        return key_items(self.expect)

    def _check_choice(self) -> None:
        labels = as_labels(self.choices)
        folded = [fold(label, ignore_case=self.ignore_case) for label in labels]
        if len(set(folded)) < len(folded):
            raise ValueError("two of the `choices` are the same")
        key = fold(str(self.expect), ignore_case=self.ignore_case)
        if key not in folded:
            hint = ", ".join(labels) if self.choices else "a single letter; or list the `choices`"
            raise ValueError(f"the key {self.expect!r} is none of the choices: {hint}")

    def _check_items(self) -> None:
        items = self.item_keys()
        if not items or not all(says_something(item) for item in items):
            raise ValueError(f"the key {self.expect!r} has an empty item")
        most = _MOST_NUMBERS if self.items == "number" else _MOST_TEXTS
        if len(items) > most:
            raise ValueError(f"the key has {len(items)} items, more than {most}")
        if self.items == "number":
            bad = [item for item in items if _read_key(item, self.unit_words) is None]
            if bad:
                raise ValueError(f"the item {bad[0]!r} of the key is not a number")
        folded = {fold(item, ignore_case=self.ignore_case) for item in items}
        if self.match is Match.SET and len(folded) < len(items):
            raise ValueError(f"the key {self.expect!r} holds an item twice")

    def _check_that_settings_apply(self) -> None:
        of_numbers = self.match is Match.NUMBER or self.items == "number"
        misplaced = {
            "tolerance": self.tolerance is not None and not of_numbers,
            "units": bool(self.units) and not of_numbers,
            "choices": self.choices is not None and self.match is not Match.CHOICE,
            "items": self.items == "number" and self.match not in _OF_ITEMS,
            "ignore_case": not self.ignore_case and self.match is Match.NUMBER,
        }
        for name, wrong in misplaced.items():
            if wrong:
                raise ValueError(f"`{name}` does not apply to match: {self.match}")


_OF_ITEMS = frozenset({Match.SET, Match.LIST})
_MOST_TEXTS, _MOST_NUMBERS = 1000, 200
_PLAIN_NUMBER = re.compile(r"-?(?:0|[1-9]\d*)(?:\.\d*[1-9])?")


def _read_key(text: str, units: Units) -> Quantity | None:
    """Read a number that the suite's author wrote.

    Raises:
        ValueError: If it is too large to be compared.
    """
    try:
        readings = (read_whole(reading, units=units) for reading in unwrapped(text))
        return next((quantity for quantity in readings if quantity is not None), None)
    except UnreadableNumberError as error:
        raise ValueError(f"{text[:40]!r} is not a number: {error}") from error
