"""Questions that count and add up."""

from __future__ import annotations

import json
from collections.abc import Callable
from datetime import date, timedelta
from statistics import median

from lamps import watches
from land import deeds, hectares_on, holder_on
from offices import census, terms
from papers import code_of, dotted, islands, minutes, number, rows, text
from shipping import Arrival, arrivals, consignments, register, ship_named


def area_of_the_lee_side() -> str:
    """Add up the areas of the islands of the Lee Side."""
    return str(sum(number(i["area_ha"]) for i in islands().values() if i["group"] == "Lee Side"))


def arrivals_at_harrowick() -> str:
    """Count the arrivals at Harrowick."""
    return str(sum(a.harbour == code_of("Harrowick") for a in arrivals()))


def median_tons_of_ketches() -> str:
    """Give the median of the present tons of all ketches."""
    tons = [s.tons_on(date(1935, 12, 31)) for s in register() if s.rig == "ketch"]
    return f"{median(tons):.1f}"


def change_on_lornet() -> str:
    """Give the change in inhabitants of Lornet from 1871 to 1931."""
    code = code_of("Lornet")
    return str(census()[1931, code] - census()[1871, code])


def salt_at_nettlehythe() -> str:
    """Count the sacks of salt landed at Nettlehythe from April to September."""
    landed = [
        c
        for c in consignments()
        if c.goods == "salt"
        and c.arrival.harbour == code_of("Nettlehythe")
        and date(1934, 4, 1) <= c.arrival.day <= date(1934, 9, 30)
    ]
    return str(sum(c.quantity * (12 if c.unit == "last" else 1) for c in landed))


def days_without_mayor() -> str:
    """Count the days from 1880 to 1919 on which Quern had no mayor."""
    held = terms()[code_of("Quern")]
    days = (date(1880, 1, 1) + timedelta(days=n) for n in range(366 * 40))
    in_time = (day for day in days if day <= date(1919, 12, 31))
    return str(sum(not any(t.first <= day <= t.last for t in held) for day in in_time))


def lamp_minutes_of_february() -> str:
    """Add up the minutes for which three lights were lit in the nights of February 1934."""
    nights = [
        w for light in ("Cold Ness Head", "Jessop Rock", "Kelda Crown") for w in watches(light)
    ]
    return str(sum(w.lit_minutes() for w in nights if w.night.month == 2))


def crossings_at_pellam() -> str:
    """Count June's high waters at Pellam on which the Sarah Thole may cross the bar."""
    port = next(p for p in _secondary_ports() if p["port"] == code_of("Pellam"))
    least = ship_named("Sarah Thole").draught_cm + 30
    return str(sum(_centimetres(port["bar_m"]) + height >= least for height in _high_waters(port)))


def dues_at_fenlow() -> str:
    """Add up the dues of all arrivals at Fenlow, in pins."""
    return str(sum(_due(a) for a in arrivals() if a.harbour == code_of("Fenlow")))


def land_of_a_holder() -> str:
    """Add up the hectares that Merete Halyard held on 1 January 1905."""
    day = date(1905, 1, 1)
    plots = {d.plot for d in deeds()}
    held = [p for p in plots if holder_on(p, day) == "Merete Halyard"]
    return f"{sum(hectares_on(p, day) for p in held):.2f}"


def balance_of_merrowby() -> str:
    """Give what came from Merrowby elsewhere less what was landed at Merrowby, in pins."""
    home = code_of("Merrowby")
    sent = sum(c.worth for c in consignments() if c.arrival.origin == home)
    landed = sum(c.worth for c in consignments() if c.arrival.harbour == home)
    return str(sent - landed)


def _due(arrival: Arrival) -> int:
    tons = arrival.ship.tons_on(arrival.day)
    rate = next(rate for most, rate in ((30, 1), (80, 2), (150, 3), (9999, 4)) if tons <= most)
    small_in_c = islands()[arrival.harbour]["harbour_class"] == "C" and tons <= 30
    due = (0 if small_in_c else tons * rate) + 12 * max(0, arrival.nights - 2)
    if arrival.ship.home == arrival.harbour:
        due //= 2
    return due + (45 if arrival.origin == "abroad" else 0)


def _secondary_ports() -> list[dict[str, object]]:
    return list(json.loads(text("tide_differences.json")))


def _high_waters(port: dict[str, object]) -> list[int]:
    """Give the heights in centimetres of the high waters whose own time falls into June."""
    heights = []
    for row in rows("tides.csv"):
        if row["port"] == port["standard"] and row["kind"] == "HW":
            day = dotted(row["date"])
            moment = minutes(row["time"]) + int(str(port["hw_minutes"]))
            if (day + timedelta(days=moment // 1440)).month == 6:
                heights.append(_centimetres(row["height_m"]) + _centimetres(port["hw_m"]))
    return heights


def _centimetres(metres: object) -> int:
    return round(float(str(metres)) * 100)


AGGREGATES: dict[str, Callable[[], str]] = {
    "islands/lee-side-area": area_of_the_lee_side,
    "arrivals/harrowick": arrivals_at_harrowick,
    "ships/median-ketch": median_tons_of_ketches,
    "census/lornet-change": change_on_lornet,
    "manifests/salt-at-nettlehythe": salt_at_nettlehythe,
    "mayors/quern-gap": days_without_mayor,
    "logs/february-minutes": lamp_minutes_of_february,
    "tides/pellam-bar": crossings_at_pellam,
    "dues/fenlow": dues_at_fenlow,
    "registry/holdings": land_of_a_holder,
    "manifests/merrowby-balance": balance_of_merrowby,
}
