"""The settings of a kind of agent or grader: nodes in, its validated model out."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from dataclasses import replace
from typing import NamedTuple, TypeAlias

from pydantic import BaseModel, ValidationError
from pydantic_core import ErrorDetails

from runner.domain import Kind
from runner.suites.text.mistakes import Mistakes
from runner.suites.text.nodes import Entry, Items, Mapping, Mark, Node, Scalar, Style, plain_value
from runner.suites.text.spelling import nearest_name, spelling_hint
from runner.suites.values.coercion import coerced_scalars

Location: TypeAlias = Sequence[int | str]


def read_settings(
    mapping: Mapping, kind: Kind, *, owner: str, other_keys: Collection[str], mistakes: Mistakes
) -> BaseModel | None:
    """Validate a kind's keys.

    Where a setting wants text, a scalar is taken as it is written; but nothing becomes a number or
    a boolean that is not written as one: ``"false"`` in quotes can switch nothing on.

    Args:
        mapping: The kind's own keys.
        kind: Whose settings they are.
        owner: How messages name the kind.
        other_keys: Keys that may stand beside them, for spelling hints.
        mistakes: Takes what is wrong.
    """
    node: Node = mapping
    while True:
        try:
            settings = kind.settings.model_validate(plain_value(node))
        except ValidationError as error:
            details = error.errors(include_url=False, include_context=True)
        else:
            coerced = list(coerced_scalars(node, settings))
            for key, told in coerced:
                mistakes.add(mapping.mark_of(key), told, hint="Write it without quotes.")
            return None if coerced else settings
        as_text = _to_be_text(node, details)
        if not as_text:
            _note(details, node, kind, owner=owner, other_keys=other_keys, into=mistakes)
            return None
        for path in as_text:
            node = _as_text(node, path)


class _Place(NamedTuple):
    """Where an error's location leads in the file: as far as the file goes."""

    path: tuple[int | str, ...]
    mark: Mark
    node: Node


def _to_be_text(root: Node, details: list[ErrorDetails]) -> list[Location]:
    """Give the places where a number or a boolean stands and text is wanted."""
    places = (_place(root, d["loc"]) for d in details if d["type"] in _WANTS_TEXT)
    return [
        place.path
        for place in places
        if isinstance(place.node, Scalar)
        and place.node.style is not Style.QUOTED
        and not place.node.is_null
    ]


def _as_text(node: Node, path: Location) -> Node:
    """Give the same node with the scalar at a path read as it is written."""
    if isinstance(node, Scalar):
        return replace(node, style=Style.QUOTED)
    first, rest = path[0], path[1:]
    if isinstance(node, Items):
        items = [_as_text(x, rest) if n == first else x for n, x in enumerate(node.items)]
        return Items(tuple(items), node.mark)
    return Mapping(
        {
            key: Entry(entry.mark, _as_text(entry.value, rest)) if key == first else entry
            for key, entry in node.entries.items()
        },
        node.mark,
    )


def _place(root: Node, location: Location) -> _Place:
    """Follow a location; a union's names for its arms, and missing keys, are not in the file."""
    node = root
    mark = root.mark
    path: list[int | str] = []
    for step in location:
        if isinstance(node, Mapping) and isinstance(step, str) and step in node.entries:
            mark, node = node.entries[step].mark, node.entries[step].value
        elif isinstance(node, Items) and isinstance(step, int) and step < len(node.items):
            node = node.items[step]
            mark = node.mark
        else:
            continue
        path.append(step)
    return _Place(tuple(path), mark, node)


def _note(
    details: list[ErrorDetails],
    root: Node,
    kind: Kind,
    *,
    owner: str,
    other_keys: Collection[str],
    into: Mistakes,
) -> None:
    told: set[tuple[int | str, ...]] = set()
    for detail in details:
        place = _place(root, detail["loc"])
        shown = ".".join(str(step) for step in place.path)
        if detail["type"] == "extra_forbidden":
            known = [*_key_names(kind.settings), *other_keys] if len(place.path) == 1 else []
            hint = spelling_hint(str(place.path[-1]), known) if known else "Remove it."
            into.add(place.mark, f"unknown key {shown!r} in {owner}", hint=hint)
        elif detail["type"] == "missing":
            missing = ".".join(str(step) for step in detail["loc"])
            into.add(place.mark, f"{owner} needs the key {missing!r}", hint=f"Add {missing}.")
        elif place.path not in told:
            # A union tells once for each of its arms; the first is enough.
            told.add(place.path)
            where = f"{shown}: " if shown else f"{owner}: "
            into.add(place.mark, where + _said(detail, place.node), hint=_near(detail))


def _said(detail: ErrorDetails, node: Node) -> str:
    context = detail.get("ctx", {})
    if "error" in context:
        return str(context["error"])
    said = detail["msg"].removeprefix("Input ")
    said = (said[:1].lower() + said[1:]).replace("a valid tuple", "a list")
    if isinstance(node, Scalar):
        return f"{said}, not {node.text[:_LONGEST_SHOWN]!r}"
    return said


def _near(detail: ErrorDetails) -> str | None:
    expected = detail.get("ctx", {}).get("expected")
    if not isinstance(expected, str) or not isinstance(detail["input"], str):
        return None
    words = expected.replace(" or ", ", ").split(", ")
    near = nearest_name(detail["input"], [word.strip("'") for word in words])
    return f"Did you mean {near!r}?" if near else None


def _key_names(settings: type[BaseModel]) -> list[str]:
    fields = settings.model_fields.items()
    return [field.alias or name for name, field in fields if name != "target"]


_WANTS_TEXT = frozenset({"string_type", "literal_error", "enum"})
_LONGEST_SHOWN = 60
