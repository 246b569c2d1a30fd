"""CSV to nodes: one task a row, the header naming the keys."""

from __future__ import annotations

import csv
import io
from collections.abc import Iterator

from runner.suites.text.mistakes import Mistakes
from runner.suites.text.nodes import Entry, Items, Mapping, Mark, Node, Scalar, Source, Style


def parse_csv(text: str, source: Source, *, mistakes: Mistakes) -> Iterator[Mapping]:
    """Give a map for each row; an empty cell is a key that is not there.

    The separator is the comma, semicolon or tab that the header has most of. ``tags`` and columns
    that ``map`` turns into it are lists, separated by commas or semicolons in the cell.
    """
    rows = _rows(text, source, mistakes)
    header_mark, header = next(rows, (Mark(source, 1), []))
    if not _is_good_header(header, header_mark, mistakes=mistakes):
        return
    for mark, cells in rows:
        if not any(cells):
            continue
        if len(cells) != len(header):
            mistakes.add(
                mark,
                f"the row has {len(cells)} cells, the header {len(header)}",
                hint="Quote cells that hold the separator, and double the quotes inside them.",
            )
            continue
        yield Mapping(
            {
                name: Entry(mark, Scalar(cell, Style.CELL, mark))
                for name, cell in zip(header, cells, strict=True)
                if cell
            },
            mark,
        )


def split_cell(node: Node) -> Node:
    """Give the list that a cell with separators stands for; every other node as it is."""
    if not isinstance(node, Scalar) or node.style is not Style.CELL:
        return node
    words = (word.strip() for word in node.text.replace(";", ",").split(","))
    return Items(tuple(Scalar(word, Style.CELL, node.mark) for word in words if word), node.mark)


def _rows(text: str, source: Source, mistakes: Mistakes) -> Iterator[tuple[Mark, list[str]]]:
    # newline="" keeps line ends inside quoted cells as they are.
    stream = io.StringIO(text, newline="")
    reader = csv.reader(stream, delimiter=_separator(text), strict=True)
    while True:
        mark = Mark(source, reader.line_num + 1)
        try:
            cells = next(reader)
        except StopIteration:
            return
        except csv.Error as error:
            mistakes.add(mark, f"not CSV: {error}", hint=_hint(str(error)))
            return
        yield mark, cells


def _hint(what: str) -> str:
    if "field larger" in what:
        return "Use JSON lines for texts this long."
    return "Close every quote, and double the quotes inside a quoted cell."


def _separator(text: str) -> str:
    first_line = text.split("\n", 1)[0]
    return max(",;\t", key=first_line.count)


def _is_good_header(header: list[str], mark: Mark, *, mistakes: Mistakes) -> bool:
    before = len(mistakes)
    if not any(header):
        mistakes.add(mark, "there is no header", hint="Write the keys' names in the first row.")
    for position, name in enumerate(header, start=1):
        if not name.strip():
            mistakes.add(mark, f"column {position} has no name", hint="Name it in the first row.")
        elif header.index(name) != position - 1:
            mistakes.add(mark, f"two columns are called {name!r}", hint="Rename or remove one.")
    return len(mistakes) == before
