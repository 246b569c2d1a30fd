"""Signals, bottle post and the auction's lots."""

from __future__ import annotations

import string
from datetime import date, timedelta
from random import Random

from making.words import MERCHANTS

_STEMS = [f"{c} {s}" for c in ("red", "blue", "white", "black", "yellow", "green")
          for s in ("square", "cross", "pennant", "ball", "bar")]  # fmt: skip
_MESSAGES = {
    (1935, 7, 3): "SEND THE SURGEON BY NIGHTFALL",
    (1935, 7, 9): "HERRING SEEN OFF THE WIDOW",
    (1935, 7, 19): "KEEPER SWEEPS BARREL CELLAR",
    (1935, 7, 26): "NO MAIL UNTIL THE FOG LIFTS",
    (1935, 8, 8): "COOPER NEEDS BETTER WILLOW",
    (1935, 8, 17): "ALL BOATS HOME SAVE PETREL",
}
_FILLER = [
    "BOAT",
    "MAIL",
    "LATE",
    "SHEEP",
    "FERRY",
    "TURNIP",
    "COAL",
    "CALM",
    "GALE",
    "SOON",
    "PILOT",
    "WANTED",
    "EMPTY",
    "BERTH",
    "FREE",
    "TIDE",
    "WRONG",
    "ANCHOR",
    "FOUL",
    "SAIL",
    "TORN",
    "BREAD",
    "GOOD",
    "HELP",
    "NOT",
    "NEEDED",
    "MARKET",
    "DAY",
    "LOOK",
    "EAST",
    "HOLD",
    "FAST",
    "LANTERN",
    "LOST",
    "BELL",
    "CRACKED",
]
_BOTTLES = """
1931-10-02|S05|Orrin High|the storm took our mast at the ninth bell but all hands live
1932-03-17|S20|Kelda Crown|forty seven marks lie under the third thorn of the east wall
1932-11-29|S14|Pellam Tower|tell margery that the grey mare is sold for sixty two marks
1933-05-08|S02|Cold Ness Head|we owe the baker ninety three pins and the smith nothing
1934-01-21|S19|Tansilore Cliff|the cave holds thirty eight casks behind the fallen slab
1934-08-13|S24|Inver Spit|my brother left here with twenty nine sheep and one lame dog
1935-02-25|S12|Merrowby Knoll|if this is found by spring write to the widow at the mill
"""


def signal_book(random: Random) -> list[list[str]]:
    """Give each letter its flag, and the repeater that says the letter before it again."""
    flags = random.sample(_STEMS, 27)
    rows = [[flag, letter] for flag, letter in zip(flags, string.ascii_uppercase, strict=False)]
    rows.append([flags[26], "repeat"])
    random.shuffle(rows)
    return rows


def mast_log(book: list[list[str]], random: Random) -> str:
    """Write what flew from the mast, a word a hoist, each day's hoists out of order."""
    flag_of = {letter: flag for flag, letter in book}
    lines = []
    for n in range(62):
        day = date(1935, 7, 1) + timedelta(days=n)
        key = (day.year, day.month, day.day)
        words = _MESSAGES.get(key, "").split() or random.sample(_FILLER, random.randrange(2, 5))
        minutes = sorted(random.sample(range(370, 1120), len(words)))
        hoists = [
            f"{day:%d.%m.%Y} {m // 60:02}.{m % 60:02}  {_hoist(word, flag_of)}"
            for m, word in zip(minutes, words, strict=True)
        ]
        random.shuffle(hoists)
        lines += hoists
    return "\n".join(lines) + "\n"


def bottles() -> list[dict[str, str]]:
    """Encipher the letters found in bottles with the names of their lights."""
    return [
        {"found": day, "island": code, "text": _encipher(text, light)}
        for day, code, light, text in (row.split("|") for row in _BOTTLES.strip().splitlines())
    ]


def lots(random: Random) -> list[list[str]]:
    """Make the lots of the Harrowick auction: weight, price, and what Pellam would pay."""
    goods = ["rope", "lamp oil", "slate", "gunpowder", "wool", "barley", "timber", "lamp oil",
             "kelp ash", "gunpowder", "salt", "coal"]  # fmt: skip
    rows = []
    for n in range(1, 35):
        tons = random.randrange(12, 96) / 10
        price = round(tons * random.randrange(40, 90))
        offer = price + round(tons * random.randrange(9, 42)) - 15
        rows.append(
            [f"L{n:02}", goods[n % len(goods)], f"{tons:.1f}", _money(price), _money(offer),
             random.choice(MERCHANTS)]
        )  # fmt: skip
    return rows


def _money(pins: int) -> str:
    marks, rest = divmod(pins, 20)
    return f"{marks}m {rest}p" if rest else f"{marks}m"


def _hoist(word: str, flag_of: dict[str, str]) -> str:
    flags, before = [], ""
    for letter in word:
        flags.append(flag_of["repeat" if letter == before else letter])
        before = "" if letter == before else letter
    return " / ".join(flags)


def _encipher(text: str, light: str) -> str:
    key = [ord(letter) - 97 for letter in light.lower() if letter.isalpha()]
    out, used = [], 0
    for letter in text:
        if letter.isalpha():
            out.append(chr((ord(letter) - 97 + key[used % len(key)]) % 26 + 97))
            used += 1
        else:
            out.append(letter)
    return "".join(out)
