"""Blocks of foreign text inside a report."""

from __future__ import annotations

from collections.abc import Iterator

from runner.printable import printable

#: A transcript is read by people; --json has the whole of what is longer.
MOST_CHARACTERS = 20_000


def indented(text: str, *, by: int) -> Iterator[str]:
    """Give a text's lines, printable, moved to the right; a huge one loses its middle."""
    for line in printable(_bounded(text)).split("\n"):
        yield f"{' ' * by}{line}" if line else ""


def _bounded(text: str) -> str:
    if len(text) <= MOST_CHARACTERS:
        return text
    half = MOST_CHARACTERS // 2
    left_out = len(text) - 2 * half
    return f"{text[:half]}\n… {left_out} characters left out; --json has them …\n{text[-half:]}"
