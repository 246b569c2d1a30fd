"""Sizes and money as people write them, read exactly."""

from __future__ import annotations

import re
from decimal import Decimal

from runner.domain import NUSD_PER_USD


def bytes_of(text: str) -> int | None:
    """Read ``512MiB``, ``1.5 GiB`` or ``2GB`` as bytes; None if it is no size of at least 1."""
    match = _SIZE.fullmatch(text.strip())
    if match is None:
        return None
    size = Decimal(match["number"]) * _UNITS[match["unit"].lower()]
    return int(size) if 1 <= size <= _MOST_BYTES and size == int(size) else None


def nusd_of(text: str) -> int | None:
    """Read dollars as nano-dollars; None if that is not exact, negative or beyond any budget."""
    if not _DOLLARS.fullmatch(text):
        return None
    nusd = Decimal(text) * NUSD_PER_USD
    return int(nusd) if nusd <= _MOST_NUSD and nusd == int(nusd) else None


def size_text(size: int) -> str:
    """Write a size in the largest binary unit in which it is whole."""
    for unit, factor in (("TiB", 1 << 40), ("GiB", 1 << 30), ("MiB", 1 << 20), ("KiB", 1 << 10)):
        if size and size % factor == 0:
            return f"{size // factor}{unit}"
    return f"{size}B"


def usd_text(nusd: int) -> str:
    """Write nano-dollars as dollars, exactly."""
    return f"{Decimal(nusd) / NUSD_PER_USD:f}"


_UNITS = {
    "b": 1,
    "kib": 1 << 10,
    "mib": 1 << 20,
    "gib": 1 << 30,
    "tib": 1 << 40,
    "kb": 10**3,
    "mb": 10**6,
    "gb": 10**9,
    "tb": 10**12,
}
_SIZE = re.compile(
    r"(?P<number>[0-9]{1,15}(\.[0-9]{1,9})?) ?(?P<unit>([KMGT]i?)?B)", re.ASCII | re.IGNORECASE
)
_DOLLARS = re.compile(r"\+?([0-9]{1,12}(\.[0-9]{0,20})?|\.[0-9]{1,20})", re.ASCII)
_MOST_BYTES = 1 << 60
#: A billion dollars, well inside a 64-bit column.
_MOST_NUSD = 10**9 * NUSD_PER_USD
