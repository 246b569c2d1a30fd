"""Shortest ways over the sea lanes."""

from __future__ import annotations

import heapq
from collections.abc import Iterable

from papers import islands, rows

MONTHS = ["Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec"]
Graph = dict[str, dict[str, float]]


def lanes_in(month: str) -> Graph:
    """Give the lanes that are open in a month, both ways, in tenths of a mile."""
    graph: Graph = {code: {} for code in islands()}
    for row in rows("sea_lanes.csv"):
        if _is_open(row["open"], month):
            tenths = int(row["nautical_miles"].replace(".", ""))
            graph[row["from"]][row["to"]] = tenths
            graph[row["to"]][row["from"]] = tenths
    return graph


def distances(graph: Graph, start: str) -> dict[str, float]:
    """Give the length of the shortest way from an island to each that can be reached."""
    settled: dict[str, float] = {}
    heap: list[tuple[float, str]] = [(0, start)]
    while heap:
        far, place = heapq.heappop(heap)
        if place in settled:
            continue
        settled[place] = far
        for other, length in graph[place].items():
            heapq.heappush(heap, (far + length, other))
    return settled


def shortest_round(graph: Graph, start: str, stops: Iterable[str]) -> float:
    """Give the shortest way from an island past all stops and back, by subsets of stops."""
    wanted = sorted(stops)
    far = {place: distances(graph, place) for place in (start, *wanted)}
    best = {(1 << n, n): far[start][stop] for n, stop in enumerate(wanted)}
    for done in range(1, 1 << len(wanted)):
        for last in range(len(wanted)):
            if (done, last) not in best:
                continue
            for n, stop in enumerate(wanted):
                if not done & 1 << n:
                    key = (done | 1 << n, n)
                    way = best[done, last] + far[wanted[last]][stop]
                    best[key] = min(best.get(key, way), way)
    whole = (1 << len(wanted)) - 1
    return min(best[whole, n] + far[stop][start] for n, stop in enumerate(wanted))


def _is_open(season: str, month: str) -> bool:
    if season == "all year":
        return True
    first, last = season.split("-")
    return MONTHS.index(first) <= MONTHS.index(month) <= MONTHS.index(last)
