"""The papers as one SQLite database, with the corrections made by UPDATE and DELETE."""

from __future__ import annotations

import csv
import json
import re
import sqlite3
from pathlib import Path

_CSV = (
    "islands",
    "census",
    "registry",
    "arrivals",
    "sea_lanes",
    "timetable",
    "tides",
    "lots",
    "signal_book",
)


def database(data: Path) -> sqlite3.Connection:
    """Load every paper; dates become ISO text, money stays as it is written."""
    db = sqlite3.connect(":memory:")
    db.create_function("pins", 1, _pins, deterministic=True)
    db.create_function("iso", 1, _iso, deterministic=True)
    db.create_function("whole", 1, lambda text: int(text.replace(",", "")), deterministic=True)
    for name in _CSV:
        with (data / f"{name}.csv").open(encoding="utf-8") as file:
            header, *rows = list(csv.reader(file))
        _table(db, name, header, rows)
    _load_json(db, data)
    _load_text(db, data)
    _correct(db, data)
    db.executescript(_VIEWS)
    return db


def _table(db: sqlite3.Connection, name: str, columns: list[str], rows: list[list[str]]) -> None:
    quoted = ", ".join(f'"{column}"' for column in columns)
    db.execute(f"CREATE TABLE {name} ({quoted})")
    marks = ", ".join("?" * len(columns))
    db.executemany(f"INSERT INTO {name} VALUES ({marks})", rows)


def _load_json(db: sqlite3.Connection, data: Path) -> None:
    def read(name: str) -> str:
        return (data / name).read_text("utf-8")

    manifests = [json.loads(line) for line in read("manifests.jsonl").splitlines()]
    _table(db, "manifests", list(manifests[0]), [[str(v) for v in m.values()] for m in manifests])
    seats = json.loads(read("mayors.json"))
    terms = [[s["island"], t["name"], t["from"], t["to"]] for s in seats for t in s["terms"]]
    _table(db, "terms", ["island", "name", "first", "last"], terms)
    db.execute("UPDATE terms SET last = '1935-12-31' WHERE last IS NULL")
    ships = json.loads(read("ships.json"))
    columns = ["reg", "name", "rig", "home", "owner", "draught_m", "hold_tons"]
    _table(db, "ships", columns, [[ship[c] for c in columns] for ship in ships])
    former = [[s["reg"], f["name"], "", f["until"]] for s in ships for f in s["former_names"]]
    now = [[s["reg"], s["name"], *_since(s), "9999"] for s in ships]
    _table(db, "ship_names", ["reg", "name", "since", "until"], former + now)
    tons = [[s["reg"], m["from"], m["tons"]] for s in ships for m in s["measured"]]
    _table(db, "tonnage", ["reg", "since", "tons"], tons)
    ports = json.loads(read("tide_differences.json"))
    _table(db, "ports", list(ports[0]), [list(port.values()) for port in ports])
    bottles = json.loads(read("bottles.json"))
    _table(db, "bottles", ["found", "island", "text"], [list(b.values()) for b in bottles])


def _load_text(db: sqlite3.Connection, data: Path) -> None:
    names = re.findall(
        r"^\| (S\d\d) \| ([^|]+) \| ([^|]+) \| ([-\d]+) \|$",
        (data / "former_names.md").read_text("utf-8"),
        re.MULTILINE,
    )
    former = [[c, name, "" if "time" in since else since, until] for c, name, since, until in names]
    latest = {code: until for code, _, _, until in sorted(former, key=lambda row: row[3])}
    present = db.execute("SELECT code, name FROM islands").fetchall()
    now = [[code, name, latest.get(code, ""), "9999"] for code, name in present]
    _table(db, "island_names", ["code", "name", "since", "until"], former + now)
    lights = re.findall(
        r"^\d+ +(\S.*?) +(S\d\d) +(\S.*?)  +\d+ +\d+ +\d+$",
        (data / "lights.txt").read_text("utf-8"),
        re.MULTILINE,
    )
    _table(db, "lights", ["name", "island", "character"], [list(row) for row in lights])
    nights = []
    for path in sorted((data / "logs").iterdir()):
        for line in path.read_text("utf-8").splitlines()[1:]:
            lit, out = (re.search(rf"\| {w} (\d\d:\d\d)", line) for w in ("lit", "out"))
            keeper = re.search(r"(?:oil \d+ pt|not lit) \| ([^|]+) \|", line)
            assert keeper, line
            times = [m[1] if m else "" for m in (lit, out)]
            nights.append([f"logs/{path.name}", line[4:15], *times, keeper[1]])
    _table(db, "nights", ["log", "night", "lit", "out", "keeper"], nights)


