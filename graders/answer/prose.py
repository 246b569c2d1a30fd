"""The one number that a text states.

Three readings, in this order, of the last sentence of the final statement: it *is* a number; it
ends in ``… is N``, ``… = N`` or ``…: N``; it holds numbers of one value only, none of them part of
anything larger. What negates or compares (`not`, `than`, `at least`) is no statement.
"""

from __future__ import annotations

import re
from collections.abc import Iterator

from graders.answer.number import (
    Found,
    Quantity,
    Units,
    UnreadableNumberError,
    changes_number,
    is_unit,
    read_start,
    read_whole,
    spelled,
)
from graders.answer.spelling import shown
from graders.answer.statement import UnclearAnswerError, final_statement, innermost, unwrapped

#: A longer last sentence must be the number itself.
MOST_CHARACTERS = 2000


def read_number(answer: str, *, units: Units = ()) -> Quantity:
    """Read the one number that an answer states.

    Raises:
        UnclearAnswerError: If there is none, or more than one, or what is there is no number.
    """
    sentence = _SENTENCE_END.split(innermost(final_statement(answer)))[-1]
    try:
        quantity = _bare(sentence, units)
        if quantity is None and len(sentence) > MOST_CHARACTERS:
            raise UnclearAnswerError(f"the last sentence has {len(sentence)} characters")
        return quantity or _stated(sentence, units) or _only(_tidy(sentence), units)
    except UnreadableNumberError as error:
        raise UnclearAnswerError(str(error)) from error


def _bare(text: str, units: Units) -> Quantity | None:
    for reading in unwrapped(text):
        quantity = read_whole(reading, units=units)
        if quantity is not None:
            return quantity
    return None


def _stated(sentence: str, units: Units) -> Quantity | None:
    """Read `… is N`, unless the sentence states other values too, or negates."""
    marks = list(_STATES.finditer(sentence))
    if not marks:
        return None
    stated = _bare(sentence[marks[-1].end() :], units)
    clause = _CLAUSE_END.split(sentence[: marks[-1].start()])[-1]
    if stated is None or _DENIED.search(clause):
        return None
    others = [_VALUE_END.split(sentence[mark.end() :])[0] for mark in marks[:-1]]
    for text in (sentence[: marks[0].start()], *others):
        other = _bare(text, units)
        if other is not None and _key(other) != _key(stated):
            raise UnclearAnswerError("the last sentence states more than one value")
    return stated


def _only(sentence: str, units: Units) -> Quantity:
    found = list(_numbers(sentence))
    if not found:
        raise UnclearAnswerError(f"no number stands in {shown(sentence)}")
    rest = "".join(
        sentence[end:start]
        for end, start in zip(
            [0, *(number.end for _, number in found)],
            [*(start for start, _ in found), len(sentence)],
            strict=True,
        )
    )
    refused = _REFUSED.search(rest)
    if refused:
        raise UnclearAnswerError(f"{refused[0]!r} makes {shown(sentence)} no plain statement")
    for start, number in found:
        _check_neighbours(sentence, start, number.end, units)
    if len({_key(number.quantity) for _, number in found}) > 1:
        raise UnclearAnswerError(f"{len(found)} numbers stand in {shown(sentence)}")
    return found[0][1].quantity


def _key(quantity: Quantity) -> tuple[object, bool]:
    return quantity.value, quantity.percent


def _numbers(sentence: str) -> Iterator[tuple[int, Found]]:
    """Yield where a number starts, and the number; names (`x5`) and ordinals (`2nd`) are none."""
    start = _START.search(sentence)
    while start:
        if _NAME_BEFORE.search(sentence[: start.start()][-1:]) or _ORDINAL.match(
            sentence, start.start()
        ):
            rest = _WORD.match(sentence, start.end())
            end = rest.end() if rest else start.end()
        else:
            found = read_start(sentence, start.start())
            if found is None:
                raise UnclearAnswerError(f"{shown(sentence[start.start() :][:40])} is no number")
            yield start.start(), found
            end = found.end
        start = _START.search(sentence, end)


def _check_neighbours(sentence: str, start: int, end: int, units: Units) -> None:
    """Refuse a number that is a part of something larger."""
    before, number, after = sentence[:start], sentence[start:end], sentence[end:]
    if not _is_free_before(before) or not _FREE_AFTER.match(after):
        raise UnclearAnswerError(f"{number!r} is a part of something in {shown(sentence)}")
    word = _NEXT_WORD.match(after)
    if word and not _may_follow(word[1], after, units):
        raise UnclearAnswerError(
            f"{number!r} is followed by {word[1]!r}, which is not among the task's `units`"
        )
    code = _MONEY_CODE.search(before)
    if code and not is_unit(code[1], units):
        raise UnclearAnswerError(f"{code[1]!r} is not among the task's `units`")


