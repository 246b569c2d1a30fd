"""JSON lines to nodes: one task a line, numbers kept as written, duplicates and NaN refused."""

from __future__ import annotations

import json
from collections.abc import Iterator
from typing import NamedTuple

from runner.suites.text.mistakes import Mistakes
from runner.suites.text.nodes import (
    Entry,
    Items,
    Mapping,
    Mark,
    Node,
    Scalar,
    Source,
    Style,
    is_encodable,
)

MOST_DEPTH = 60


def parse_json_lines(text: str, source: Source, *, mistakes: Mistakes) -> Iterator[Mapping]:
    """Give the map on each line; blank lines are skipped, and a broken line is a mistake."""
    # Not splitlines(): inside a JSON string U+2028 is an ordinary character.
    for number, line in enumerate(text.split("\n"), start=1):
        if not line or line.isspace():
            continue
        mark = Mark(source, number)
        row = _parse_line(line, mark, mistakes=mistakes)
        if row is not None:
            yield row


class _Number(NamedTuple):
    text: str


class _Pairs(NamedTuple):
    pairs: list[tuple[str, object]]


class _RefusedError(Exception):
    """A line that is JSON for some readers, but not for us."""


def _parse_line(line: str, mark: Mark, *, mistakes: Mistakes) -> Mapping | None:
    try:
        node = _node(_DECODER.decode(line.strip()), mark, 0)
    except json.JSONDecodeError as error:
        mistakes.add(
            mark,
            f"not JSON: {error.msg} at column {error.colno}",
            hint="Write one JSON object on each line.",
        )
        return None
    except RecursionError:
        mistakes.add(mark, f"nested more than {MOST_DEPTH} levels deep", hint="Flatten it.")
        return None
    except _RefusedError as error:
        mistakes.add(mark, str(error))
        return None
    if not isinstance(node, Mapping):
        mistakes.add(mark, "not a JSON object", hint="Write one JSON object on each line.")
        return None
    return node


def _node(value: object, mark: Mark, depth: int) -> Node:
    if depth > MOST_DEPTH:
        raise RecursionError
    match value:
        case str():
            if not is_encodable(value):
                raise _RefusedError("half of a surrogate pair is no text")
            return Scalar(value, Style.QUOTED, mark)
        case _Number():
            return Scalar(value.text, Style.PLAIN, mark)
        case _Pairs():
            return _mapping(value.pairs, mark, depth)
        case list():
            return Items(tuple(_node(item, mark, depth + 1) for item in value), mark)
        case _:
            return Scalar(json.dumps(value), Style.PLAIN, mark)


def _mapping(pairs: list[tuple[str, object]], mark: Mark, depth: int) -> Mapping:
    entries: dict[str, Entry] = {}
    for key, value in pairs:
        if key in entries:
            raise _RefusedError(f"duplicate key {key!r}")
        entries[key] = Entry(mark, _node(value, mark, depth + 1))
    return Mapping(entries, mark)


def _refuse_constant(text: str) -> object:
    raise _RefusedError(f"{text} is not JSON")


_DECODER = json.JSONDecoder(
    object_pairs_hook=_Pairs,
    parse_int=_Number,
    parse_float=_Number,
    parse_constant=_refuse_constant,
)
