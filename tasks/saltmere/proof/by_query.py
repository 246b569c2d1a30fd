"""Lookups and aggregates a second time, each as a query over the papers' database."""

from __future__ import annotations

import sqlite3
from datetime import date, datetime, timedelta
from decimal import Decimal
from itertools import pairwise

CODE = "(SELECT code FROM islands WHERE name = '{}')"


def answers(db: sqlite3.Connection) -> dict[str, str]:
    """Answer every question that a query can answer."""
    found = {task: _one(db, query) for task, query in _LOOKUPS.items()}
    found |= {task: _one(db, query) for task, query in _AGGREGATES.items()}
    return found | {
        "mayors/quern-gap": _gap(db),
        "logs/february-minutes": _lit(db),
        "tides/pellam-bar": _crossings(db),
    }


def _one(db: sqlite3.Connection, query: str) -> str:
    """Give the only row, or the first of two whose order is not in doubt."""
    rows = db.execute(query).fetchall()
    assert rows, f"nothing found by {query}"
    assert len(rows) == 1 or rows[0][1] != rows[1][1], f"a tie: {rows}"
    return str(rows[0][0])


def _gap(db: sqlite3.Connection) -> str:
    start, end = date(1880, 1, 1), date(1919, 12, 31)
    terms = db.execute(
        f"SELECT first, last FROM terms WHERE island = {CODE.format('Quern')} ORDER BY first"
    ).fetchall()
    spans = [(date.fromisoformat(a), date.fromisoformat(b)) for a, b in terms]
    assert all(a[1] < b[0] for a, b in pairwise(spans))
    clipped = [(max(a, start), min(b, end)) for a, b in spans if a <= end and b >= start]
    return str((end - start).days + 1 - sum((b - a).days + 1 for a, b in clipped))


