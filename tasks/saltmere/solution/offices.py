"""The census and the mayors' terms."""

from __future__ import annotations

import json
from dataclasses import dataclass
from datetime import date
from functools import cache

from papers import code_on, corrected, number, rows, text


@cache
def census() -> dict[tuple[int, str], int]:
    """Count inhabitants by year and code; recounts hold."""
    found = {}
    for row in rows("census.csv"):
        place = f"{row['year']} {row['island']}" + (" recount" if row["remark"] else "")
        counts = corrected("census.csv", place, row)
        year = int(row["year"])
        code = code_on(row["island"], date(year, 4, 1))
        found[year, code] = number(counts["males"]) + number(counts["females"])
    return found


@dataclass(frozen=True, slots=True, kw_only=True)
class Term:
    """A mayor's term, both days in office."""

    name: str
    first: date
    last: date


@cache
def terms() -> dict[str, list[Term]]:
    """Give the terms of each seat by code."""
    found = {}
    for seat in json.loads(text("mayors.json")):
        found[seat["island"]] = [
            Term(
                name=term["name"],
                first=date.fromisoformat(term["from"]),
                last=date.fromisoformat(term["to"] or "1935-12-31"),
            )
            for term in seat["terms"]
        ]
    return found
