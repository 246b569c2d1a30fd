"""Mayors with their terms, and the census."""

from __future__ import annotations

from datetime import date, timedelta
from random import Random

from making.isles import islands, name_on
from making.words import people

CLOSED = date(1935, 12, 31)
_SEATS = ["S01", "S03", "S05", "S07", "S08", "S09", "S12", "S14", "S16", "S18", "S19", "S22"]
_HEADS = dict(zip(islands(), [
    640, 210, 880, 60, 1150, 240, 720, 2450, 2380, 690, 530, 1010,
    610, 930, 120, 1720, 480, 760, 450, 330, 40, 980, 12, 520,
], strict=True))  # fmt: skip


def mayors(random: Random) -> list[dict[str, object]]:
    """Make the terms of every seat from 1860 to the closing of the papers."""
    pool = people(90, random)
    busy: dict[str, list[tuple[date, date]]] = {}
    return [
        {"island": seat, "terms": _terms(pool=pool, busy=busy, random=random)} for seat in _SEATS
    ]


def census(random: Random) -> list[list[str]]:
    """Make the census rows, one an island and decade, and the recounts."""
    rows = []
    growth = {code: random.uniform(-0.05, 0.09) for code in _HEADS}
    growth["S11"] = -0.085
    for decade, year in enumerate(range(1861, 1932, 10)):
        for code, heads in _HEADS.items():
            if year == 1861 and code == "S23":
                continue  # nobody lived there before 1866
            count = heads * (1 + growth[code]) ** decade * random.uniform(0.96, 1.04)
            row = _census_row(year, name_on(code, date(year, 4, 1)), round(count), random=random)
            rows.append(row)
            if random.random() < 0.06:
                rows.append(_recount(row, random))
    return rows


def _terms(
    *, pool: list[str], busy: dict[str, list[tuple[date, date]]], random: Random
) -> list[dict[str, object]]:
    terms: list[dict[str, object]] = []
    start = date(1860 + random.randrange(3), 5, 1)
    while start <= CLOSED:
        full = date(start.year + 4 if (start.month, start.day) == (5, 1) else start.year + 3, 4, 30)
        early = random.random() < 0.3
        last = start + timedelta(days=random.randrange(200, 1000)) if early else full
        name = _free_person(start, last, pool=pool, busy=busy, random=random)
        busy.setdefault(name, []).append((start, last))
        open_end = last > CLOSED
        terms.append(
            {
                "name": name,
                "from": start.isoformat(),
                "to": None if open_end else last.isoformat(),
                "end": None
                if open_end
                else random.choice(["died", "resigned"])
                if early
                else "expiry",
            }
        )
        start = last + timedelta(days=random.randrange(15, 240) if early else 1)
    return terms


def _free_person(
    start: date, last: date, *, pool: list[str], busy: dict[str, list[tuple[date, date]]],
    random: Random,
) -> str:  # fmt: skip
    while True:
        name = random.choice(pool)
        terms = busy.get(name, [])
        apart = all(last < a or b < start for a, b in terms)
        if apart and all(abs((start - a).days) < 365 * 30 for a, _ in terms):
            return name


def _census_row(year: int, name: str, count: int, *, random: Random) -> list[str]:
    males = round(count * random.uniform(0.46, 0.53))
    households = max(1, round(count / random.uniform(3.9, 5.2)))
    return [str(year), name, f"{households:,}", f"{males:,}", f"{count - males:,}", ""]


def _recount(row: list[str], random: Random) -> list[str]:
    males, females = (int(cell.replace(",", "")) for cell in row[3:5])
    changed = [f"{max(1, round(n * random.uniform(0.82, 0.97))):,}" for n in (males, females)]
    return [*row[:3], *changed, "recount"]