def _is_free_before(before: str) -> bool:
    outside = before.rstrip("([{")
    if outside != before and re.search(r"[\w\\]\Z", outside):
        return False
    word = outside.rstrip(" ")
    if word[-1:] in _OPERATORS or _ASSIGNED.search(word):
        return False
    return not word or outside != before or word != outside or word[-1] in "=:≈~"


def _may_follow(word: str, after: str, units: Units) -> bool:
    if changes_number(word):
        return False
    # `5 in` may be inches, `5 in total` is not.
    if _FOLLOWERS.fullmatch(word) or re.match(r"\s+in\s+[a-z]", after):
        return True
    if units == "any":
        return is_unit(word, units)
    return any(
        re.match(rf"\s*{re.escape(unit)}(?:[.,;:)]|\s(?!per\b)|\Z)", after) for unit in units
    )


def _tidy(sentence: str) -> str:
    """Spell comparisons in one sign and take marks off single words."""
    for pair, sign in ((">=", "≥"), ("<=", "≤"), ("!=", "≠"), ("==", "=")):
        sentence = sentence.replace(pair, sign)
    return " ".join(spelled(_EMPHASIS.sub(r"\2", sentence)).split())


#: `52. 5` may be one number with a slip in it: a number after a number ends no sentence.
_SENTENCE_END = re.compile(r"(?<=[.!?])(?:(?<!\d\.)\s+(?=\S)|\s+(?=[^\d\s]))")
_CLAUSE_END = re.compile(r"[,;(]")
_VALUE_END = re.compile(r"[,;)]|\b(?:and|but|or)\b")
_STATES = re.compile(
    r"\b(?:is|are|was|were|equals|equal\ to)\b:? | 's\b"
    r" | (?<![<>!=~≠+\-*/^%])=(?!=) | (?<!\d):(?!\w) | :(?=\s) | (?<=[A-Za-z]):(?=\d)",
    re.IGNORECASE | re.VERBOSE,
)
_NEGATION = r"n't\b|\b(?:not|never|neither|nor|cannot|except|unless|wrong|incorrect|false)\b"
_DENIED = re.compile(_NEGATION, re.IGNORECASE)
_REFUSED = re.compile(
    rf"{_NEGATION}|\b(?:than|least|most|between|or|either|hundreds?|thousands?|millions?|billions?"
    r"|trillions?|dozens?|half|halves|twice|double|triple|root|squared?|cubed?|factorial|minus|plus"
    r"|times|divided)\b",
    re.IGNORECASE,
)
_START = re.compile(r"[-+]?(?:[$€£¥₹] ?)?[-+]?\.?\d")
_NAME_BEFORE = re.compile(r"[^\W\d]")
_ORDINAL = re.compile(r"\d+(?:st|nd|rd|th)\b", re.IGNORECASE)
_WORD = re.compile(r"[\w.]*\w")
_NEXT_WORD = re.compile(r"\s+([^\W\d]+)")
_ASSIGNED = re.compile(r"[<>!+\-*/^%\u00d7]=\Z")
_OPERATORS = frozenset("%<>≤≥≠±^/*+-\u00d7÷√|#@&\\")
_FREE_AFTER = re.compile(
    r"(?:[)\]}]|\\\))* (?: \Z | [.,;:]+ (?=[\s)\]}]|\Z) | —"
    r" | \s+ (?![<>≤≥≠±^/*+\u00d7÷√!?\-]) | \s*\Z )",
    re.VERBOSE,
)
_EMPHASIS = re.compile(r"(?<![\w*])(\*{1,3}|__|`|\"|')([^\s*`\"']{1,200})\1(?![\w*])")
_MONEY_CODE = re.compile(r"\b(USD|EUR|GBP|JPY|CHF|CNY|INR|AUD|CAD|SEK|NOK|DKK)\s*\Z")
#: Words that may follow a number which is no quantity of anything.
_FOLLOWERS = re.compile(
    r"all|altogether|and|are|as|at|because|by|for|from|if|is|it|of|on|overall|since|so|that|to"
    r"|total|was|were|when|which|with",
    re.IGNORECASE,
)
