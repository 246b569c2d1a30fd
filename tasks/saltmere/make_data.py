"""Make the papers of Saltmere: the same seed gives the same bytes.

Usage: python make_data.py [DIRECTORY]; without one, the suite's own ``data`` is written anew.
"""

from __future__ import annotations

import csv
import io
import json
import sys
from pathlib import Path
from random import Random

from making import (
    chapel,
    errata,
    ferries,
    isles,
    lights,
    offices,
    puzzles,
    registry,
    shipping,
    tides,
)

HERE = Path(__file__).resolve().parent
SEED = 1935


def papers() -> dict[str, str]:
    """Give every paper's text by its path."""
    made = {path.name: path.read_text("utf-8") for path in (HERE / "making" / "texts").iterdir()}
    made |= _places_and_people() | _lights_and_tides() | _puzzles()
    lanes = isles.lanes(_random("lanes"))
    timetable = ferries.timetable(_miles(), _random("ferries"))
    made["sea_lanes.csv"] = _csv(
        "from,to,nautical_miles,open", isles.lane_rows(lanes, _random("pilots"))
    )
    made["timetable.csv"] = _csv("run,days,from,to,departs,arrives,fare_pins", timetable)
    shipping_papers, corrections = _shipping()
    census = offices.census(_random("census"))
    made["census.csv"] = _csv("year,island,households,males,females,remark", _top_of_1901(census))
    made |= shipping_papers
    lines = [*errata.census_errata(census), *corrections, *errata.other_errata(made, timetable)]
    withdrawn = [n for n, line in enumerate(lines) if "for quantity" in line][-1]
    made["errata.txt"] = errata.numbered(lines, withdrawn=(withdrawn, 2))
    return made


def write(directory: Path) -> None:
    """Write every paper below a directory."""
    for name, text in papers().items():
        path = directory / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text, encoding="utf-8", newline="\n")


def _random(topic: str) -> Random:
    # Each paper draws from its own stream, so that a change in one leaves the others alone.
    return Random(f"{SEED} {topic}")


def _places_and_people() -> dict[str, str]:
    return {
        "islands.csv": _csv(
            "code,name,group,area_ha,highest_point_m,harbour_class,first_settled",
            isles.island_rows(),
        ),
        "former_names.md": "# Former names of islands\n\n" + isles.former_names_table(),
        "mayors.json": json.dumps(offices.mayors(_random("mayors")), indent=1) + "\n",
        "registry.csv": _csv(
            "entry,date,kind,plot,island,holder,area,unit,refers_to,remark",
            registry.registry(_random("registry")),
        ),
    }


def _lights_and_tides() -> dict[str, str]:
    return {
        "lights.txt": lights.list_of_lights(_random("lights")),
        **lights.logs(_random("logs")),
        "reliefs.md": lights.reliefs(_random("reliefs")),
        "tides.csv": _csv("port,date,time,kind,height_m", tides.tides(_random("tides"))),
        "tide_differences.json": json.dumps(tides.differences(), indent=1) + "\n",
    }


def _puzzles() -> dict[str, str]:
    book = puzzles.signal_book(_random("signals"))
    return {
        "signal_book.csv": _csv("flag,meaning", book),
        "mast.log": puzzles.mast_log(book, _random("mast")),
        "bottles.json": json.dumps(puzzles.bottles(), indent=1) + "\n",
        "chapel_floor.txt": chapel.floor(_random("floor")),
        "lots.csv": _csv("lot,goods,tons,price,offer,seller", puzzles.lots(_random("lots"))),
    }


def _shipping() -> tuple[dict[str, str], list[str]]:
    register = shipping.ships(_random("ships"))
    single = shipping.arrivals(register, _random("voyages"))
    entries = shipping.enter_twice(single, errata.duplicates(single))
    lines = shipping.manifests(entries, _random("manifests"))
    by_reg = {str(ship["reg"]): ship for ship in register}
    rows = [_arrival_row(a, shipping.ship_name(by_reg[a.ship], a.day)) for a in entries]
    made = {
        "ships.json": json.dumps(register, indent=1) + "\n",
        "arrivals.csv": _csv("no,date,time,harbour,ship,from,nights", rows),
        "manifests.jsonl": "".join(json.dumps(line) + "\n" for line in lines),
    }
    return made, errata.arrival_errata(entries) + errata.manifest_errata(entries, lines)


def _arrival_row(a: shipping.Arrival, ship: str) -> list[str]:
    return [f"{a.no:04}", f"{a.day:%d.%m.%Y}", a.time, a.harbour, ship, a.origin, str(a.nights)]


def _top_of_1901(census: list[list[str]]) -> list[list[str]]:
    """Recount Harrowick in 1901, so that the first count alone names the wrong largest island."""
    index, row = next((n, r) for n, r in enumerate(census) if r[:2] == ["1901", "Harrowick"])
    if census[index + 1][5]:
        del census[index + 1]
    row[3:5] = ["1,613", "1,588"]
    census.insert(index + 1, [*row[:3], "1,113", "1,188", "recount"])
    return census


def _miles() -> dict[tuple[str, str], float]:
    everywhere = isles.islands().values()
    return {
        (a.code, b.code): ((a.x - b.x) ** 2 + (a.y - b.y) ** 2) ** 0.5
        for a in everywhere
        for b in everywhere
    }


def _csv(header: str, rows: list[list[str]]) -> str:
    text = io.StringIO()
    writer = csv.writer(text, lineterminator="\n")
    writer.writerow(header.split(","))
    writer.writerows(rows)
    return text.getvalue()


if __name__ == "__main__":
    write(Path(sys.argv[1]) if len(sys.argv) > 1 else HERE / "data")
