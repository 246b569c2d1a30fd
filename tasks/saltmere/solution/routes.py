"""Questions about ways over the sea."""

from __future__ import annotations

import heapq
from collections.abc import Callable

from ferries import Leg, legs
from graphs import distances, lanes_in, shortest_round
from papers import clock, code_of, islands, minutes, rows

_CHANGE_MINUTES = 10


def direct_lanes_of_dunmarrow() -> str:
    """Name the islands with a lane to Dunmarrow that is open all year."""
    home = code_of("Dunmarrow")
    ends = [{r["from"], r["to"]} for r in rows("sea_lanes.csv") if r["open"] == "all year"]
    names = {islands()[code]["name"] for pair in ends if home in pair for code in pair - {home}}
    return ", ".join(sorted(names))


def first_sunday_boat() -> str:
    """Give the first direct departure from Skarvoe to Cold Ness on a Sunday."""
    start, end = code_of("Skarvoe"), code_of("Cold Ness")
    boats = [leg for leg in legs() if (leg.start, leg.end) == (start, end) and leg.sails_on("Su")]
    return clock(min(leg.departs for leg in boats))


def shortest_in_october() -> str:
    """Give the miles of the shortest way from Skarvoe to Inver Sallow in October."""
    far = distances(lanes_in("Oct"), code_of("Skarvoe"))
    return _miles(far[code_of("Inver Sallow")])


def winter_detour() -> str:
    """Give how many miles longer the way from Gannet Ey to Thrale is in January than in July."""
    start, end = code_of("Gannet Ey"), code_of("Thrale")
    winter, summer = (distances(lanes_in(month), start)[end] for month in ("Jan", "Jul"))
    return _miles(winter - summer)


def cheapest_fare() -> str:
    """Give the cheapest fare from Rushay to Kelda, whatever the days and times."""
    graph: dict[str, dict[str, float]] = {code: {} for code in islands()}
    for leg in legs():
        known = graph[leg.start].get(leg.end, leg.fare)
        graph[leg.start][leg.end] = min(known, leg.fare)
    return str(distances(graph, code_of("Rushay"))[code_of("Kelda")])


def earliest_on_saturday() -> str:
    """Give the earliest arrival at Dunmarrow from Rushay on a Saturday."""
    sailings = [leg for leg in legs() if leg.sails_on("Sa")]
    return clock(_earliest(sailings, code_of("Rushay"), code_of("Dunmarrow"), not_before=0))


def latest_on_tuesday() -> str:
    """Give the last departure from Kelda that reaches Thrale by 19:00 on a Tuesday."""
    sailings = [leg for leg in legs() if leg.sails_on("Tu")]
    start, end = code_of("Kelda"), code_of("Thrale")
    starts = sorted({leg.departs for leg in sailings if leg.start == start}, reverse=True)
    for departs in starts:
        if _earliest(sailings, start, end, not_before=departs) <= minutes("19:00"):
            return clock(departs)
    raise LookupError("no such boat")


def mail_round() -> str:
    """Give the miles of the shortest January round from Harrowick past six islands."""
    stops = ["Orrin", "Pellam", "Ulmer", "Tansilore", "Dunmarrow", "Varrow"]
    return _miles(shortest_round(lanes_in("Jan"), code_of("Harrowick"), map(code_of, stops)))


def _miles(tenths: float) -> str:
    return f"{tenths / 10:.1f}"


def _earliest(sailings: list[Leg], start: str, end: str, *, not_before: int) -> int:
    """Search the legs by arrival; who is aboard a run may stay aboard without changing."""
    after: dict[str, list[Leg]] = {}
    for leg in sailings:
        after.setdefault(leg.start, []).append(leg)
    heap = [(leg.arrives, n) for n, leg in enumerate(sailings)
            if leg.start == start and leg.departs >= not_before]  # fmt: skip
    heapq.heapify(heap)
    seen = set()
    number = {leg: n for n, leg in enumerate(sailings)}
    while heap:
        arrives, n = heapq.heappop(heap)
        here = sailings[n]
        if here.end == end:
            return arrives
        if n in seen:
            continue
        seen.add(n)
        for leg in after.get(here.end, []):
            wait = 0 if leg.run == here.run else _CHANGE_MINUTES
            if leg.departs >= arrives + wait:
                heapq.heappush(heap, (leg.arrives, number[leg]))
    return 24 * 60


ROUTES: dict[str, Callable[[], str]] = {
    "lanes/from-dunmarrow": direct_lanes_of_dunmarrow,
    "ferries/first-sunday-boat": first_sunday_boat,
    "lanes/october-way": shortest_in_october,
    "lanes/winter-detour": winter_detour,
    "ferries/cheapest-fare": cheapest_fare,
    "ferries/earliest-on-saturday": earliest_on_saturday,
    "ferries/latest-on-tuesday": latest_on_tuesday,
    "lanes/mail-round": mail_round,
}
