"""Answers that are several items: how a text is split into them."""

from __future__ import annotations

import re
from collections.abc import Iterator

from graders.answer.spelling import plain
from graders.answer.statement import UnclearAnswerError, final_statement, unwrapped


def key_items(expect: str | tuple[str, ...]) -> tuple[str, ...]:
    """Give a key's items: those of a list, or of a text by lines, semicolons or commas."""
    return tuple(_split(_without_brackets(plain(expect)))) if isinstance(expect, str) else expect


def answer_items(answer: str, *, most: int) -> Iterator[tuple[str, ...]]:
    """Yield the ways to read an answer's items: the whole text, then its final statement.

    Each also with each `and` taken for a comma; what has more than ``most`` items is left out.
    """
    seen: set[tuple[str, ...]] = set()
    for text in _texts(answer):
        for reading in unwrapped(text):
            bare = _without_brackets(reading)
            for items in (tuple(_split(bare)), tuple(_split(_AND.sub(", ", bare)))):
                if items and items not in seen and len(items) <= most:
                    seen.add(items)
                    yield items


_AND = re.compile(r",?\s+(?:and|&)\s+", re.IGNORECASE)
_BULLET = re.compile(r"\s*(?:[-*•]|\d{1,3}[.)])\s+")
_BRACKETS = (("[", "]"), ("(", ")"), ("{", "}"), ("\\{", "\\}"))


def _texts(answer: str) -> Iterator[str]:
    yield from _with_and_without_introduction(answer)
    try:
        yield from _with_and_without_introduction(final_statement(answer))
    except UnclearAnswerError:
        return


def _with_and_without_introduction(text: str) -> Iterator[str]:
    """Yield a text, and what follows `The items are:` unless that says that they are not."""
    yield text
    introduction, colon, rest = text.strip().partition(":")
    if colon and not _NO_INTRODUCTION.search(introduction):
        yield rest.lstrip("*_")


_NO_INTRODUCTION = re.compile(
    r"[,;\n]|n't\b|\b(?:not|no|none|never|neither|nor|but|except|without|wrong|missing)\b",
    re.IGNORECASE,
)


def _without_brackets(text: str) -> str:
    text = text.strip().removesuffix(".")
    for opening, closing in _BRACKETS:
        if text.startswith(opening) and text.endswith(closing):
            return text[len(opening) : -len(closing)]
    return text


def _split(text: str) -> Iterator[str]:
    text = plain(text)
    lines = [line for line in text.splitlines() if line.strip() and not line.startswith("```")]
    if len(lines) > 1:
        for line in lines:
            item = _BULLET.sub("", line, count=1).strip()
            yield item.rstrip(",;") or item
        return
    separator = ";" if ";" in text else r",\s+" if re.search(r",\s", text) else ","
    pieces = [piece.strip() for piece in re.split(separator, text)]
    yield from pieces if pieces[-1] or len(pieces) == 1 else pieces[:-1]
