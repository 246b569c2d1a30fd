"""Find text that a lenient model took for a number or a boolean.

Models cannot simply be strict: in strict mode a list is no tuple and a word no member of an enum
once a validator has run before.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from collections.abc import Mapping as AnyMapping
from numbers import Number
from typing import NamedTuple

from pydantic import BaseModel

from runner.suites.text.nodes import Items, Mapping, Node, Scalar, plain_value


class Coerced(NamedTuple):
    """A setting's outermost key, and what happened to its value."""

    key: str
    told: str


def coerced_scalars(node: Node, settings: BaseModel) -> Iterator[Coerced]:
    """Give each scalar that is a number or a boolean in the settings, and none as written."""
    names = {field.alias or name: name for name, field in type(settings).model_fields.items()}
    if not isinstance(node, Mapping):
        return
    for key, entry in node.entries.items():
        if key in names:
            for told in _coerced(entry.value, getattr(settings, names[key])):
                yield Coerced(key, f"{key}: {told}")


def _coerced(node: Node, value: object) -> Iterator[str]:
    match node:
        case Scalar():
            yield from _coerced_scalar(node, value)
        case Items():
            if isinstance(value, Sequence) and len(value) == len(node.items):
                for inner, part in zip(node.items, value, strict=True):
                    yield from _coerced(inner, part)
        case Mapping():
            if isinstance(value, BaseModel):
                yield from (found.told for found in coerced_scalars(node, value))
            elif isinstance(value, AnyMapping):
                for key, entry in node.entries.items():
                    yield from _coerced(entry.value, value.get(key))


def _coerced_scalar(node: Scalar, value: object) -> Iterator[str]:
    written = plain_value(node)
    if isinstance(value, bool) and not isinstance(written, bool):
        yield f"{node.text!r} is neither true nor false"
    is_number = isinstance(value, Number) and not isinstance(value, bool)
    if is_number and isinstance(written, (bool, str)):
        yield f"{node.text!r} is not a number"
