"""The list of lights, the keepers' logs of early 1934, and the reliefs."""

from __future__ import annotations

import math
from datetime import date, timedelta
from random import Random

from making.isles import islands
from making.words import people

_LIGHTS = """
Cold Ness Head|S02|Fl(3) W 18s|1838
Carrion Stack|S01|Fl W 7s|1851
The Widow|S04|Oc R 9s|1869
Orrin High|S05|Fl(2) W 14s|1829
Orrin Low|S05|F R|1829
Varrow Gap|S06|Fl G 5s|1888
Harrowick Mole|S08|Oc G 6s|1846
Brackwater Pier|S09|F G|1872
Fenlow Bar|S10|Fl(2) R 11s|1894
Merrowby Knoll|S12|Fl(4) W 22s|1857
Eddering Steps|S13|Oc W 8s|1881
Pellam Tower|S14|Fl W 12s|1843
Nettlehythe North|S16|Fl(2) G 10s|1876
Nettlehythe South|S16|F R|1876
Ossel Point|S17|Fl(3) R 16s|1862
Ulmer Shoal|S18|Fl R 4s|1903
Tansilore Cliff|S19|Fl(5) W 25s|1866
Kelda Crown|S20|Fl W 15s|1834
Dunmarrow South|S22|Fl(2) W 20s|1840
Jessop Rock|S23|Fl(3) W 21s|1866
Inver Spit|S24|Oc R 13s|1911
"""
_LOGGED = {"Cold Ness Head": 4, "Kelda Crown": 3, "Jessop Rock": 4}
_SKY = ["clear", "haze", "rain", "snow showers", "fog patches", "sleet", "overcast"]


def list_of_lights(random: Random) -> str:
    """Write the list in columns of fixed width."""
    columns = "{:<4}{:<20}{:<6}{:<13}{:>9}{:>10}{:>6}".format
    head = columns("no", "light", "isle", "character", "height m", "range nm", "lit")
    lines = [head, "-" * len(head)]
    for number, row in enumerate(_LIGHTS.strip().splitlines(), start=1):
        name, code, character, year = row.split("|")
        height, reach = random.randrange(9, 72), random.randrange(6, 25)
        lines.append(columns(number, name, code, character, height, reach, year))
    return "\n".join(lines) + "\n"


def logs(random: Random) -> dict[str, str]:
    """Write the logs of three lights, one line a night."""
    keepers = people(sum(_LOGGED.values()), random)
    found = {}
    for light, crew in _LOGGED.items():
        own, keepers = keepers[:crew], keepers[crew:]
        nights = (date(1934, 1, 1) + timedelta(days=n) for n in range(120))
        name = light.lower().replace(" ", "_")
        found[f"logs/{name}_1934.log"] = f"# {light}, January to April 1934\n" + "".join(
            _night(night, own, random) for night in nights
        )
    return found


def reliefs(random: Random) -> str:
    """Write the list of relief keepers with their homes, and the lights that wait for one."""
    homes = ["S03", "S07", "S09", "S12", "S13", "S18", "S24", "S11"]
    waiting = ["Cold Ness Head", "The Widow", "Orrin High", "Pellam Tower", "Ossel Point",
               "Tansilore Cliff", "Jessop Rock", "Dunmarrow South"]  # fmt: skip
    names = people(len(homes), random)
    everywhere = islands()
    lines = ["# Reliefs for January 1936", "", "## Keepers and where they live", ""]
    lines += [f"- {n} ({everywhere[h].name})" for n, h in zip(names, homes, strict=True)]
    lines += ["", "## Lights that wait for a keeper", ""]
    return "\n".join([*lines, *(f"- {light}" for light in waiting)]) + "\n"


def _night(night: date, crew: list[str], random: Random) -> str:
    keeper = random.choice(crew)
    stamp = f"{night:%a %d %b %Y}"
    wind = (
        f"{random.choice(['N', 'NE', 'E', 'SE', 'S', 'SW', 'W', 'NW'])} {random.randrange(1, 10)}"
    )
    if random.random() < 0.05:
        return f"{stamp} | not lit | {keeper} | wind {wind} | lamp under repair\n"
    swing = math.cos((night.timetuple().tm_yday + 10) / 365 * 2 * math.pi)
    lit = round(1080 - 115 * swing) + random.randrange(-12, 13)
    out = round(385 + 110 * swing) + random.randrange(-12, 13)
    oil = round((1440 - lit + out) / 60 * random.uniform(0.62, 0.8))
    return (
        f"{stamp} | lit {_clock(lit)} | out {_clock(out)} | oil {oil} pt | {keeper} "
        f"| wind {wind} | {random.choice(_SKY)}\n"
    )


def _clock(minutes: int) -> str:
    return f"{minutes // 60:02}:{minutes % 60:02}"
