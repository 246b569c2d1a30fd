"""Questions that need a search or a key."""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Iterator
from datetime import date

from fair import arrangements
from graphs import distances, lanes_in
from lamps import lights
from papers import code_of, dotted, islands, pins, rows, text
from shipping import register, ship_named

Cell = tuple[int, int]


def anagram() -> str:
    """Name the ship whose name is an anagram of an island's."""
    isles = {_letters(row["name"]) for row in islands().values()}
    (ship,) = [s.name for s in register() if _letters(s.name) in isles]
    return ship


def signal_of_a_day() -> str:
    """Read the message that flew from the mast on 19 July 1935."""
    meaning = {row["flag"]: row["meaning"] for row in rows("signal_book.csv")}
    hoists = []
    for line in text("mast.log").splitlines():
        stamp, flags = line.split("  ", 1)
        day, time = stamp.split(" ")
        if dotted(day) == date(1935, 7, 19):
            hoists.append((time, _word([meaning[flag] for flag in flags.split(" / ")])))
    return " ".join(word for _, word in sorted(hoists))


def marks_in_the_bottle() -> str:
    """Decipher the bottle from Kelda and give the marks it speaks of."""
    bottle = next(b for b in json.loads(text("bottles.json")) if b["island"] == code_of("Kelda"))
    (light,) = [light.name for light in lights() if light.island == bottle["island"]]
    words = _decipher(bottle["text"], light).split()
    tens, ones = words[words.index("marks") - 2 : words.index("marks")]
    return str(_TENS[tens] + _ONES[ones])


def flashes_together() -> str:
    """Count the seconds of three hours at which at least two of three lights begin anew."""
    wanted = ("Tansilore Cliff", "Kelda Crown", "Merrowby Knoll")
    periods = [light.period for light in lights() if light.name in wanted]
    seconds = range(1, 3 * 3600 + 1)
    return str(sum(sum(s % p == 0 for p in periods) >= 2 for s in seconds))


def bottom_row_of_the_floor() -> str:
    """Complete the chapel's floor and read the bottom row from the left."""
    head, _, *lines = text("chapel_floor.txt").splitlines()
    names = head.removeprefix("shells: ").split(", ")
    grid = [line.split() for line in lines]
    known = {(r, c): t for r, line in enumerate(grid) for c, t in enumerate(line) if t != "?"}
    (full,) = _floors(known, names)
    return ", ".join(full[6, c] for c in range(7))


def fair_stalls() -> str:
    """Name the holders of stalls 1 to 6."""
    (row,) = {tuple(sorted(holder, key=holder.__getitem__)) for holder in arrangements()}
    return ", ".join(row)


def best_profit() -> str:
    """Give the most that the Sea Campion can gain in pins by one voyage with lots to Pellam."""
    hold = ship_named("Sea Campion").hold_tenths
    gains = []
    for left_out in ("lamp oil", "gunpowder"):
        lots = [row for row in rows("lots.csv") if row["goods"] != left_out]
        best = [0] * (hold + 1)
        for lot in lots:
            tenths = int(lot["tons"].replace(".", ""))
            gain = pins(lot["offer"]) - pins(lot["price"])
            for room in range(hold, tenths - 1, -1):
                best[room] = max(best[room], best[room - tenths] + gain)
        gains.append(best[hold])
    return str(max(gains))


def relief_miles() -> str:
    """Give the fewest miles that all relief keepers together must sail to the waiting lights."""
    entries = re.findall(r"^- (.+)$", text("reliefs.md"), re.MULTILINE)
    homes = [code_of(m[1]) for m in (re.search(r"\((.+)\)", e) for e in entries) if m]
    posts = {light.name: light.island for light in lights()}
    waiting = [posts[e] for e in entries if "(" not in e]
    graph = lanes_in("Jan")
    far = [[distances(graph, home)[post] for post in waiting] for home in homes]
    best = {0: 0.0}
    for row in far:  # the lights that are taken, as bits, after each keeper
        step: dict[int, float] = {}
        for taken, miles in best.items():
            for n, more in enumerate(row):
                if not taken & 1 << n:
                    key = taken | 1 << n
                    step[key] = min(step.get(key, miles + more), miles + more)
        best = step
    return f"{min(best.values()) / 10:.1f}"


_TENS = {"twenty": 20, "thirty": 30, "forty": 40, "fifty": 50, "sixty": 60, "ninety": 90}
_ONES = {
    name: n
    for n, name in enumerate(
        ("one", "two", "three", "four", "five", "six", "seven", "eight", "nine"), start=1
    )
}


def _letters(name: str) -> str:
    return "".join(sorted(c for c in name.lower() if c.isalpha()))


def _word(meanings: list[str]) -> str:
    word = ""
    for meaning in meanings:
        word += word[-1] if meaning == "repeat" else meaning
    return word


def _decipher(written: str, light: str) -> str:
    key = [ord(c) - 97 for c in light.lower() if c.isalpha()]
    out, used = "", 0
    for c in written:
        if c == " ":
            out += c
            continue
        out += chr((ord(c) - 97 - key[used % len(key)]) % 26 + 97)
        used += 1
    return out


def _floors(known: dict[Cell, str], names: list[str]) -> Iterator[dict[Cell, str]]:
    free = {
        (r, c): [n for n in names if n not in _seen(known, r, c)]
        for r in range(7)
        for c in range(7)
        if (r, c) not in known
    }
    if not free:
        yield known
        return
    cell = min(free, key=lambda at: len(free[at]))
    for name in free[cell]:
        yield from _floors({**known, cell: name}, names)


def _seen(known: dict[Cell, str], r: int, c: int) -> set[str]:
    return {
        tile
        for (y, x), tile in known.items()
        if y == r or x == c or (y == x and r == c) or (y + x == 6 == r + c)
    }


PUZZLES: dict[str, Callable[[], str]] = {
    "ships/anagram": anagram,
    "signals/july-mast": signal_of_a_day,
    "bottles/kelda": marks_in_the_bottle,
    "lights/together": flashes_together,
    "chapel/floor": bottom_row_of_the_floor,
    "fair/stalls": fair_stalls,
    "lots/best-profit": best_profit,
    "lights/reliefs": relief_miles,
}
