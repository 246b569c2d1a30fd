"""Tables of text, aligned by what a terminal shows."""

from __future__ import annotations

from collections.abc import Sequence

from runner.printable import columns, one_line


def table_text(
    header: Sequence[str], rows: Sequence[Sequence[str]], *, right: frozenset[int] = frozenset()
) -> str:
    """Lay out rows under a header, two spaces between columns.

    Args:
        header: One title for each column.
        rows: One cell for each column; what would break a line or steer a terminal is escaped.
        right: Columns that stand to the right, as numbers do.
    """
    lines = [[one_line(cell) for cell in line] for line in (header, *rows)]
    widths = [max(columns(line[n]) for line in lines) for n in range(len(header))]
    return "\n".join(_line(line, widths, right) for line in lines)


def _line(cells: Sequence[str], widths: Sequence[int], right: frozenset[int]) -> str:
    padded = []
    for number, (cell, width) in enumerate(zip(cells, widths, strict=True)):
        gap = " " * (width - columns(cell))
        padded.append(gap + cell if number in right else cell + gap)
    return "  ".join(padded).rstrip()
