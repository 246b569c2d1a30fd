"""The list of lights and the keepers' logs."""

from __future__ import annotations

import re
from dataclasses import dataclass, replace
from datetime import date, datetime
from functools import cache

from papers import corrected, minutes, text


@dataclass(frozen=True, slots=True, kw_only=True)
class Light:
    """A light; ``period`` in seconds, 0 for a fixed light."""

    name: str
    island: str
    period: int


@cache
def lights() -> list[Light]:
    """Give the list of lights."""
    found = []
    for line in text("lights.txt").splitlines()[2:]:
        name, island, character = line[4:24].strip(), line[24:30].strip(), line[30:43].strip()
        character = corrected("lights.txt", name, {"character": character})["character"]
        period = re.search(r"(\d+)s$", character)
        found.append(Light(name=name, island=island, period=int(period[1]) if period else 0))
    return found


@dataclass(frozen=True, slots=True, kw_only=True)
class Watch:
    """A night in a keeper's log; ``lit`` and ``out`` are empty where the light was not lit."""

    night: date
    keeper: str
    lit: str
    out: str

    def lit_minutes(self) -> int:
        """Count the minutes from lighting to putting out the next morning."""
        return minutes(self.out) + 1440 - minutes(self.lit) if self.lit else 0


@cache
def watches(light: str) -> list[Watch]:
    """Give the nights of a light's log."""
    name = f"logs/{light.lower().replace(' ', '_')}_1934.log"
    found = []
    for line in text(name).splitlines()[1:]:
        cells = [cell.strip() for cell in line.split("|")]
        lit = cells[1].startswith("lit")
        watch = Watch(
            night=datetime.strptime(cells[0][4:], "%d %b %Y").date(),  # noqa: DTZ007 - a date
            keeper=cells[4 if lit else 2],
            lit=cells[1][4:] if lit else "",
            out=cells[2][4:] if lit else "",
        )
        fixed = corrected(name, f"night of {cells[0][4:]}", {"out": watch.out})
        found.append(replace(watch, out=fixed["out"]))
    return found
