"""The land registry: grants, transfers, surveys, and entries that make others void."""

from __future__ import annotations

from datetime import date, timedelta
from random import Random

from making.isles import name_on
from making.words import people

_PLOTS = {"S03": 14, "S09": 12, "S11": 12, "S20": 14}
_TRANSFERS = ["sale", "sale", "gift", "inheritance"]
_REMARKS = {
    "grant": ["by the Chancery", "for clearing", ""],
    "sale": ["paid in full", "half in kelp", "before two witnesses", ""],
    "gift": ["upon marriage", "", "for long service"],
    "inheritance": ["by will", "no will found", ""],
    "survey": ["chained anew", "shore lost to the sea", "dyke added"],
}


def registry(random: Random) -> list[list[str]]:
    """Make the entries in the order in which they were written."""
    holders = people(26, random)
    drafts: list[list[str]] = []
    number = 0
    for code, count in _PLOTS.items():
        for _ in range(count):
            number += 1
            drafts += _history(f"P-{number:02}", code, holders, random)
    drafts.sort(key=lambda row: (row[0], row[2]))
    rows = [[f"{n:03}", *row, "", remark] for n, (*row, remark) in enumerate(drafts, start=1)]
    return rows + _voids(rows, random)


def _history(plot: str, code: str, holders: list[str], random: Random) -> list[list[str]]:
    day = date(1862, 1, 1) + timedelta(days=random.randrange(4000))
    holder = random.choice(holders)
    rows = [_row(day, "grant", plot, code, holder=holder, area=_area(random), random=random)]
    while True:
        day += timedelta(days=random.randrange(900, 7000))
        if day > date(1935, 6, 30):
            return rows
        if random.random() < 0.2:
            rows.append(
                _row(day, "survey", plot, code, holder="", area=_area(random), random=random)
            )
        else:
            holder = random.choice([h for h in holders if h != holder])
            kind = random.choice(_TRANSFERS)
            rows.append(_row(day, kind, plot, code, holder=holder, area=("", ""), random=random))


def _row(
    day: date, kind: str, plot: str, code: str, *, holder: str, area: tuple[str, str],
    random: Random,
) -> list[str]:  # fmt: skip
    remark = random.choice(_REMARKS[kind])
    return [day.isoformat(), kind, plot, name_on(code, day), holder, *area, remark]


def _area(random: Random) -> tuple[str, str]:
    if random.random() < 0.4:
        return str(random.randrange(8, 90)), "strip"
    return f"{random.randrange(200, 2400) / 100:.2f}", "ha"


def _voids(rows: list[list[str]], random: Random) -> list[list[str]]:
    chosen = random.sample([row for row in rows if row[2] != "grant"], 16)
    chosen.sort(key=lambda row: row[0])
    day = date(1935, 7, 3)
    voids: list[list[str]] = []
    for row in chosen:
        voids.append(_void(len(rows) + len(voids) + 1, day, row, remark="written in error"))
        day += timedelta(days=random.randrange(1, 9))
    for row in (voids[2], voids[7], voids[11]):
        voids.append(_void(len(rows) + len(voids) + 1, day, row, remark="objection upheld"))
        day += timedelta(days=random.randrange(1, 9))
    return voids


def _void(number: int, day: date, row: list[str], *, remark: str) -> list[str]:
    return [f"{number:03}", day.isoformat(), "void", "", "", "", "", "", row[0], remark]
