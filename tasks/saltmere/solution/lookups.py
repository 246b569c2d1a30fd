"""Questions that follow a chain of entries."""

from __future__ import annotations

from collections.abc import Callable
from datetime import date

from lamps import watches
from land import holder_on
from offices import census, terms
from papers import code_of, code_on, dotted, islands, rows
from shipping import arrivals, consignments, register


def island_called_lornet_in_1890() -> str:
    """Give the present name of the island that was called Lornet on 1 January 1890."""
    return islands()[code_on("Lornet", date(1890, 1, 1))]["name"]


def mayor_of_merrowby() -> str:
    """Name the mayor of Merrowby on 14 August 1889."""
    return _mayor_on(code_of("Merrowby"), date(1889, 8, 14))


def owner_of_arrival() -> str:
    """Name the owner of the ship that made arrival 0300."""
    arrival = next(a for a in arrivals() if a.no == "0300")
    return arrival.ship.owner


def first_low_water() -> str:
    """Give the height of the first low water at Harrowick on 2 June 1935."""
    port = code_of("Harrowick")
    lows = [r for r in rows("tides.csv") if r["port"] == port and r["kind"] == "LW"]
    of_day = [r for r in lows if dotted(r["date"]) == date(1935, 6, 2)]
    return min(of_day, key=lambda r: r["time"])["height_m"]


def mayor_of_the_largest() -> str:
    """Name the mayor, on census day 1901, of the island with most inhabitants."""
    counted = {code: n for (year, code), n in census().items() if year == 1901}
    return _mayor_on(max(counted, key=counted.__getitem__), date(1901, 4, 1))


def first_entry_under_new_name() -> str:
    """Give the first arrival, under its new name, of the ship that was renamed last in 1934."""
    renamed = [(until, ship.name) for ship in register() for _, until in ship.former]
    day, name = max((until, name) for until, name in renamed if until.year == 1934)
    after = [a for a in arrivals() if a.ship.name == name and a.day >= day]
    return min(after, key=lambda a: (a.day, a.time)).no


def holder_of_plot() -> str:
    """Name the holder of a plot on 1 January 1920."""
    return str(holder_on("P-52", date(1920, 1, 1)))


def consignee_of_dearest_oil() -> str:
    """Name the consignee of the consignment of lamp oil with the highest value."""
    oil = [c for c in consignments() if c.goods == "lamp oil"]
    return max(oil, key=lambda c: c.worth).consignee


def keeper_of_the_night() -> str:
    """Name the keeper on Jessop Rock in the night after the richest early landing on Orrin."""
    worth: dict[str, int] = {}
    days = {}
    for c in consignments():
        if c.arrival.harbour == code_of("Orrin") and c.arrival.day < date(1934, 5, 1):
            worth[c.arrival.no] = worth.get(c.arrival.no, 0) + c.worth
            days[c.arrival.no] = c.arrival.day
    day = days[max(worth, key=worth.__getitem__)]
    return next(w.keeper for w in watches("Jessop Rock") if w.night == day)


def _mayor_on(seat: str, day: date) -> str:
    return next(term.name for term in terms()[seat] if term.first <= day <= term.last)


LOOKUPS: dict[str, Callable[[], str]] = {
    "islands/once-lornet": island_called_lornet_in_1890,
    "mayors/merrowby-1889": mayor_of_merrowby,
    "ships/owner-of-arrival": owner_of_arrival,
    "tides/first-low-water": first_low_water,
    "mayors/largest-island": mayor_of_the_largest,
    "ships/renamed-last": first_entry_under_new_name,
    "registry/holder": holder_of_plot,
    "manifests/dearest-oil": consignee_of_dearest_oil,
    "logs/keeper-of-the-night": keeper_of_the_night,
}
