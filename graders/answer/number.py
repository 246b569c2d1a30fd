"""Numbers, read exactly and within bounds: no float, no evaluation, no surprise in time."""

from __future__ import annotations

import re
from collections.abc import Collection
from dataclasses import dataclass, replace
from fractions import Fraction
from typing import Literal, TypeAlias

from graders.answer.spelling import plain

Units: TypeAlias = Collection[str] | Literal["any"]

#: More digits than this, or an exponent further from zero, is not read.
MOST_DIGITS = 4000


class UnreadableNumberError(ValueError):
    """A spelling that looks like a number and is none; the message says why."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Quantity:
    """A number as it was written.

    Attributes:
        written: Its spelling.
        value: Exact; of ``3 %`` it is 3.
        percent: Whether a percent sign or word follows.
        money: The money sign, or None.
        place: The value of the last written decimal place, at most 1.
    """

    written: str
    value: Fraction
    percent: bool
    money: str | None
    place: Fraction


@dataclass(frozen=True, slots=True, kw_only=True)
class Found:
    """A number at the start of a text.

    Attributes:
        end: Where its spelling ends.
    """

    quantity: Quantity
    end: int


def read_whole(text: str, *, units: Units = ()) -> Quantity | None:
    """Read a text that is one number, with one of the units before or after it, or nothing else.

    Raises:
        UnreadableNumberError: If it has too many digits, or is a fraction over zero.
    """
    if len(text) > 2 * MOST_DIGITS:
        return None
    text = _without_leading_unit(spelled(text).strip(), units)
    found = read_start(text)
    if found is None:
        return None
    rest = text[found.end :].strip()
    if rest and not is_unit(rest, units):
        return None
    return replace(found.quantity, percent=False) if "%" in units else found.quantity


def read_start(text: str, start: int = 0) -> Found | None:
    """Read the number that starts at a place of a text in ``spelled`` form.

    Raises:
        UnreadableNumberError: If it has too many digits, or is a fraction over zero.
    """
    match = _NUMBER.match(text, start)
    if match is None or not (match["grouped"] or match["digits"] or match["places"]):
        return None
    return Found(quantity=_quantity(match), end=match.end())


def is_unit(word: str, units: Units) -> bool:
    """Tell whether a word may stand beside a number without changing it."""
    if units == "any":
        return word.replace(" ", "").isalpha() and not changes_number(word)
    return word in units


def changes_number(word: str) -> bool:
    """Tell whether a word makes another number of the one that it follows."""
    return bool(_CHANGING.match(word))


def spelled(text: str) -> str:
    """Give a text in which each part of a number has one spelling (LaTeX, superscripts, ½)."""
    text = plain(text)
    for pattern, replacement in _LATEX:
        text = pattern.sub(replacement, text)
    text = _SUPERSCRIPTS.sub(lambda run: "^" + run[0].translate(_SUPERSCRIPT_DIGITS), text)
    return _VULGAR.sub(lambda sign: f"{sign[1]} {_VULGAR_FRACTIONS[sign[2]]}".lstrip(), text)


MONEY = "$€£¥₹"

_NUMBER = re.compile(
    rf"""
    (?P<sign>[-+])? (?P<money>[{MONEY}]\ ?)? (?(sign)|(?P<inner_sign>[-+])?)
    (?: (?P<whole>\d++) \  (?=\d++/\d) )?
    (?: (?P<grouped> \d{{1,3}} (?P<gap>[,'_ ]) \d{{3}} (?:(?P=gap)\d{{3}})*+ ) (?!\d)
      | (?P<digits>\d++)
    )?
    (?P<places>\.\d++)?
    (?: /(?P<under>\d++) )?
    (?: [eE] (?P<exponent>[-+]?\d++)
      | \ ? [\u00d7x*·] \ ? 10\^ \{{? (?P<power>[-+]?\d++) \}}?
      | (?P<bare_power> \^\{{?[-+]?\d++\}}? )
    )?
    (?: \  (?P<scale>thousand|million|billion|trillion) \b )?
    (?: \ ? (?P<percent>%|percent\b|per\ cent\b) )?
    (?: \ ? (?P<money_after>[{MONEY}]) )?
    """,
    re.VERBOSE | re.ASCII,
)
_CHANGING = re.compile(
    r"(?:hundreds?|thousands?|millions?|billions?|trillions?|dozens?|score|half|halves|thirds?"
    r"|quarters?|times|squared|cubed|factorial|percentage|points?|plus|minus|divided|modulo)\b",
    re.IGNORECASE,
)
_SCALES = {"thousand": 3, "million": 6, "billion": 9, "trillion": 12}

_LATEX = (
    (re.compile(r"\\([%$€£#])"), r"\1"),
    (re.compile(r"\{,\}"), ","),
    (re.compile(r"\\[,;:! ]|(?<=\d)~(?=[\dA-Za-z])"), " "),
    (re.compile(r"\\(?:text|mathrm)\{([^{}]*)\}"), r" \1 "),
    (re.compile(r"\\(?:times|cdot)\b ?"), "\u00d7"),
    (re.compile(r"(\d)\\[dt]?frac\{(\d+)\}\{(\d+)\}"), r"\1 \2/\3"),
    (re.compile(r"\\[dt]?frac\{([-+]?\d+)\}\{(\d+)\}"), r"\1/\2"),
    (re.compile(r"\*\*(?=[-+{]?\d)"), "^"),
    (re.compile(r"(?<=\d) ?/ ?(?=\d)"), "/"),
    (re.compile(r"\b(?:minus|negative) (?=[\d.$€£¥₹])", re.IGNORECASE), "-"),
)
_SUPERSCRIPT_DIGITS = str.maketrans("⁰¹²³⁴⁵⁶⁷⁸⁹⁺⁻", "0123456789+-")
_SUPERSCRIPTS = re.compile(r"(?<=\d)[⁰¹²³⁴⁵⁶⁷⁸⁹⁺⁻]+")
_VULGAR_FRACTIONS = {"½": "1/2", "⅓": "1/3", "⅔": "2/3", "¼": "1/4", "¾": "3/4", "⅕": "1/5"}
_VULGAR = re.compile(r"(\d?) ?([½⅓⅔¼¾⅕])")


def _without_leading_unit(text: str, units: Units) -> str:
    if units == "any":
        return text
    return next((text[len(unit) :].lstrip() for unit in units if text.startswith(unit)), text)


def _quantity(match: re.Match[str]) -> Quantity:
    part = match.groupdict()
    _check(match)
    digits = re.sub(r"\D", "", part["grouped"] or part["digits"] or "")
    decimals = (part["places"] or ".")[1:]
    exponent = int(part["exponent"] or part["power"] or 0) + _SCALES.get(part["scale"] or "", 0)
    if part["bare_power"]:
        digits, exponent = "1", int(part["bare_power"].strip("^{}"))
    if abs(exponent) > MOST_DIGITS:
        raise UnreadableNumberError(f"the exponent {exponent} is beyond ±{MOST_DIGITS}")
    value = Fraction(int(digits + decimals)) / 10 ** len(decimals)
    value = (value / int(part["under"] or 1) + int(part["whole"] or 0)) * Fraction(10) ** exponent
    negative = "-" in (part["sign"] or "", part["inner_sign"] or "")
    return Quantity(
        written=match[0].strip(),
        value=-value if negative else value,
        percent=bool(part["percent"]),
        money=_money(part["money"], part["money_after"]),
        place=min(Fraction(10) ** (exponent - len(decimals)), Fraction(1)),
    )


def _money(before: str | None, after: str | None) -> str | None:
    before = before.strip() if before else None
    if before and after:
        if before != after:
            raise UnreadableNumberError(f"two money signs, {before} and {after}")
        # `$5$` is a formula.
        return None if before == "$" else before
    return before or after


def _check(match: re.Match[str]) -> None:
    """Refuse what only looks like a number, before any arithmetic."""
    text = match[0]
    if len(text) > MOST_DIGITS:
        raise UnreadableNumberError(f"more than {MOST_DIGITS} digits")
    under = match["under"]
    if under and (match["places"] or not int(under)):
        raise UnreadableNumberError(f"{text!r} is no fraction")
    if match["whole"] and not _is_proper(match["digits"] or "", under or ""):
        raise UnreadableNumberError(f"{text!r} is no mixed number")
    if match["bare_power"] and (match["digits"] != "10" or match["places"] or under):
        raise UnreadableNumberError(f"{text!r} is an expression, not a number")


def _is_proper(over: str, under: str) -> bool:
    """Tell whether a mixed number's fraction is one: `1 000/3` and `1 200/300` are not."""
    return over[:1] != "0" and len(over) != 3 and bool(over and under) and int(over) < int(under)
