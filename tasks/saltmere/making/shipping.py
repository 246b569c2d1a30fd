"""The ship register, the arrivals of 1934 and what they landed."""

from __future__ import annotations

from dataclasses import dataclass, replace
from datetime import date, timedelta
from random import Random
from typing import cast

from making.isles import islands
from making.words import MERCHANTS, NEW_SHIP_NAMES, SHIPS, people

YEAR = 1934
HARBOURS = [i.code for i in islands().values() if i.harbour != "-"]
_PULL = {"A": 4, "B": 2, "C": 1, "-": 0}
_BERTHS = [i.code for i in islands().values() for _ in range(_PULL[i.harbour])]
_RIGS = {
    "smack": (18, 34),
    "sloop": (24, 60),
    "ketch": (45, 95),
    "schooner": (80, 170),
    "steam coaster": (120, 260),
}
_GOODS = {
    "salt": ("sack", 18, 24, 5, 90),
    "lamp oil": ("cask", 90, 130, 1, 12),
    "rope": ("coil", 30, 55, 2, 30),
    "dried fish": ("barrel", 40, 60, 2, 60),
    "wool": ("bale", 110, 160, 1, 20),
    "coal": ("ton", 25, 35, 4, 80),
    "barley": ("sack", 15, 21, 5, 80),
    "timber": ("load", 70, 110, 1, 18),
    "kelp ash": ("barrel", 22, 31, 2, 50),
    "slate": ("crate", 35, 48, 2, 24),
}


@dataclass(frozen=True, slots=True, kw_only=True)
class Arrival:
    """One arrival; ``ship`` is the register number and ``no`` the entry's number."""

    no: int
    day: date
    time: str
    harbour: str
    ship: str
    origin: str
    nights: int


def ships(random: Random) -> list[dict[str, object]]:
    """Make the register: present names, former ones, and tonnage as measured from a day on."""
    owners = [*people(22, random), *MERCHANTS[:6]]
    register = [_ship(n, name, owners, random) for n, name in enumerate(SHIPS, start=1)]
    for new_name, number in zip(NEW_SHIP_NAMES, [6, 13, 21, 30, 37], strict=True):
        day = date(YEAR, 1, 1) + timedelta(days=random.randrange(60, 300))
        old = register[number]["name"]
        register[number]["former_names"] = [{"name": old, "until": day.isoformat()}]
        register[number]["name"] = new_name
    return register


def arrivals(register: list[dict[str, object]], random: Random) -> list[Arrival]:
    """Sail every ship through the year; entries stand in order of day and hour."""
    every = [a for ship in register for a in _voyages(str(ship["reg"]), random)]
    every.sort(key=lambda a: (a.day, a.time, a.ship))
    return [replace(a, no=n) for n, a in enumerate(every, start=1)]


def enter_twice(entries: list[Arrival], chosen: list[Arrival]) -> list[Arrival]:
    """Enter the chosen arrivals a second time, right after the first, and number all anew."""
    twice = [copy for a in entries for copy in ([a, a] if a in chosen else [a])]
    return [replace(a, no=n) for n, a in enumerate(twice, start=1)]


def ship_name(ship: dict[str, object], day: date) -> str:
    """Give the name that a ship bore on a day."""
    for former in cast("list[dict[str, str]]", ship["former_names"]):
        if day < date.fromisoformat(former["until"]):
            return str(former["name"])
    return str(ship["name"])


def manifests(entries: list[Arrival], random: Random) -> list[dict[str, object]]:
    """Make the consignments of every arrival; a second entry repeats those of the first."""
    lines: list[dict[str, object]] = []
    before: tuple[Arrival, list[dict[str, object]]] | None = None
    for entry in entries:
        if before and replace(before[0], no=entry.no) == entry:
            own = [{**line, "arrival": f"{entry.no:04}"} for line in before[1]]
        else:
            own = [_consignment(entry, n, random) for n in range(1, random.randrange(4) + 1)]
        lines += own
        before = (entry, own)
    return lines


def money(pins: int) -> str:
    """Write an amount in marks and pins, twenty pins to the mark."""
    marks, rest = divmod(pins, 20)
    parts = ([f"{marks}m"] if marks else []) + ([f"{rest}p"] if rest or not marks else [])
    return " ".join(parts)


def _ship(number: int, name: str, owners: list[str], random: Random) -> dict[str, object]:
    rig = random.choice(list(_RIGS))
    tons = random.randrange(*_RIGS[rig])
    built = random.randrange(1871, 1930)
    measured = [{"from": f"{built}-06-01", "tons": tons}]
    if random.random() < 0.3:
        day = date(YEAR, 1, 1) + timedelta(days=random.randrange(20, 350))
        measured.append({"from": day.isoformat(), "tons": tons + random.choice([-4, -3, 3, 5, 7])})
    return {
        "reg": f"SM-{number:03}",
        "name": name,
        "rig": rig,
        "built": built,
        "home": random.choice(HARBOURS),
        "owner": random.choice(owners),
        "draught_m": round(1.4 + tons / 100 + random.randrange(4) / 10, 1),
        "hold_tons": round(tons * 0.62, 1),
        "measured": measured,
        "former_names": [],
    }


def _voyages(reg: str, random: Random) -> list[Arrival]:
    found = []
    here = random.choice(HARBOURS)
    day = date(YEAR, 1, 1) + timedelta(days=random.randrange(1, 16))
    while day.year == YEAR:
        abroad = random.random() < 0.08
        there = random.choice([h for h in _BERTHS if h != here])
        nights = random.randrange(6)
        time = f"{random.randrange(4, 22):02}:{random.randrange(0, 60, 5):02}"
        found.append(
            Arrival(
                no=0, day=day, time=time, harbour=there, ship=reg,
                origin="abroad" if abroad else here, nights=nights,
            )
        )  # fmt: skip
        here = there
        day += timedelta(days=nights + random.randrange(6, 40))
    return found


def _consignment(entry: Arrival, line: int, random: Random) -> dict[str, object]:
    goods = random.choice(list(_GOODS))
    unit, low, high, least, most = _GOODS[goods]
    quantity = random.randrange(least, most)
    worth = quantity * random.randrange(low, high)
    if goods == "salt" and random.random() < 0.25:
        unit, quantity = "last", random.randrange(1, 9)
        worth = quantity * 12 * random.randrange(low, high)
    shipper, consignee = random.sample(MERCHANTS, 2)
    return {
        "arrival": f"{entry.no:04}",
        "line": line,
        "goods": goods,
        "quantity": quantity,
        "unit": unit,
        "value": money(worth),
        "shipper": shipper,
        "consignee": consignee,
    }
