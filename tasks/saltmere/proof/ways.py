"""Ways over the sea a second time, by other methods or by trying all."""

from __future__ import annotations

import re
import sqlite3
from fractions import Fraction
from itertools import pairwise, permutations, product
from math import inf
from pathlib import Path

Miles = dict[tuple[str, str], Fraction | float]
_OPEN = {"all year": range(1, 13), "Apr-Sep": range(4, 10), "May-Oct": range(5, 11)}


def answers(db: sqlite3.Connection, data: Path) -> dict[str, str]:
    """Answer the questions about lanes and ferries, and the puzzle of the reliefs."""
    code = dict(db.execute("SELECT name, code FROM islands").fetchall())
    name = {value: key for key, value in code.items()}
    winter, summer, autumn = (_all_ways(db, month) for month in (1, 7, 10))
    far = code["Gannet Ey"], code["Thrale"]
    home = code["Dunmarrow"]
    lanes = db.execute("""SELECT "from", "to" FROM sea_lanes WHERE open = 'all year'""").fetchall()
    beside = {name[b] for pair in lanes for a, b in (pair, pair[::-1]) if a == home}
    return {
        "lanes/from-dunmarrow": ", ".join(sorted(beside)),
        "lanes/october-way": _one_decimal(autumn[code["Skarvoe"], code["Inver Sallow"]]),
        "lanes/winter-detour": _one_decimal(winter[far] - summer[far]),
        "lanes/mail-round": _one_decimal(_round(winter, code)),
        "lights/reliefs": _one_decimal(_reliefs(db, winter, code, data)),
        "ferries/first-sunday-boat": _first_boat(db, code),
        "ferries/cheapest-fare": _fare(db, code),
        "ferries/earliest-on-saturday": _earliest(db, code),
        "ferries/latest-on-tuesday": _latest(db, code),
    }


def _one_decimal(miles: Fraction | float) -> str:
    tenths = Fraction(miles) * 10
    assert tenths.denominator == 1
    return f"{int(tenths) // 10}.{int(tenths) % 10}"


def _all_ways(db: sqlite3.Connection, month: int) -> Miles:
    """Give the shortest way between any two islands, by Floyd and Warshall."""
    codes = [row[0] for row in db.execute("SELECT code FROM islands")]
    ways: Miles = {(a, b): 0 if a == b else inf for a in codes for b in codes}
    for a, b, miles, season in db.execute("SELECT * FROM sea_lanes"):
        if month in _OPEN[season]:
            ways[a, b] = ways[b, a] = Fraction(miles)
    for via, a, b in product(codes, repeat=3):
        ways[a, b] = min(ways[a, b], ways[a, via] + ways[via, b])
    return ways


def _round(ways: Miles, code: dict[str, str]) -> Fraction | float:
    start = code["Harrowick"]
    stops = [code[n] for n in ("Orrin", "Pellam", "Ulmer", "Tansilore", "Dunmarrow", "Varrow")]
    return min(
        sum(ways[pair] for pair in pairwise((start, *order, start)))
        for order in permutations(stops)
    )


def _reliefs(
    db: sqlite3.Connection, ways: Miles, code: dict[str, str], data: Path
) -> Fraction | float:
    keepers, lights = (data / "reliefs.md").read_text("utf-8").split("## Lights")
    homes = [code[n] for n in re.findall(r"\((.+?)\)", keepers)]
    island = dict(db.execute("SELECT name, island FROM lights").fetchall())
    posts = [island[n] for n in re.findall(r"^- (.+)$", lights, re.MULTILINE)]
    assert len(homes) == len(posts) == 8
    return min(
        sum(ways[pair] for pair in zip(homes, order, strict=True)) for order in permutations(posts)
    )


def _sailings(db: sqlite3.Connection, day: str) -> list[tuple[str, str, str, str, str]]:
    """Give run, islands and times of a day's legs in order of departure."""
    return db.execute(
        """SELECT run, "from", "to", departs, arrives FROM timetable
           WHERE days = 'daily' OR (days = 'Mo-Sa' AND ?1 <> 'Su') OR instr(days, ?1) > 0
           ORDER BY departs, arrives""",
        [day],
    ).fetchall()


def _reached(
    legs: list[tuple[str, str, str, str, str]], start: str, end: str, *, not_before: str
) -> str:
    """Scan the legs once in order of departure; give when the end is reached, or 99:99."""
    ready = {start: not_before}
    aboard: set[str] = set()
    best = "99:99"
    for run, a, b, departs, arrives in legs:
        if run in aboard or ready.get(a, "99:99") <= departs:
            aboard.add(run)
            best = min(best, arrives) if b == end else best
            ready[b] = min(ready.get(b, "99:99"), _plus_ten(arrives))
    return best


def _plus_ten(clock: str) -> str:
    hours, minutes = divmod(int(clock[:2]) * 60 + int(clock[3:]) + 10, 60)
    return f"{hours:02}:{minutes:02}"


def _first_boat(db: sqlite3.Connection, code: dict[str, str]) -> str:
    ends = (code["Skarvoe"], code["Cold Ness"])
    return min(leg[3] for leg in _sailings(db, "Su") if leg[1:3] == ends)


def _fare(db: sqlite3.Connection, code: dict[str, str]) -> str:
    """Relax every leg until nothing changes, after Bellman and Ford."""
    cost = {code["Rushay"]: 0}
    legs = db.execute('SELECT "from", "to", CAST(fare_pins AS INTEGER) FROM timetable').fetchall()
    before = None
    while before != cost:
        before = dict(cost)
        for a, b, fare in legs:
            if a in cost:
                cost[b] = min(cost.get(b, 10**9), cost[a] + fare)
    return str(cost[code["Kelda"]])


def _earliest(db: sqlite3.Connection, code: dict[str, str]) -> str:
    legs = _sailings(db, "Sa")
    return _reached(legs, code["Rushay"], code["Dunmarrow"], not_before="00:00")


def _latest(db: sqlite3.Connection, code: dict[str, str]) -> str:
    legs = _sailings(db, "Tu")
    start, end = code["Kelda"], code["Thrale"]
    in_time = [
        leg[3]
        for leg in legs
        if leg[1] == start and _reached(legs, start, end, not_before=leg[3]) <= "19:00"
    ]
    return max(in_time)
