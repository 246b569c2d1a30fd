"""Corrections: some change an answer, some are harmless, and two are withdrawn again."""

from __future__ import annotations

import itertools
from datetime import date

from making.isles import name_on
from making.shipping import Arrival, money

Line = dict[str, object]


def duplicates(entries: list[Arrival]) -> list[Arrival]:
    """Choose the arrivals that a clerk entered twice."""
    harrowick = [a for a in entries if a.harbour == "S08"]
    fenlow = [a for a in entries if a.harbour == "S10"]
    merrowby = [a for a in entries if a.origin == "S12"]
    ossel = [a for a in entries if a.harbour == "S17"]
    return [harrowick[20], harrowick[41], fenlow[7], merrowby[11], ossel[3]]


def arrival_errata(entries: list[Arrival]) -> list[str]:
    """Strike each second entry."""
    lines = []
    for first, second in itertools.pairwise(entries):
        if (first.day, first.time, first.ship) == (second.day, second.time, second.ship):
            text = f"entered a second time as no {second.no:04}; strike no {second.no:04}"
            lines.append(f"arrivals.csv | no {first.no:04} | {text}")
    return lines


def manifest_errata(entries: list[Arrival], lines: list[Line]) -> list[str]:
    """Correct the dearest oil, the richest landing on Orrin, and salt at Nettlehythe."""
    where = {f"{a.no:04}": a for a in entries}
    oil = sorted(_of(lines, "lamp oil"), key=_pins)
    orrin = [x for x in lines if where[str(x["arrival"])].harbour == "S05"]
    early = [x for x in orrin if where[str(x["arrival"])].day < date(1934, 5, 1)]
    salt = [x for x in _of(lines, "salt") if where[str(x["arrival"])].harbour == "S16"]
    summer = [
        x for x in salt if date(1934, 4, 1) <= where[str(x["arrival"])].day <= date(1934, 9, 30)
    ]
    merrowby = [x for x in lines if where[str(x["arrival"])].harbour == "S12"]
    richest = max(early, key=_pins)
    return [
        _manifest(oil[-1], "value", money(_pins(oil[-1])), money(_pins(oil[-1]) // 2)),
        _manifest(richest, "value", money(_pins(richest)), money(_pins(richest) // 10)),
        _manifest(
            summer[0], "quantity", summer[0]["quantity"], int(str(summer[0]["quantity"])) + 7
        ),
        _manifest(
            summer[2], "quantity", summer[2]["quantity"], int(str(summer[2]["quantity"])) + 9
        ),
        _manifest(merrowby[9], "value", merrowby[9]["value"], money(_pins(merrowby[9]) + 45)),
    ]


def census_errata(rows: list[list[str]]) -> list[str]:
    """Correct three counts, one of them in a recount."""
    lornet = next(r for r in rows if r[:2] == ["1931", "Lornet"] and not r[5])
    recount = next(r for r in rows if r[5] and r[0] in {"1881", "1891"})
    quern = next(r for r in rows if r[:2] == ["1871", name_on("S07", date(1871, 4, 1))])
    return [
        _census(lornet, 4, 13),
        _census(recount, 3, 20),
        _census(quern, 3, -9),
    ]


def other_errata(logs: dict[str, str], timetable: list[list[str]]) -> list[str]:
    """Correct the lights, a night of a log, and the timetable."""
    kelda = next(t for t in logs["logs/kelda_crown_1934.log"].splitlines() if "11 Feb 1934" in t)
    out = kelda.split("out ")[1][:5]
    lines = [
        "lights.txt | Tansilore Cliff | for character Fl(5) W 25s read Fl(5) W 20s",
        "lights.txt | Orrin High | for character Fl(2) W 14s read Fl(2) W 15s",
        f"logs/kelda_crown_1934.log | night of 11 Feb 1934 | for out {out} read 09:02",
    ]
    for run, a, b, field, change in _TIMETABLE:
        row = next(r for r in timetable if r[0] == run and r[2:4] == [a, b])
        old = row[6] if field == "fare_pins" else row[4]
        new = str(int(old) + change) if field == "fare_pins" else _later(old, change)
        lines.append(f"timetable.csv | {run}, {a} to {b} | for {field} {old} read {new}")
    return lines


def numbered(lines: list[str], *, withdrawn: tuple[int, ...]) -> str:
    """Number the corrections and withdraw some of them at the end."""
    known = [f"E{n:02} | {line}" for n, line in enumerate(lines, start=1)]
    for n, index in enumerate(withdrawn, start=len(known) + 1):
        known.append(
            f"E{n:02} | errata.txt | E{index + 1:02} | withdrawn; the first reading stands"
        )
    return "\n".join(known) + "\n"


_TIMETABLE = [
    ("Strand 2A", "S11", "S19", "fare_pins", -9),
    ("Mail 1B", "S01", "S02", "departs", -10),
    ("Lee 2B", "S12", "S13", "departs", -15),
]


def _of(lines: list[Line], goods: str) -> list[Line]:
    return [line for line in lines if line["goods"] == goods]


def _pins(line: Line) -> int:
    total = 0
    for part in str(line["value"]).split():
        total += int(part[:-1]) * (20 if part.endswith("m") else 1)
    return total


def _manifest(line: Line, field: str, old: object, new: object) -> str:
    where = f"arrival {line['arrival']} line {line['line']}"
    return f"manifests.jsonl | {where} | for {field} {old} read {new}"


def _census(row: list[str], column: int, change: int) -> str:
    field = {3: "males", 4: "females"}[column]
    old = int(row[column].replace(",", ""))
    kind = " recount" if row[5] else ""
    return f"census.csv | {row[0]} {row[1]}{kind} | for {field} {old:,} read {old + change:,}"


def _later(clock: str, minutes: int) -> str:
    total = int(clock[:2]) * 60 + int(clock[3:]) + minutes
    return f"{total // 60:02}:{total % 60:02}"
