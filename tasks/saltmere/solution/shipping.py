"""Ships, their arrivals in 1934 and what they landed."""

from __future__ import annotations

import json
import re
from dataclasses import dataclass
from datetime import date
from functools import cache

from papers import corrected, dotted, errata, pins, rows, text


@dataclass(frozen=True, slots=True, kw_only=True)
class Ship:
    """A ship of the register.

    Attributes:
        former: Names that are no longer borne, each with the first day without it.
        measured: Tons, each with the day from which they hold.
    """

    name: str
    rig: str
    home: str
    owner: str
    draught_cm: int
    hold_tenths: int
    former: tuple[tuple[str, date], ...]
    measured: tuple[tuple[date, int], ...]

    def name_on(self, day: date) -> str:
        """Give the name that the ship bore on a day."""
        return next((name for name, until in self.former if day < until), self.name)

    def tons_on(self, day: date) -> int:
        """Give the tons as measured on a day."""
        return max((since, tons) for since, tons in self.measured if since <= day)[1]


@cache
def register() -> list[Ship]:
    """Give the ships of the register."""
    return [
        Ship(
            name=ship["name"],
            rig=ship["rig"],
            home=ship["home"],
            owner=ship["owner"],
            draught_cm=round(ship["draught_m"] * 100),
            hold_tenths=round(ship["hold_tons"] * 10),
            former=tuple((f["name"], date.fromisoformat(f["until"])) for f in ship["former_names"]),
            measured=tuple((date.fromisoformat(m["from"]), m["tons"]) for m in ship["measured"]),
        )
        for ship in json.loads(text("ships.json"))
    ]


def ship_named(name: str) -> Ship:
    """Give the ship that bears a name at present."""
    return next(ship for ship in register() if ship.name == name)


@dataclass(frozen=True, slots=True, kw_only=True)
class Arrival:
    """An arrival that stands."""

    no: str
    day: date
    time: str
    harbour: str
    ship: Ship
    origin: str
    nights: int


@cache
def arrivals() -> list[Arrival]:
    """Give the arrivals of 1934 without those that are struck."""
    found = []
    for row in rows("arrivals.csv"):
        if row["no"] in _struck():
            continue
        day = dotted(row["date"])
        found.append(
            Arrival(
                no=row["no"],
                day=day,
                time=row["time"],
                harbour=row["harbour"],
                ship=next(s for s in register() if s.name_on(day) == row["ship"]),
                origin=row["from"],
                nights=int(row["nights"]),
            )
        )
    return found


@dataclass(frozen=True, slots=True, kw_only=True)
class Consignment:
    """Goods that an arrival landed; ``worth`` in pins."""

    arrival: Arrival
    goods: str
    quantity: int
    unit: str
    worth: int
    consignee: str


@cache
def consignments() -> list[Consignment]:
    """Give the consignments of the arrivals that stand."""
    by_no = {arrival.no: arrival for arrival in arrivals()}
    found = []
    for line in text("manifests.jsonl").splitlines():
        record = {key: str(value) for key, value in json.loads(line).items()}
        if record["arrival"] not in by_no:
            continue
        place = f"arrival {record['arrival']} line {record['line']}"
        record = corrected("manifests.jsonl", place, record)
        found.append(
            Consignment(
                arrival=by_no[record["arrival"]],
                goods=record["goods"],
                quantity=int(record["quantity"]),
                unit=record["unit"],
                worth=pins(record["value"]),
                consignee=record["consignee"],
            )
        )
    return found


def _struck() -> set[str]:
    readings = [reading for found in errata("arrivals.csv").values() for reading in found]
    return {match[1] for match in (re.search(r"strike no (\d+)", r) for r in readings) if match}
