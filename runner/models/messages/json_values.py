"""Reading JSON whose shape another program promised, without trusting the promise."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from runner.domain import Json, JsonObject


def as_object(value: Json) -> JsonObject:
    """Give an object, or an empty one for anything else."""
    return value if isinstance(value, Mapping) else {}


def as_list(value: Json) -> Sequence[Json]:
    """Give a list, or an empty one for anything else."""
    return value if isinstance(value, Sequence) and not isinstance(value, str) else ()


def as_text(value: Json) -> str:
    """Give a text, or an empty one for anything else."""
    return value if isinstance(value, str) else ""


def as_count(value: Json) -> int | None:
    """Give a whole number from 0 up, or None for anything else."""
    if isinstance(value, int) and not isinstance(value, bool) and value >= 0:
        return value
    return None
