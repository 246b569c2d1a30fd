r"""What counts as the answer in a longer text, and the wrappers that may be around it.

One rule: the marked answer (``\boxed{…}`` or ``<answer>…</answer>``) if there is one, else the
last line. Nothing is ever searched for inside the text.
"""

from __future__ import annotations

import re
from collections.abc import Iterator

from graders.answer.spelling import fold, plain


class UnclearAnswerError(ValueError):
    """The text does not say one answer; the message says why."""


def final_statement(text: str) -> str:
    """Give the marked answer, else the last line that is not empty.

    Raises:
        UnclearAnswerError: If several marked answers differ.
    """
    marked = {fold(content): content for content in _marked(text)}
    if len(marked) > 1:
        raise UnclearAnswerError(f"{len(marked)} different answers are marked")
    return next(iter(marked.values())) if marked else last_line(text)


def last_line(text: str) -> str:
    """Give the last line that holds anything, code fences not counted."""
    lines = [line.strip() for line in plain(text).splitlines()]
    return next((line for line in reversed(lines) if line and not line.startswith("```")), "")


def unwrapped(text: str) -> Iterator[str]:
    """Yield a text, then the text without its outermost wrapper, and so on to the innermost."""
    text = plain(text).strip()
    yield text
    for _ in range(_MOST_WRAPPERS):
        inner = _without_one_wrapper(text)
        if inner is None:
            return
        text = inner.strip()
        yield text


def innermost(text: str) -> str:
    """Give a text without any of the wrappers around it."""
    return list(unwrapped(text))[-1]


_MOST_WRAPPERS = 16

_PAIRS = (
    ("```", "```"),
    ("**", "**"),
    ("__", "__"),
    ("*", "*"),
    ("_", "_"),
    ("`", "`"),
    ('"', '"'),
    ("'", "'"),
    ("«", "»"),
    ("$$", "$$"),
    ("$", "$"),
    ("\\(", "\\)"),
    ("\\[", "\\]"),
    ("\\boxed{", "}"),
    ("\\text{", "}"),
    ("\\textbf{", "}"),
    ("\\mathrm{", "}"),
    ("\\mathbf{", "}"),
    ("<answer>", "</answer>"),
)

_CONCLUSION = r"(?:so|thus|hence|therefore|finally|in\ conclusion)"
_NOUN = r"(?:answer|ans|result|solution|choice|option)"
_LEAD_IN = re.compile(
    rf"""
    (?P<mark>\*{{1,3}}|_{{1,3}})?
    (?: {_CONCLUSION} \s* (?:(?P=mark))? [:,] (?:(?P=mark))?
      | (?: {_CONCLUSION} ,? \s+ )?
        (?: (?:the|my) \s+ )? (?: (?:final|correct|right|best) \s+ )?
        {_NOUN} (?:(?P=mark))? \s* (?: [:=] (?:(?P=mark))? | \s (?:is|are) (?:\s*:)? (?=\s) )
    )
    \s* (?=\S)
    """,
    re.IGNORECASE | re.VERBOSE,
)
_HEADING = re.compile(r"#{1,6}\s+(?=\S)")


def _without_one_wrapper(text: str) -> str | None:
    for opening, closing in _PAIRS:
        inner = _between(text, opening, closing)
        if inner is not None:
            return inner
    if text.endswith(".") and not text.endswith("..") and len(text) > 1:
        return text[:-1]
    lead = _HEADING.match(text) or _LEAD_IN.match(text)
    return text[lead.end() :] if lead else None


def _between(text: str, opening: str, closing: str) -> str | None:
    if len(text) <= len(opening) + len(closing):
        return None
    if not (text.startswith(opening) and text.endswith(closing)):
        return None
    inner = text[len(opening) : -len(closing)]
    # `"a" or "b"` is not one text in quotes.
    unbalanced = closing in inner or opening in inner
    if closing == "}":
        unbalanced = not _balanced(inner)
    return None if unbalanced or not inner.strip() else inner


def _balanced(text: str) -> bool:
    depth = 0
    for char in text:
        depth += (char == "{") - (char == "}")
        if depth < 0:
            return False
    return depth == 0


def _marked(text: str) -> Iterator[str]:
    start = text.find("\\boxed{")
    while start >= 0:
        content, end = _braced(text, start + len("\\boxed{"))
        if content.strip():
            yield content
        start = text.find("\\boxed{", end)
    for piece in re.split("<answer>", text, flags=re.IGNORECASE)[1:]:
        content, closing, _ = piece.replace("</ANSWER>", "</answer>").partition("</answer>")
        if closing and content.strip():
            yield content


def _braced(text: str, start: int) -> tuple[str, int]:
    depth = 1
    for end in range(start, len(text)):
        depth += (text[end] == "{") - (text[end] == "}")
        if not depth:
            return text[start:end], end
    return "", len(text)
