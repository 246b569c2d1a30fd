"""Puzzles a second time, by other methods or by trying all."""

from __future__ import annotations

import re
import sqlite3
from collections.abc import Iterator
from fractions import Fraction
from itertools import permutations, product
from math import lcm
from pathlib import Path


def answers(db: sqlite3.Connection, data: Path) -> dict[str, str]:
    """Answer the puzzles."""
    code = dict(db.execute("SELECT name, code FROM islands").fetchall())
    return {
        "ships/anagram": _anagram(db),
        "signals/july-mast": _signal(db, data),
        "bottles/kelda": _bottle(db, code),
        "lights/together": _together(db),
        "chapel/floor": _floor(data),
        "fair/stalls": _fair(db),
        "lots/best-profit": _profit(db),
    }


def _anagram(db: sqlite3.Connection) -> str:
    isles = [row[0] for row in db.execute("SELECT name FROM islands")]
    ships = [row[0] for row in db.execute("SELECT name FROM ships")]
    found = [ship for ship, isle in product(ships, isles) if _spelled(ship) == _spelled(isle)]
    assert len(found) == 1
    return str(found[0])


def _spelled(name: str) -> list[str]:
    return sorted(re.sub(r"[^a-z]", "", name.lower()))


def _signal(db: sqlite3.Connection, data: Path) -> str:
    book = dict(db.execute("SELECT flag, meaning FROM signal_book").fetchall())
    assert len(set(book.values())) == 27
    hoists = re.findall(
        r"^19\.07\.1935 (\d\d\.\d\d)  (.+)$", (data / "mast.log").read_text("utf-8"), re.MULTILINE
    )
    words = []
    for _, flags in sorted(hoists):
        letters = [book[flag] for flag in flags.split(" / ")]
        words.append("".join(letters[n - 1] if x == "repeat" else x for n, x in enumerate(letters)))
    return " ".join(words)


def _bottle(db: sqlite3.Connection, code: dict[str, str]) -> str:
    ((text, light),) = db.execute(
        """SELECT text, name FROM bottles JOIN lights USING (island) WHERE island = ?""",
        [code["Kelda"]],
    ).fetchall()
    alphabet = "abcdefghijklmnopqrstuvwxyz"
    key = iter(light.lower().replace(" ", "") * 20)
    plain = re.sub(
        "[a-z]", lambda m: alphabet[alphabet.index(m[0]) - alphabet.index(next(key))], text
    )
    # Read by eye; the number's words are part of the claim.
    assert plain == "forty seven marks lie under the third thorn of the east wall", plain
    return "47"


