"""The summer timetable of 1935: one row a leg of a run."""

from __future__ import annotations

import itertools
from random import Random

# (line, knots, islands in order, days of each pair of runs)
_LINES = [
    ("Mail", 15, "S08 S09 S05 S02 S01", ["daily", "Mo-Sa", "daily", "Mo We Fr"]),
    ("Ring", 13, "S08 S10 S18 S16 S14 S12 S09 S08", ["Mo-Sa", "daily", "Tu Th Sa"]),
    ("Lee", 14, "S16 S17 S15 S13 S12", ["daily", "Mo We Fr", "Tu Th Sa", "daily"]),
    ("Strand", 13, "S08 S11 S19 S20", ["daily", "Mo-Sa", "Su", "daily"]),
    ("South", 14, "S16 S24 S22 S21 S20", ["Mo We Fr", "Tu Th Sa", "Su", "Mo-Sa"]),
    ("Ness", 12, "S08 S07 S06 S04 S01", ["Mo-Sa", "daily", "daily"]),
    ("Reed", 13, "S03 S07 S11 S10", ["daily", "Mo-Sa", "Sa Su", "daily"]),
    ("Rock", 11, "S20 S23 S21 S22", ["Tu Th Sa", "Sa Su"]),
    ("Sound", 14, "S18 S22 S19", ["daily", "Mo We Fr", "Sa Su"]),
]


def timetable(miles: dict[tuple[str, str], float], random: Random) -> list[list[str]]:
    """Make the rows; ``miles`` gives the distance between any two islands."""
    rows = []
    for line, knots, stops, services in _LINES:
        there = stops.split()
        for number, days in enumerate(services, start=1):
            for letter, way in (("A", there), ("B", there[::-1])):
                start = random.randrange(330, 480, 5) + 205 * (number - 1)
                run = f"{line} {number}{letter}"
                rows += _run(run, days, way, start=start, knots=knots, miles=miles, random=random)
    return rows


def _run(
    run: str, days: str, way: list[str], *, start: int, knots: int,
    miles: dict[tuple[str, str], float], random: Random,
) -> list[list[str]]:  # fmt: skip
    rows = []
    clock = start
    for a, b in itertools.pairwise(way):
        distance = miles[a, b]
        arrives = clock + round(distance / knots * 60)
        fare = 6 + round(distance * (2.5 if "Su" in days else 1.8)) + random.randrange(5)
        if days == "daily":
            fare -= 2
        rows.append([run, days, a, b, _clock(clock), _clock(arrives), str(fare)])
        clock = arrives + random.choice([3, 5, 8, 10])
    return rows


def _clock(minutes: int) -> str:
    assert minutes < 24 * 60, "no run passes midnight"
    return f"{minutes // 60:02}:{minutes % 60:02}"
