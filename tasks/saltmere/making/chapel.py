"""The floor of the chapel on Pellam."""

from __future__ import annotations

from random import Random

_SHELLS = ["cockle", "limpet", "whelk", "urchin", "mussel", "scallop", "winkle"]


def floor(random: Random) -> str:
    """Draw a floor of seven by seven shells with as few tiles kept as fix the rest."""
    size = len(_SHELLS)
    # (2r + c) mod 7 is Latin on rows, columns and both diagonals.
    rows, columns = list(range(size)), list(range(size))
    names = random.sample(_SHELLS, size)
    full = [[names[(2 * r + c) % size] for c in columns] for r in rows]
    cells = [(r, c) for r in rows for c in columns]
    random.shuffle(cells)
    kept = {cell: full[cell[0]][cell[1]] for cell in cells}
    for cell in cells:
        rest = {k: v for k, v in kept.items() if k != cell}
        if _completions(rest, size, names) == 1:
            kept = rest
    grid = [[kept.get((r, c), "?") for c in columns] for r in rows]
    head = f"shells: {', '.join(sorted(_SHELLS))}\n\n"
    return head + "".join("".join(f"{t:<9}" for t in line).rstrip() + "\n" for line in grid)


def _completions(kept: dict[tuple[int, int], str], size: int, names: list[str]) -> int:
    """Count the ways to complete the floor, stopping at two."""
    options: dict[tuple[int, int], set[str]] = {}
    for cell in ((r, c) for r in range(size) for c in range(size)):
        if cell not in kept:
            seen = {v for other, v in kept.items() if _meet(cell, other, size)}
            options[cell] = set(names) - seen
    if not options:
        return 1
    cell = min(options, key=lambda c: (len(options[c]), c))
    total = 0
    for name in sorted(options[cell]):
        total += _completions({**kept, cell: name}, size, names)
        if total > 1:
            break
    return total


def _meet(a: tuple[int, int], b: tuple[int, int], size: int) -> bool:
    falling = a[0] == a[1] and b[0] == b[1]
    rising = sum(a) == size - 1 == sum(b)
    return a[0] == b[0] or a[1] == b[1] or falling or rising