def _correct(db: sqlite3.Connection, data: Path) -> None:
    lines = [line.split(" | ") for line in (data / "errata.txt").read_text("utf-8").splitlines()]
    gone = {place for _, paper, place, _ in lines if paper == "errata.txt"}
    made = 0
    for mark, paper, place, reading in lines:
        if mark in gone or paper == "errata.txt":
            continue
        if paper == "arrivals.csv":
            number = reading.rpartition(" ")[2]
            count = db.execute("DELETE FROM arrivals WHERE no = ?", [number]).rowcount
            db.execute("DELETE FROM manifests WHERE arrival = ?", [number])
        else:
            field, old, new = re.findall(r"^for (\w+) (.+) read (.+)$", reading)[0]
            table, where, values = _target(paper, place)
            count = db.execute(
                f'UPDATE {table} SET "{field}" = ? WHERE {where} AND "{field}" = ?',
                [new, *values, old],
            ).rowcount
        assert count == 1, f"{mark} changes {count} rows"
        made += 1
    assert made == len(lines) - 2 * len(gone)


def _target(paper: str, place: str) -> tuple[str, str, list[str]]:
    """Give the table, the condition and its values for the place that a correction names."""
    if paper == "census.csv":
        year, name = place.split(" ", 1)
        remark = "recount" if name.endswith(" recount") else ""
        values = [year, name.removesuffix(" recount"), remark]
        return "census", "year = ? AND island = ? AND remark = ?", values
    if paper == "manifests.jsonl":
        _, arrival, _, line = place.split(" ")
        return "manifests", "arrival = ? AND line = ?", [arrival, line]
    if paper == "timetable.csv":
        run, start, _, end = re.findall(r"^(.+), (\S+) (to) (\S+)$", place)[0]
        return "timetable", 'run = ? AND "from" = ? AND "to" = ?', [run, start, end]
    if paper == "lights.txt":
        return "lights", "name = ?", [place]
    assert paper.startswith("logs/"), paper
    return "nights", "log = ? AND night = ?", [paper, place.removeprefix("night of ")]


def _since(ship: dict[str, list[dict[str, str]]]) -> list[str]:
    return [max((f["until"] for f in ship["former_names"]), default="")]


def _pins(text: str) -> int:
    marks, _, rest = text.replace("p", "").rpartition("m") if "m" in text else ("0", "", text[:-1])
    return 20 * int(marks) + int(rest or 0)


def _iso(text: str) -> str:
    return "-".join(reversed(text.split(".")))


_VIEWS = """
CREATE VIEW people AS
  SELECT n.code, c.year, whole(c.males) + whole(c.females) AS heads
  FROM census c
  JOIN island_names n ON n.name = c.island AND c.year || '-04-01' >= n.since
   AND c.year || '-04-01' < n.until
  WHERE c.remark = 'recount' OR NOT EXISTS (
    SELECT 1 FROM census r WHERE r.year = c.year AND r.island = c.island AND r.remark = 'recount');
CREATE VIEW valid AS
  WITH void AS (SELECT entry, refers_to FROM registry WHERE kind = 'void')
  SELECT * FROM registry r WHERE kind <> 'void' AND NOT EXISTS (
    SELECT 1 FROM void v WHERE v.refers_to = r.entry
       AND NOT EXISTS (SELECT 1 FROM void w WHERE w.refers_to = v.entry));
CREATE VIEW calls AS
  SELECT a.no, iso(a.date) AS day, a.time, a.harbour, a."from" AS origin,
         CAST(a.nights AS INTEGER) AS nights, n.reg
  FROM arrivals a
  JOIN ship_names n ON n.name = a.ship AND iso(a.date) >= n.since AND iso(a.date) < n.until;
CREATE VIEW landed AS
  SELECT m.*, c.day, c.harbour, c.origin, pins(m.value) AS worth
  FROM manifests m JOIN calls c ON c.no = m.arrival;
"""