def _together(db: sqlite3.Connection) -> str:
    """Count by multiples instead of second by second."""
    a, b, c = (
        int(re.findall(r"(\d+)s$", row[0])[0])
        for row in db.execute(
            "SELECT character FROM lights"
            " WHERE name IN ('Tansilore Cliff', 'Kelda Crown', 'Merrowby Knoll')"
        )
    )
    span = 3 * 3600
    pairs = span // lcm(a, b) + span // lcm(a, c) + span // lcm(b, c)
    return str(pairs - 2 * (span // lcm(a, b, c)))


def _floor(data: Path) -> str:
    """Lay all tiles of one shell at a time, each way a set of seven cells."""
    head, _, *lines = (data / "chapel_floor.txt").read_text("utf-8").splitlines()
    kept = {(r, c): tile for r, line in enumerate(lines) for c, tile in enumerate(line.split())}
    ways = []
    for shell in head.split(": ")[1].split(", "):
        own = {cell for cell, tile in kept.items() if tile == shell}
        foreign = {cell for cell, tile in kept.items() if tile not in ("?", shell)}
        fitting = [way for way in _ONE_SHELL if own <= way and not foreign & way]
        ways.append((shell, fitting))
    ways.sort(key=lambda entry: len(entry[1]))
    found = list(_laid(ways, {}))
    assert len(found) == 1
    return ", ".join(found[0][6, c] for c in range(7))


_ONE_SHELL = [
    frozenset(enumerate(columns))
    for columns in permutations(range(7))
    if sum(r == c for r, c in enumerate(columns)) == 1
    and sum(r + c == 6 for r, c in enumerate(columns)) == 1
]


def _laid(
    ways: list[tuple[str, list[frozenset[tuple[int, int]]]]], done: dict[tuple[int, int], str]
) -> Iterator[dict[tuple[int, int], str]]:
    if not ways:
        yield done
        return
    (shell, fitting), *others = ways
    for way in fitting:
        if not way & done.keys():
            yield from _laid(others, {**done, **dict.fromkeys(way, shell)})


def _fair(db: sqlite3.Connection) -> str:
    """Fill the row stall by stall with (holder, island, goods) and check the clues at the end."""
    isles = db.execute(
        "SELECT name, highest_point_m + 0, whole(area_ha), first_settled + 0, harbour_class,"
        ' "group" FROM islands'
        " WHERE name IN ('Kelda', 'Orrin', 'Ossel', 'Pellam', 'Quern', 'Thrale')"
    ).fetchall()
    highest = max(isles, key=lambda i: i[1])[0]
    largest = max(isles, key=lambda i: i[2])[0]
    oldest, *_, youngest = (i[0] for i in sorted(isles, key=lambda i: i[3]))
    harbourless = next(i[0] for i in isles if i[4] == "-")
    of_class_c = {i[0] for i in isles if i[4] == "C"}
    lee = {i[0] for i in isles if i[5] == "Lee Side"}
    from_isle = {"Fenna": largest, "Corin": oldest, "Jorun": "Ossel"}
    holders = ["Abel", "Merete", "Ulric", *from_isle]
    rest = [i[0] for i in isles if i[0] not in from_isle.values()]
    found = set()
    for order in permutations(rest):
        isle_of = {**from_isle, **dict(zip(["Abel", "Merete", "Ulric"], order, strict=True))}
        if isle_of["Merete"] not in lee:
            continue
        for row in permutations(holders):
            at = {who: n for n, who in enumerate(row)}
            isle = {isle_of[who]: n for who, n in at.items()}
            if (
                isle[highest] + 1 == isle[youngest]
                and at["Merete"] < at["Abel"]
                and isle["Pellam"] < isle["Orrin"]
                and at["Fenna"] < at["Corin"]
                and isle_of[row[5]] in of_class_c
                and _goods_exist(at["Ulric"], at["Jorun"], isle[harbourless])
            ):
                found.add(row)
    assert len(found) == 1
    return ", ".join(found.pop())


def _goods_exist(wool: int, baskets: int, eels: int) -> bool:
    for honey in (0, 5):
        for candles in (wool - 3, wool + 3):
            stalls = {wool, baskets, eels, honey, candles, candles - 1}
            if stalls == set(range(6)):
                return True
    return False


def _profit(db: sqlite3.Connection) -> str:
    """Branch on each lot, densest gain first, and cut where even parts of lots would not help."""
    hold = db.execute("SELECT hold_tons FROM ships WHERE name = 'Sea Campion'").fetchone()[0]
    lots = [
        (goods, Fraction(tons), gain)
        for goods, tons, gain in db.execute(
            "SELECT goods, tons, pins(offer) - pins(price) FROM lots"
        )
        if gain > 0
    ]
    lots.sort(key=lambda lot: lot[2] / lot[1], reverse=True)
    best = 0
    waiting: list[tuple[int, Fraction, int, frozenset[str]]] = [
        (0, Fraction(str(hold)), 0, frozenset())
    ]
    while waiting:
        n, room, gain, kinds = waiting.pop()
        best = max(best, gain)
        if n == len(lots) or gain + _at_most(lots[n:], room) <= best:
            continue
        goods, tons, more = lots[n]
        waiting.append((n + 1, room, gain, kinds))
        if tons <= room and not {"gunpowder", "lamp oil"} <= kinds | {goods}:
            waiting.append((n + 1, room - tons, gain + more, kinds | {goods}))
    return str(best)


def _at_most(lots: list[tuple[str, Fraction, int]], room: Fraction) -> Fraction:
    total = Fraction(0)
    for _, tons, gain in lots:
        part = min(tons, room)
        total += gain * part / tons
        room -= part
        if not room:
            break
    return total
