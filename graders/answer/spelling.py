"""One spelling for characters that look alike, and how texts are compared and shown."""

from __future__ import annotations

import json
import re
import unicodedata

#: An answer above this many bytes of UTF-8 is not read.
MOST_BYTES = 64 << 10


def plain(text: str) -> str:
    """Give each kind of space, minus, quote and digit one spelling; drop what is invisible.

    Superscripts and vulgar fractions stay: as plain digits they would change the number.
    """
    if text.isascii():
        return text
    text = unicodedata.normalize("NFC", text).translate(_LOOKALIKES)
    return _OTHER_DIGIT.sub(lambda digit: str(unicodedata.decimal(digit[0])), text)


def fold(text: str, *, ignore_case: bool = True) -> str:
    """Give the form in which two texts are compared: plain, single spaces, no final period."""
    text = " ".join(plain(text).split())
    text = text.removesuffix(".").rstrip() or text
    return unicodedata.normalize("NFC", text.casefold()) if ignore_case else text


def says_something(text: str) -> bool:
    """Tell whether a text holds a letter, a digit or a symbol, not only punctuation and space."""
    kinds = {unicodedata.category(char) for char in plain(text)}
    # A lone accent or backtick (Sk) says nothing.
    return any(kind[0] in "LNS" and kind != "Sk" for kind in kinds)


def is_empty(answer: str | None) -> bool:
    """Tell whether an answer is missing, or holds nothing but punctuation and space."""
    return answer is None or not says_something(answer)


def is_too_long(answer: str) -> bool:
    """Tell whether an answer is over 64 KiB."""
    return len(answer) > MOST_BYTES or len(answer.encode("utf-8", "surrogatepass")) > MOST_BYTES


def shown(text: str, *, most: int = 120) -> str:
    """Quote a text for an explanation: one line, escaped, its end kept where it is long."""
    cut = len(text) - most
    quoted = json.dumps(text if cut <= 0 else text[cut:], ensure_ascii=False)
    quoted = quoted.encode("utf-8", "backslashreplace").decode()
    return quoted if cut <= 0 else f"…{quoted} ({cut} characters before it left out)"


_OTHER_DIGIT = re.compile(r"(?![0-9])\d")
_FULL_WIDTH = {code: code - 0xFEE0 for code in range(0xFF01, 0xFF5F)}
_SPACES = dict.fromkeys([0xA0, 0x1680, *range(0x2000, 0x200B), 0x202F, 0x205F, 0x3000], " ")
_INVISIBLE = dict.fromkeys(
    [0xAD, 0x61C, *range(0x200B, 0x2010), *range(0x202A, 0x202F), *range(0x2060, 0x206A), 0xFEFF]
)
_DASHES = dict.fromkeys([0x2010, 0x2011, 0x2012, 0x2013, 0x2212, 0xFE63], "-")
_QUOTES = dict.fromkeys([0x2018, 0x2019], "'") | dict.fromkeys([0x201C, 0x201D, 0x201E], '"')
_OTHERS = {0x3002: ".", 0x3001: ",", 0x66B: ".", 0x66C: ",", 0x66A: "%", 0xFFE5: "¥", 0xFFE1: "£"}
_LOOKALIKES = _FULL_WIDTH | _SPACES | _INVISIBLE | _DASHES | _QUOTES | _OTHERS
