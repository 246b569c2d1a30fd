"""The land registry without what was made void."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import date
from functools import cache

from papers import Row, code_on, rows


@dataclass(frozen=True, slots=True, kw_only=True)
class Deed:
    """An entry of the land registry that holds."""

    day: date
    kind: str
    plot: str
    island: str
    holder: str
    hectares: float


@cache
def deeds() -> list[Deed]:
    """Give the entries that no valid void entry takes back, in order."""
    entries = rows("registry.csv")
    taken_back: set[str] = set()
    # A void entry can only be taken back by a later one, so the last one decides first.
    for row in reversed(entries):
        if row["kind"] == "void" and row["entry"] not in taken_back:
            taken_back.add(row["refers_to"])
    return [
        _deed(row) for row in entries if row["kind"] != "void" and row["entry"] not in taken_back
    ]


def _deed(row: Row) -> Deed:
    day = date.fromisoformat(row["date"])
    size = float(row["area"] or 0)
    return Deed(
        day=day,
        kind=row["kind"],
        plot=row["plot"],
        island=code_on(row["island"], day),
        holder=row["holder"],
        hectares=size / 4 if row["unit"] == "strip" else size,
    )


def holder_on(plot: str, day: date) -> str | None:
    """Give who held a plot on a day."""
    held = [d for d in deeds() if d.plot == plot and d.day <= day and d.holder]
    return max(held, key=lambda d: d.day).holder if held else None


def hectares_on(plot: str, day: date) -> float:
    """Give a plot's area on a day."""
    sized = [d for d in deeds() if d.plot == plot and d.day <= day and d.hectares]
    return max(sized, key=lambda d: d.day).hectares
