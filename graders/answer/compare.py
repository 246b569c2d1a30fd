"""When an answer's parts equal the key's."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction

from graders.answer.number import Quantity, UnreadableNumberError, read_whole
from graders.answer.settings import AnswerSettings
from graders.answer.spelling import fold
from graders.answer.statement import unwrapped


def same_text(key: str, text: str, settings: AnswerSettings) -> bool:
    """Tell whether a text, in one of its wrappers or none, is the key."""
    return fold(key, ignore_case=settings.ignore_case) in _spellings(text, settings)


def same_quantity(key: Quantity, quantity: Quantity, settings: AnswerSettings) -> bool:
    """Tell whether a number is the key's within the tolerance, percent and money apart."""
    if key.percent != quantity.percent or quantity.money not in {None, key.money or quantity.money}:
        return False
    return abs(key.value - quantity.value) <= _tolerance(key, settings)


@dataclass(frozen=True, slots=True, kw_only=True)
class Differences:
    """How an answer's items differ from the key's."""

    missing: tuple[str, ...]
    extra: tuple[str, ...]
    in_order: bool


def compare_items(
    key: Sequence[str], items: Sequence[str], settings: AnswerSettings
) -> Differences:
    """Compare items with the key's; each may be in its wrappers."""
    alike = _alike(key, items, settings)
    return Differences(
        missing=tuple(k for i, k in enumerate(key) if not any(i in row for row in alike)),
        extra=tuple(item for item, row in zip(items, alike, strict=True) if not row),
        in_order=len(key) == len(items) and all(i in row for i, row in enumerate(alike)),
    )


def _alike(key: Sequence[str], items: Sequence[str], settings: AnswerSettings) -> list[set[int]]:
    """Give for each item the places in the key that it equals."""
    if settings.items == "number":
        wanted = [_read(k, settings) for k in key]
        return [_equal_numbers(wanted, _read(item, settings), settings) for item in items]
    places: dict[str, set[int]] = {}
    for i, k in enumerate(key):
        places.setdefault(fold(k, ignore_case=settings.ignore_case), set()).add(i)
    return [
        set().union(*(places.get(spelling, set()) for spelling in _spellings(item, settings)))
        for item in items
    ]


def _equal_numbers(
    wanted: Sequence[Quantity | None], quantity: Quantity | None, settings: AnswerSettings
) -> set[int]:
    if quantity is None:
        return set()
    return {i for i, w in enumerate(wanted) if w and same_quantity(w, quantity, settings)}


def _spellings(text: str, settings: AnswerSettings) -> set[str]:
    return {fold(reading, ignore_case=settings.ignore_case) for reading in unwrapped(text)}


def _read(text: str, settings: AnswerSettings) -> Quantity | None:
    try:
        readings = (read_whole(reading, units=settings.unit_words) for reading in unwrapped(text))
        return next((quantity for quantity in readings if quantity), None)
    except UnreadableNumberError:
        return None


def _tolerance(key: Quantity, settings: AnswerSettings) -> Fraction:
    tolerance = read_whole(settings.tolerance) if settings.tolerance else None
    if tolerance is None:
        # What binary floats blur: 0.1 + 0.2 is 0.30000000000000004. Never as much as a digit.
        return min(abs(key.value) / 10**12, key.place / 1000)
    return abs(key.value) * tolerance.value / 100 if tolerance.percent else tolerance.value
