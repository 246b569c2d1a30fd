"""Read the papers from the current directory, with every correction applied."""

from __future__ import annotations

import csv
import re
from datetime import date
from functools import cache
from pathlib import Path

Row = dict[str, str]
_ERRATUM = re.compile(r"(E\d+) \| (\S+) \| (.+?) \| (.+)")


def rows(name: str) -> list[Row]:
    """Read a CSV file."""
    with Path(name).open(encoding="utf-8", newline="") as file:
        return list(csv.DictReader(file))


def text(name: str) -> str:
    """Read a text file."""
    return Path(name).read_text("utf-8")


def number(written: str) -> int:
    """Read a whole number that may carry commas."""
    return int(written.replace(",", ""))


def pins(written: str) -> int:
    """Read an amount in marks and pins."""
    parts = re.findall(r"(\d+)([mp])", written)
    return sum(int(count) * (20 if unit == "m" else 1) for count, unit in parts)


def dotted(written: str) -> date:
    """Read a date written day.month.year."""
    day, month, year = map(int, written.split("."))
    return date(year, month, day)


def minutes(clock: str) -> int:
    """Count the minutes since midnight."""
    return int(clock[:2]) * 60 + int(clock[3:])


def clock(total: int) -> str:
    """Write minutes since midnight as HH:MM."""
    return f"{total // 60:02}:{total % 60:02}"


@cache
def errata(name: str) -> dict[str, list[str]]:
    """Give the standing corrections of one paper: what to read, by the place they name."""
    lines = [m.groups() for m in map(_ERRATUM.match, text("errata.txt").splitlines()) if m]
    withdrawn = {place for _, paper, place, _ in lines if paper == "errata.txt"}
    found: dict[str, list[str]] = {}
    for mark, paper, place, reading in lines:
        if paper == name and mark not in withdrawn:
            found.setdefault(place, []).append(reading)
    return found


def corrected(name: str, place: str, record: dict[str, str]) -> dict[str, str]:
    """Apply the corrections that name a place to a record."""
    changed = dict(record)
    for reading in errata(name).get(place, []):
        match = re.match(r"for (\S+) (.+) read (.+)", reading)
        if match:
            field, old, new = match.groups()
            assert changed[field] == old, f"{name}: {place}: {field} is not {old}"
            changed[field] = new
    return changed


@cache
def islands() -> dict[str, Row]:
    """Give the gazetteer's rows by code."""
    return {row["code"]: row for row in rows("islands.csv")}


def code_of(name: str) -> str:
    """Give the code of the island that bears this name at present."""
    return next(code for code, row in islands().items() if row["name"] == name)


def code_on(name: str, day: date) -> str:
    """Give the code of the island that bore this name on a day."""
    for code, former, since, until in _former_names():
        if former == name and since <= day < until:
            return code
    return code_of(name)


@cache
def _former_names() -> list[tuple[str, str, date, date]]:
    found = []
    for line in text("former_names.md").splitlines():
        cells = [cell.strip() for cell in line.strip("|").split("|")]
        if re.fullmatch(r"S\d\d", cells[0]):
            known = re.fullmatch(r"\d{4}-\d\d-\d\d", cells[2])
            since = date.fromisoformat(cells[2]) if known else date.min
            found.append((cells[0], cells[1], since, date.fromisoformat(cells[3])))
    return found