def _lit(db: sqlite3.Connection) -> str:
    total = timedelta()
    for night, lit, out in db.execute(
        "SELECT night, lit, out FROM nights WHERE night LIKE '%Feb 1934' AND lit <> ''"
    ):
        start = datetime.strptime(f"{night} {lit}", "%d %b %Y %H:%M")  # noqa: DTZ007 - no zone
        end = datetime.strptime(f"{night} {out}", "%d %b %Y %H:%M")  # noqa: DTZ007 - no zone
        total += end + timedelta(days=1) - start
    return str(int(total.total_seconds()) // 60)


def _crossings(db: sqlite3.Connection) -> str:
    standard, later, higher, bar = db.execute(
        f"SELECT standard, hw_minutes, hw_m, bar_m FROM ports WHERE port = {CODE.format('Pellam')}"
    ).fetchone()
    draught = db.execute("SELECT draught_m FROM ships WHERE name = 'Sarah Thole'").fetchone()[0]
    count = 0
    for day, time, height in db.execute(
        "SELECT date, time, height_m FROM tides WHERE port = ? AND kind = 'HW'", [standard]
    ):
        moment = datetime.strptime(f"{day} {time}", "%d.%m.%Y %H:%M")  # noqa: DTZ007 - no zone
        depth = Decimal(height) + Decimal(str(higher)) + Decimal(str(bar))
        in_june = f"{moment + timedelta(minutes=later):%m}" == "06"
        count += in_june and depth >= Decimal(str(draught)) + Decimal("0.3")
    return str(count)


_LOOKUPS = {
    "islands/once-lornet": """
        SELECT i.name FROM island_names n JOIN islands i USING (code)
        WHERE n.name = 'Lornet' AND '1890-01-01' >= n.since AND '1890-01-01' < n.until""",
    "mayors/merrowby-1889": f"""
        SELECT name FROM terms WHERE island = {CODE.format("Merrowby")}
        AND '1889-08-14' BETWEEN first AND last""",
    "ships/owner-of-arrival": """
        SELECT owner FROM calls JOIN ships USING (reg) WHERE no = '0300'""",
    "tides/first-low-water": f"""
        SELECT height_m, time FROM tides WHERE port = {CODE.format("Harrowick")}
        AND date = '02.06.1935' AND kind = 'LW' ORDER BY time LIMIT 2""",
    "mayors/largest-island": """
        SELECT (SELECT name FROM terms WHERE island = code
                AND '1901-04-01' BETWEEN first AND last), heads
        FROM people WHERE year = '1901' ORDER BY heads DESC LIMIT 2""",
    "ships/renamed-last": """
        SELECT c.no, c.day || c.time FROM calls c
        JOIN (SELECT reg, until FROM ship_names WHERE until LIKE '1934%'
              ORDER BY until DESC LIMIT 1) AS last ON c.reg = last.reg AND c.day >= last.until
        ORDER BY c.day, c.time LIMIT 2""",
    "registry/holder": """
        SELECT holder, date FROM valid WHERE plot = 'P-52' AND holder <> ''
        AND date <= '1920-01-01' ORDER BY date DESC LIMIT 2""",
    "manifests/dearest-oil": """
        SELECT consignee, worth FROM landed WHERE goods = 'lamp oil' ORDER BY worth DESC LIMIT 2""",
    "logs/keeper-of-the-night": f"""
        SELECT (SELECT keeper FROM nights WHERE log LIKE '%jessop_rock%' AND night =
                  substr(day, 9) || ' '
                  || substr('JanFebMarApr', 3 * substr(day, 6, 2) - 2, 3) || ' 1934'),
               sum(worth)
        FROM landed WHERE harbour = {CODE.format("Orrin")} AND day <= '1934-04-30'
        GROUP BY arrival ORDER BY sum(worth) DESC LIMIT 2""",
}
_AGGREGATES = {
    "islands/lee-side-area": """
        SELECT sum(whole(area_ha)) FROM islands WHERE "group" = 'Lee Side'""",
    "arrivals/harrowick": f"""
        SELECT count(*) FROM calls WHERE harbour = {CODE.format("Harrowick")}""",
    "ships/median-ketch": """
        WITH k AS (SELECT (SELECT tons FROM tonnage t WHERE t.reg = s.reg
                           ORDER BY since DESC LIMIT 1) AS tons
                   FROM ships s WHERE rig = 'ketch'),
             r AS (SELECT tons, row_number() OVER (ORDER BY tons) AS place,
                          count(*) OVER () AS n FROM k)
        SELECT printf('%.1f', avg(tons)) FROM r WHERE place IN ((n + 1) / 2, (n + 2) / 2)""",
    "census/lornet-change": f"""
        SELECT sum(CASE year WHEN '1931' THEN heads ELSE -heads END) FROM people
        WHERE code = {CODE.format("Lornet")} AND year IN ('1871', '1931')""",
    "manifests/salt-at-nettlehythe": f"""
        SELECT sum(quantity * CASE unit WHEN 'last' THEN 12 ELSE 1 END) FROM landed
        WHERE goods = 'salt' AND harbour = {CODE.format("Nettlehythe")}
        AND day BETWEEN '1934-04-01' AND '1934-09-30'""",
    "dues/fenlow": f"""
        WITH c AS (SELECT calls.*, home, harbour_class,
                     (SELECT tons FROM tonnage t WHERE t.reg = calls.reg AND since <= day
                      ORDER BY since DESC LIMIT 1) AS tons
                   FROM calls JOIN ships USING (reg) JOIN islands ON code = harbour),
             d AS (SELECT *, CASE WHEN tons <= 30 AND harbour_class = 'C' THEN 0
                                  WHEN tons <= 30 THEN tons
                                  WHEN tons <= 80 THEN 2 * tons
                                  WHEN tons <= 150 THEN 3 * tons ELSE 4 * tons END
                             + CASE WHEN nights > 2 THEN 12 * (nights - 2) ELSE 0 END AS due
                   FROM c)
        SELECT sum(CASE WHEN home = harbour THEN due / 2 ELSE due END
                   + CASE origin WHEN 'abroad' THEN pins('2m 5p') ELSE 0 END)
        FROM d WHERE harbour = {CODE.format("Fenlow")}""",
    "registry/holdings": """
        WITH p AS (SELECT DISTINCT plot FROM valid),
             h AS (SELECT plot,
                     (SELECT holder FROM valid v WHERE v.plot = p.plot AND holder <> ''
                      AND date <= '1905-01-01' ORDER BY date DESC LIMIT 1) AS holder,
                     (SELECT area / CASE unit WHEN 'strip' THEN 4.0 ELSE 1.0 END FROM valid v
                      WHERE v.plot = p.plot AND area <> '' AND date <= '1905-01-01'
                      ORDER BY date DESC LIMIT 1) AS size
                   FROM p)
        SELECT printf('%.2f', sum(size)) FROM h WHERE holder = 'Merete Halyard'""",
    "manifests/merrowby-balance": f"""
        SELECT (SELECT sum(worth) FROM landed WHERE origin = {CODE.format("Merrowby")})
             - (SELECT sum(worth) FROM landed WHERE harbour = {CODE.format("Merrowby")})""",
}
