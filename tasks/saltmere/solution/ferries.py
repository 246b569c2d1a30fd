"""The ferries' timetable."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cache

from papers import corrected, minutes, rows


@dataclass(frozen=True, slots=True, kw_only=True)
class Leg:
    """One leg of a ferry's run, times in minutes since midnight."""

    run: str
    days: str
    start: str
    end: str
    departs: int
    arrives: int
    fare: int

    def sails_on(self, weekday: str) -> bool:
        """Tell whether the leg is sailed on a day, written as its first two letters."""
        if self.days == "daily":
            return True
        return weekday != "Su" if self.days == "Mo-Sa" else weekday in self.days.split()


@cache
def legs() -> list[Leg]:
    """Give the legs of the summer timetable."""
    found = []
    for row in rows("timetable.csv"):
        place = f"{row['run']}, {row['from']} to {row['to']}"
        right = corrected("timetable.csv", place, row)
        found.append(
            Leg(
                run=row["run"],
                days=row["days"],
                start=row["from"],
                end=row["to"],
                departs=minutes(right["departs"]),
                arrives=minutes(right["arrives"]),
                fare=int(right["fare_pins"]),
            )
        )
    return found
