"""The fair of 1935: every arrangement that agrees with the clues of fair.md."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import permutations

from papers import code_of, islands, number

WARES = ["baskets", "candles", "cheese", "eels", "honey", "wool"]


def arrangements() -> Iterator[dict[str, int]]:
    """Give the holders' stalls of every arrangement that agrees with all clues of fair.md."""
    isles = ["Kelda", "Orrin", "Ossel", "Pellam", "Quern", "Thrale"]
    facts = {name: islands()[code_of(name)] for name in isles}
    highest = max(isles, key=lambda n: int(facts[n]["highest_point_m"]))
    largest = max(isles, key=lambda n: number(facts[n]["area_ha"]))
    by_age = sorted(isles, key=lambda n: int(facts[n]["first_settled"]))
    for i in _rows_of(isles):
        if i[highest] + 1 != i[by_age[-1]] or i["Pellam"] >= i["Orrin"]:
            continue
        at_6 = next(name for name in isles if i[name] == 6)
        if facts[at_6]["harbour_class"] != "C":
            continue
        lee = [i[name] for name in isles if facts[name]["group"] == "Lee Side"]
        for h in _rows_of(["Abel", "Corin", "Fenna", "Jorun", "Merete", "Ulric"]):
            if (h["Fenna"], h["Corin"], h["Jorun"]) != (i[largest], i[by_age[0]], i["Ossel"]):
                continue
            if h["Merete"] not in lee or h["Merete"] > h["Abel"] or h["Fenna"] > h["Corin"]:
                continue
            no_harbour = next(i[n] for n in isles if facts[n]["harbour_class"] == "-")
            if any(_goods_fit(g, h, no_harbour) for g in _rows_of(WARES)):
                yield h


def _goods_fit(goods: dict[str, int], holder: dict[str, int], no_harbour: int) -> bool:
    return (
        goods["wool"] == holder["Ulric"]
        and goods["baskets"] == holder["Jorun"]
        and goods["honey"] in (1, 6)
        and goods["cheese"] + 1 == goods["candles"]
        and goods["eels"] == no_harbour
        and abs(goods["wool"] - goods["candles"]) == 3
    )


def _rows_of(names: list[str]) -> Iterator[dict[str, int]]:
    for order in permutations(range(1, 7)):
        yield dict(zip(names, order, strict=True))
