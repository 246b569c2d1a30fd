"""Text that both databases can hold: PostgreSQL refuses NUL, UTF-8 refuses lone surrogates.

Whatever must come back byte for byte is a blob. Columns for people show such characters as escapes.
"""

from __future__ import annotations

import re

MOST_CHARACTERS = 20_000
_UNSTORABLE = re.compile("[\x00\ud800-\udfff]")


def for_people(text: str) -> str:
    """Make text storable and bounded; what no database can store stands as a visible escape."""
    if len(text) > MOST_CHARACTERS:
        half = MOST_CHARACTERS // 2
        text = f"{text[:half]}\n… {len(text) - MOST_CHARACTERS} characters cut …\n{text[-half:]}"
    return _UNSTORABLE.sub(_escape, text)


def to_bytes(text: str) -> bytes:
    """Encode any text without loss, lone surrogates included."""
    return text.encode("utf-8", "surrogatepass")


def from_bytes(data: bytes) -> str:
    """Undo ``to_bytes``."""
    return data.decode("utf-8", "surrogatepass")


def _escape(match: re.Match[str]) -> str:
    code = ord(match.group())
    return f"\\x{code:02x}" if code < 0x100 else f"\\u{code:04x}"
