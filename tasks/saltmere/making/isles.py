"""The islands, the names they once bore, and the sea lanes between them."""

from __future__ import annotations

import math
from dataclasses import dataclass
from datetime import date
from random import Random


@dataclass(frozen=True, slots=True, kw_only=True)
class Island:
    """One island; ``harbour`` is its harbour's class or ``-``, x and y are nautical miles."""

    code: str
    name: str
    group: str
    area_ha: int
    peak_m: int
    settled: int
    harbour: str
    x: float
    y: float


_ROWS = """
S01 Skarvoe|North Skerries|612|188|1640|B|4|58
S02 Cold Ness|North Skerries|238|94|1702|C|13|63
S03 Rushay|North Skerries|905|61|1588|B|22|55
S04 Gannet Ey|North Skerries|47|112|1811|-|9|49
S05 Orrin|North Skerries|1240|301|1611|B|31|61
S06 Varrow|North Skerries|333|140|1725|-|19|45
S07 Quern|Middle Water|718|77|1534|B|28|44
S08 Harrowick|Middle Water|2165|254|1490|A|36|40
S09 Brackwater|Middle Water|1892|119|1502|A|45|47
S10 Fenlow|Middle Water|864|38|1560|C|41|31
S11 Lornet|Middle Water|419|83|1655|-|30|33
S12 Merrowby|Middle Water|1077|166|1521|B|51|37
S13 Eddering|Lee Side|690|102|1577|C|60|44
S14 Pellam|Lee Side|951|210|1543|B|63|33
S15 Thrale|Lee Side|206|58|1760|-|69|39
S16 Nettlehythe|Lee Side|1330|147|1515|A|58|24
S17 Ossel|Lee Side|541|90|1618|C|70|25
S18 Ulmer|Lee Side|777|131|1599|B|50|18
S19 Tansilore|Outer Holms|488|226|1671|B|24|20
S20 Kelda|Outer Holms|365|343|1689|C|12|27
S21 Wick Sand|Outer Holms|92|11|1840|-|17|12
S22 Dunmarrow|Outer Holms|1015|278|1607|B|36|9
S23 Jessop Rock|Outer Holms|18|49|1866|-|6|15
S24 Inver Sallow|Outer Holms|584|155|1632|C|60|8
"""

# (code, name, first day, first day of the name after it)
FORMER_NAMES = [
    ("S03", "Long Reed", None, date(1903, 1, 1)),
    ("S07", "Millstone", None, date(1887, 5, 1)),
    ("S11", "Little Lornet", None, date(1899, 7, 1)),
    ("S15", "Pellam Minor", None, date(1882, 1, 1)),
    ("S18", "Lornet", None, date(1899, 7, 1)),
    ("S20", "Seal Holm", None, date(1874, 6, 1)),
    ("S20", "Queensholm", date(1874, 6, 1), date(1919, 9, 12)),
]


def islands() -> dict[str, Island]:
    """Give every island by its code."""
    return {island.code: island for island in map(_island, _ROWS.strip().splitlines())}


def name_on(code: str, day: date) -> str:
    """Give the name that an island bore on a day."""
    for former, name, start, end in FORMER_NAMES:
        if former == code and (start is None or start <= day) and day < end:
            return name
    return islands()[code].name


def lanes(random: Random) -> dict[tuple[str, str], tuple[float, str]]:
    """Make the sea lanes: miles and season by the pair of codes in ascending order."""
    everywhere = islands()
    found: dict[tuple[str, str], tuple[float, str]] = {}
    for code, island in everywhere.items():
        near = sorted(
            (other for other in everywhere.values() if other.code != code),
            key=lambda other: _distance(island, other),
        )
        for rank, other in enumerate(near[:4]):
            low, high = sorted((code, other.code))
            if (low, high) not in found:
                miles = round(_distance(island, other) * random.uniform(1.02, 1.35), 1)
                found[low, high] = (miles, _season(rank, random))
    return found


def lane_rows(known: dict[tuple[str, str], tuple[float, str]], random: Random) -> list[list[str]]:
    """Write the lanes as the pilots listed them: shuffled, turned about, some of them twice."""
    rows = []
    for (low, high), (miles, season) in known.items():
        ends = [low, high] if random.random() < 0.5 else [high, low]
        rows.append([*ends, f"{miles:.1f}", season])
        if random.random() < 0.12:
            rows.append([*reversed(ends), f"{miles:.1f}", season])
    random.shuffle(rows)
    return rows


def island_rows() -> list[list[str]]:
    """Write the islands as rows of the gazetteer."""
    return [
        [i.code, i.name, i.group, f"{i.area_ha:,}", str(i.peak_m), i.harbour, str(i.settled)]
        for i in islands().values()
    ]


def former_names_table() -> str:
    """Write the former names as a Markdown table."""
    lines = ["| code | former name | borne from | borne until (first day of the next name) |"]
    lines.append("|---|---|---|---|")
    for code, name, start, end in FORMER_NAMES:
        since = start.isoformat() if start else "time out of mind"
        lines.append(f"| {code} | {name} | {since} | {end.isoformat()} |")
    return "\n".join(lines) + "\n"


def _island(row: str) -> Island:
    head, group, area, peak, settled, harbour, x, y = row.split("|")
    code, name = head.split(" ", 1)
    return Island(
        code=code,
        name=name,
        group=group,
        area_ha=int(area),
        peak_m=int(peak),
        settled=int(settled),
        harbour=harbour,
        x=float(x),
        y=float(y),
    )


def _distance(a: Island, b: Island) -> float:
    return math.hypot(a.x - b.x, a.y - b.y)


def _season(rank: int, random: Random) -> str:
    # The nearest neighbour is always reached, so that no island is cut off in winter by itself.
    if rank == 0 or random.random() < 0.62:
        return "all year"
    return random.choice(["Apr-Sep", "May-Oct"])
