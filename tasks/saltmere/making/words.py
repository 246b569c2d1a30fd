"""The words that people, ships and merchants of Saltmere are named with."""

from __future__ import annotations

from random import Random

FIRST = [
    "Abel",
    "Agda",
    "Anselm",
    "Bertil",
    "Brice",
    "Celia",
    "Corin",
    "Dagny",
    "Edric",
    "Elsin",
    "Ewart",
    "Fenna",
    "Garrick",
    "Gisla",
    "Hobart",
    "Ingram",
    "Isolde",
    "Jorun",
    "Kester",
    "Lavin",
    "Lettice",
    "Magnus",
    "Merete",
    "Nils",
    "Odelia",
    "Osgar",
    "Perrin",
    "Quillon",
    "Ragna",
    "Rowsby",
    "Sigrun",
    "Tamsel",
    "Thora",
    "Ulric",
    "Verrin",
    "Wenna",
    "Yorath",
]
LAST = [
    "Aldwater",
    "Barrowman",
    "Brinehurst",
    "Carrack",
    "Cobbleby",
    "Dunnage",
    "Ebbrell",
    "Fairlead",
    "Gullery",
    "Halyard",
    "Hawser",
    "Ironmouth",
    "Jarrow",
    "Keelby",
    "Larboard",
    "Marram",
    "Netherby",
    "Oakum",
    "Pintle",
    "Quayle",
    "Ratline",
    "Sandeel",
    "Scuppern",
    "Tarpley",
    "Thole",
    "Underhay",
    "Vang",
    "Whelk",
    "Wrackham",
    "Yawley",
]
MERCHANTS = """Marram & Daughters|Pintle Brothers|The Quern Mill|Widow Thole|Oakum & Vang|
Society of St Brannoc|Keelby and Sons|The Long Store|Yawley & Yawley|Dunnage Chandlers|
Ebbrell Bakehouse|The Lights Commission|Hawser Ropewalk|Sandeel & Company""".replace(
    "\n", ""
).split("|")
SHIPS = """Patient Ann|Silent Oar|Grey Wether|Morning Gift|Three Sisters|Lantern Bay|Kittiwake|
Old Provider|Sarah Thole|Windhover|Second Chance|Bold Marram|Northern Rose|Halcyon Day|Petrel|
Thrift|Good Measure|Cormorant|Little Hester|Undaunted|Sea Campion|Bright Farthing|Amber Fleet|
Tide's Reward|Margery Vang|Hopeful|Stormcock|Whimbrel|Blue Gannet|Merry Dancer|Pole Star|
Salt Maiden|Ebb and Flow|Fair Isolde|Gudrun|Black Guillemot|Honest Trade|Iron Duchess|Juno's Pride|
Kelp Queen|Long Patience|Maid of Orrin|Nightjar|Our Endeavour""".replace("\n", "").split("|")
NEW_SHIP_NAMES = ["Emberlight", "Lady Fenna", "Rooksey", "Wayfarer's Rest", "Cloud Harrier"]


def people(count: int, random: Random) -> list[str]:
    """Name people, no two alike."""
    every = [f"{first} {last}" for first in FIRST for last in LAST]
    return random.sample(every, count)
