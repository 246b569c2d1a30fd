"""Text that agents, models and files gave us, made fit for a terminal."""

from __future__ import annotations

import re
import unicodedata


def printable(text: str) -> str:
    r"""Show whatever could steer a terminal as an escape; tabs and line ends stay.

    >>> printable("\x1b[31mred")
    '\\x1b[31mred'
    """
    return _STEERING.sub(_escape_match, text)


def one_line(text: str) -> str:
    r"""Make text printable and fit for one line.

    >>> one_line("a\nb")
    'a\\nb'
    """
    return printable(text).replace("\n", "\\n").replace("\t", "\\t")


def columns(text: str) -> int:
    """Count the columns that one line takes on a terminal."""
    return sum(_columns(sign) for sign in text)


def escape(sign: str) -> str:
    """Spell one character in ASCII, as Python would."""
    code = ord(sign)
    if code < 0x100:
        return f"\\x{code:02x}"
    return f"\\u{code:04x}" if code < 0x10000 else f"\\U{code:08x}"


#: Control characters but tab and line feed, what turns the direction of writing, line separators,
#: lone surrogates.
_STEERING = re.compile(
    "[\x00-\x08\x0b-\x1f\x7f-\x9f\u061c\u200e\u200f\u2028-\u202e\u2066-\u2069\ud800-\udfff]"
)


def _escape_match(match: re.Match[str]) -> str:
    return escape(match.group())


def _columns(sign: str) -> int:
    if unicodedata.combining(sign):
        return 0
    return 2 if unicodedata.east_asian_width(sign) in {"W", "F"} else 1
