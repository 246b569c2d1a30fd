"""What a suite file is made of once it is parsed: text with its line, lists and maps.

YAML, JSON lines and CSV all become these nodes, so that one reader serves them and every mistake
can name its file and line. Scalars keep the text as written; what it means is decided where it is
read.
"""

from __future__ import annotations

import json
import math
import re
from collections.abc import Mapping as AnyMapping
from collections.abc import Sequence
from dataclasses import dataclass, field
from enum import Enum
from pathlib import Path
from typing import TypeAlias

from runner.domain import Json


@dataclass(frozen=True, slots=True)
class Source:
    """A file (or a flag) that text came from.

    Attributes:
        path: Where relative paths in it start from is this path's parent.
        shown: How messages name it.
    """

    path: Path
    shown: str


@dataclass(frozen=True, slots=True)
class Mark:
    """A place in a source; lines count from 1, and 0 is the source as a whole."""

    source: Source
    line: int = 0

    def __str__(self) -> str:
        return f"{self.source.shown}:{self.line}" if self.line else self.source.shown


class Style(Enum):
    """How a scalar was written.

    ``CELL`` is a spreadsheet's: it may be read as a number, and ``null`` in it is a word.
    """

    PLAIN = "plain"
    QUOTED = "quoted"
    CELL = "cell"


@dataclass(frozen=True, slots=True)
class Scalar:
    """Text as written, without its quotes."""

    text: str
    style: Style
    mark: Mark

    @property
    def is_null(self) -> bool:
        """Tell whether it says that there is no value."""
        return self.style is Style.PLAIN and self.text in _NULLS


@dataclass(frozen=True, slots=True)
class Items:
    """A list."""

    items: tuple[Node, ...]
    mark: Mark


@dataclass(frozen=True, slots=True)
class Mapping:
    """A map; keys are unique, in the order of the file."""

    entries: dict[str, Entry] = field(hash=False)
    mark: Mark

    def get(self, key: str) -> Node | None:
        """Give the value under a key, or None."""
        entry = self.entries.get(key)
        return entry.value if entry else None

    def mark_of(self, key: str) -> Mark:
        """Give the place of a key, or of the whole map where it is not there."""
        entry = self.entries.get(key)
        return entry.mark if entry else self.mark

    def without(self, *keys: str) -> Mapping:
        """Give the same map without some keys and without the user's own."""
        kept = {
            k: e for k, e in self.entries.items() if k not in keys and not k.startswith(OWN_PREFIX)
        }
        return Mapping(kept, self.mark)


@dataclass(frozen=True, slots=True)
class Entry:
    """A value with the place of its key."""

    mark: Mark
    value: Node


Node: TypeAlias = Scalar | Items | Mapping

#: Keys that start so belong to the user; nothing reads them.
OWN_PREFIX = "x-"


def plain_value(node: Node) -> Json:
    """Give a node as JSON by YAML's 1.2 core schema; infinities and NaN stay text."""
    match node:
        case Scalar(style=Style.QUOTED):
            return node.text
        case Scalar(style=Style.CELL):
            number = number_of(node.text)
            return node.text if number is None else number
        case Scalar():
            return _resolved(node.text)
        case Items():
            return [plain_value(item) for item in node.items]
        case Mapping():
            return {key: plain_value(entry.value) for key, entry in node.entries.items()}


def node_of(value: Json, mark: Mark) -> Node:
    """Give the node that a JSON value would have been read from."""
    if isinstance(value, str):
        return Scalar(value, Style.QUOTED, mark)
    if isinstance(value, AnyMapping):
        return Mapping({k: Entry(mark, node_of(v, mark)) for k, v in value.items()}, mark)
    if isinstance(value, Sequence):
        return Items(tuple(node_of(item, mark) for item in value), mark)
    return Scalar(json.dumps(value), Style.PLAIN, mark)


def merged(default: Mapping, own: Mapping) -> Mapping:
    """Lay one map over another: maps merge by key, everything else replaces."""
    entries = dict(default.entries)
    for key, entry in own.entries.items():
        below = entries.get(key)
        if below and isinstance(below.value, Mapping) and isinstance(entry.value, Mapping):
            entries[key] = Entry(entry.mark, merged(below.value, entry.value))
        else:
            entries[key] = entry
    return Mapping(entries, own.mark)


def number_of(text: str) -> int | float | None:
    """Read a number of the core schema: ``010`` is ten, ``1:30`` and ``1_000`` are no numbers."""
    if len(text) > _LONGEST_NUMBER:
        return None
    if _INTEGER.fullmatch(text):
        return int(text)
    if _OTHER_BASE.fullmatch(text):
        return int(text, 0)
    if _FLOAT.fullmatch(text):
        number = float(text)
        return number if math.isfinite(number) else None
    return None


def is_encodable(text: str) -> bool:
    """Tell whether text can be stored: an escape can write half of a surrogate pair."""
    return text.isascii() or not _SURROGATE.search(text)


def _resolved(text: str) -> Json:
    if text in _NULLS:
        return None
    if text in _BOOLEANS:
        return text[0] in "tT"
    number = number_of(text)
    return text if number is None else number


_NULLS = frozenset({"", "~", "null", "Null", "NULL"})
_BOOLEANS = frozenset({"true", "True", "TRUE", "false", "False", "FALSE"})
_INTEGER = re.compile(r"[-+]?[0-9]+", re.ASCII)
_OTHER_BASE = re.compile(r"0o[0-7]+|0x[0-9a-fA-F]+", re.ASCII)
_FLOAT = re.compile(r"[-+]?(\.[0-9]+|[0-9]+(\.[0-9]*)?)([eE][-+]?[0-9]+)?", re.ASCII)
_SURROGATE = re.compile(r"[\ud800-\udfff]")
#: Longer digits than any setting needs; ``int`` is quadratic and refuses above 4,300.
_LONGEST_NUMBER = 400
