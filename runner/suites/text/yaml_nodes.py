"""YAML 1.2 text to nodes, with no construction of anything else."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field
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
    number_of,
)
from runner.suites.text.yaml_events import EventKind, YamlEvent, YamlSyntaxError, yaml_events

MOST_DEPTH = 60
#: With every alias counted as what it stands for; a suite of 50,000 written tasks has as many.
MOST_NODES = 1_000_000


def parse_yaml(text: str, source: Source, *, mistakes: Mistakes) -> Node | None:
    """Parse one YAML document.

    Returns:
        Its root, or None if it is empty or cannot be parsed, which is noted as a mistake. A
        duplicate key is noted too, and the first one kept.
    """
    composer = _Composer(source, mistakes)
    try:
        for event in yaml_events(text):
            composer.take(event)
    except YamlSyntaxError as error:
        mistakes.add(Mark(source, error.line), error.what, hint=error.hint)
        return None
    if composer.root is None or (isinstance(composer.root, Scalar) and composer.root.is_null):
        mistakes.add(
            Mark(source, 1), "the file is empty", hint="Write its keys, or name another file."
        )
        return None
    return composer.root


class _Measure(NamedTuple):
    """How many values a node stands for, aliases written out, and how deep they nest."""

    values: int
    levels: int

    def around(self, inner: _Measure) -> _Measure:
        return _Measure(self.values + inner.values, max(self.levels, inner.levels + 1))


@dataclass(slots=True)
class _Open:
    """A list or a map that is being read; a map's key waits for its value."""

    event: YamlEvent
    items: list[Node] = field(default_factory=list)
    measure: _Measure = field(default_factory=lambda: _Measure(1, 1))


class _Composer:
    """Builds nodes without recursion, so that no input can exhaust the stack."""

    def __init__(self, source: Source, mistakes: Mistakes) -> None:
        self._source = source
        self._mistakes = mistakes
        self._stack: list[_Open] = []
        self._anchors: dict[str, tuple[Node, _Measure]] = {}
        self.root: Node | None = None

    def take(self, event: YamlEvent) -> None:
        match event.kind:
            case EventKind.LIST | EventKind.MAP:
                self._stack.append(_Open(event))
                self._check_depth(event, 0)
            case EventKind.END:
                self._close()
            case EventKind.ALIAS:
                node, measure = self._aliased(event)
                self._check_depth(event, measure.levels)
                self._place(node, measure)
            case EventKind.SCALAR:
                style = Style.QUOTED if event.quoted else Style.PLAIN
                scalar = Scalar(event.text, style, Mark(self._source, event.line))
                self._check_text(scalar)
                self._keep(event, scalar, _Measure(1, 0))
                self._place(scalar, _Measure(1, 0))

    def _check_depth(self, event: YamlEvent, levels: int) -> None:
        if len(self._stack) + levels > MOST_DEPTH:
            raise YamlSyntaxError(
                event.line, f"nested more than {MOST_DEPTH} levels deep", "Flatten it."
            )

    def _check_text(self, scalar: Scalar) -> None:
        if not is_encodable(scalar.text):
            raise YamlSyntaxError(
                scalar.mark.line, "half of a surrogate pair is no text", "Write the character."
            )

    def _aliased(self, event: YamlEvent) -> tuple[Node, _Measure]:
        if event.anchor not in self._anchors:
            within = any(held.event.anchor == event.anchor for held in self._stack)
            raise YamlSyntaxError(
                event.line,
                f"*{event.anchor} stands inside the value that it names"
                if within
                else f"*{event.anchor} names no anchor above it",
                f"Write &{event.anchor} at the value that is meant, above this line.",
            )
        return self._anchors[event.anchor]

    def _close(self) -> None:
        held = self._stack.pop()
        mark = Mark(self._source, held.event.line)
        node: Node
        if held.event.kind is EventKind.LIST:
            node = Items(tuple(held.items), mark)
        else:
            node = self._mapping(held.items, mark)
        self._keep(held.event, node, held.measure)
        self._place(node, held.measure)

    def _keep(self, event: YamlEvent, node: Node, measure: _Measure) -> None:
        if event.anchor:
            self._anchors[event.anchor] = (node, measure)

    def _place(self, node: Node, measure: _Measure) -> None:
        if not self._stack:
            self.root = node
            return
        held = self._stack[-1]
        held.items.append(node)
        held.measure = held.measure.around(measure)
        if held.measure.values > MOST_NODES:
            raise YamlSyntaxError(
                held.event.line,
                f"its aliases stand for more than {MOST_NODES:,} values",
                "Write out less by aliases; move large sets of tasks to JSON lines.",
            )

    def _mapping(self, items: list[Node], mark: Mark) -> Mapping:
        entries: dict[str, Entry] = {}
        first_marks: dict[str | int | float, Mark] = {}
        below: list[Mapping] = []
        for key, value in zip(items[::2], items[1::2], strict=True):
            if not isinstance(key, Scalar):
                raise YamlSyntaxError(
                    key.mark.line, "a list or map stands as a key", "Write a word as the key."
                )
            same = _identity(key)
            if same in first_marks:
                self._mistakes.add(
                    key.mark,
                    f"duplicate key {key.text!r}, first on line {first_marks[same].line}",
                    hint="Keep one of them.",
                )
                continue
            first_marks[same] = key.mark
            if key.text == "<<" and key.style is Style.PLAIN:
                below.extend(_merge_sources(value))
            else:
                entries[key.text] = Entry(key.mark, value)
        for source in below:
            for name, entry in source.entries.items():
                entries.setdefault(name, entry)
        return Mapping(entries, mark)


def _merge_sources(value: Node) -> Iterator[Mapping]:
    for source in value.items if isinstance(value, Items) else (value,):
        if not isinstance(source, Mapping):
            raise YamlSyntaxError(
                value.mark.line, "'<<' needs a map or a list of maps", "Name an anchored map."
            )
        yield source


def _identity(key: Scalar) -> str | int | float:
    """``1`` and ``01`` are one key: any other reader of the file would merge them."""
    number = number_of(key.text) if key.style is Style.PLAIN else None
    return key.text if number is None else number
