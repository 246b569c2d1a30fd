"""What differs between two versions of a suite that bears on its trials."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from dataclasses import dataclass

from runner.domain import Config, Json, JsonObject, Suite, Task


@dataclass(frozen=True, slots=True)
class FieldChange:
    """One field's old and new value, each short enough for a line."""

    field: str
    old: str
    new: str

    def __str__(self) -> str:
        return f"{self.field}: {self.old} → {self.new}"


@dataclass(frozen=True, slots=True, kw_only=True)
class NamedChanges:
    """Differences among things with names: tasks by id, or configurations by name.

    Attributes:
        added: Names that only the new suite has, in its order.
        removed: Names that only the old suite has, in its order.
        changed: What differs under a name that both have.
    """

    added: tuple[str, ...] = ()
    removed: tuple[str, ...] = ()
    changed: Mapping[str, tuple[FieldChange, ...]]

    def __bool__(self) -> bool:
        return bool(self.added or self.removed or self.changed)


@dataclass(frozen=True, slots=True, kw_only=True)
class SuiteChanges:
    """All differences; false if old and new trials can stand side by side.

    Attributes:
        name: The suite's old and new name, if it was renamed.
        tasks: By id.
        configs: By name.
    """

    name: FieldChange | None
    tasks: NamedChanges
    configs: NamedChanges

    def __bool__(self) -> bool:
        return bool(self.name or self.tasks or self.configs)


def compare_suites(old: Suite, new: Suite) -> SuiteChanges:
    """Compare what is under test and what it is tested by.

    Order, tags, descriptions, repeats, concurrency, budgets, seeds and gates are no differences.
    """
    renamed = FieldChange("suite", old.name, new.name) if old.name != new.name else None
    return SuiteChanges(
        name=renamed,
        tasks=_compare({t.id: t for t in old.tasks}, {t.id: t for t in new.tasks}),
        configs=_compare({c.name: c for c in old.configs}, {c.name: c for c in new.configs}),
    )


def _compare(
    old: Mapping[str, Task] | Mapping[str, Config], new: Mapping[str, Task] | Mapping[str, Config]
) -> NamedChanges:
    changed = {}
    for name, was in old.items():
        now = new.get(name)
        if now is not None and was.canonical() != now.canonical():
            changed[name] = tuple(_fields(was.canonical(), now.canonical()))
    return NamedChanges(
        added=tuple(name for name in new if name not in old),
        removed=tuple(name for name in old if name not in new),
        changed=changed,
    )


def _fields(old: JsonObject, new: JsonObject, *, within: str = "") -> Iterator[FieldChange]:
    for key in sorted({*old, *new}):
        was, now = old.get(key), new.get(key)
        if was == now:
            continue
        name = f"{within}{key}"
        if name in _TREES:
            yield from _files(name, was, now)
        elif isinstance(was, Mapping) and isinstance(now, Mapping):
            yield from _fields(was, now, within=f"{name}.")
        elif isinstance(was, list) and isinstance(now, list) and len(was) == len(now):
            yield from _fields(_numbered(was), _numbered(now), within=f"{name}.")
        else:
            yield FieldChange(name, *_short(was, now))


def _numbered(values: list[Json]) -> JsonObject:
    return {str(number): value for number, value in enumerate(values, start=1)}


def _files(tree: str, old: Json, new: Json) -> Iterator[FieldChange]:
    was, now = _contents(old), _contents(new)
    for path in sorted({*was, *now}):
        if was.get(path) != now.get(path):
            gone, here = was.get(path, "absent"), now.get(path, "absent")
            yield FieldChange(f"{tree}/{path}", gone, here)


def _contents(tree: Json) -> dict[str, str]:
    """Give each file's content, shortened so that two contents still differ."""
    contents: dict[str, str] = {}
    for entry in tree if isinstance(tree, list) else ():
        if isinstance(entry, Mapping):
            executable = ", executable" if entry["executable"] else ""
            digest = str(entry["digest"])[:12]
            contents[str(entry["path"])] = f"{entry['size']} bytes {digest}{executable}"
    return contents


def _short(old: Json, new: Json) -> tuple[str, str]:
    """Give both values around the first place where they differ."""
    was, now = _spelled(old), _spelled(new)
    pairs = zip(was, now, strict=False)
    same = next((n for n, (a, b) in enumerate(pairs) if a != b), min(len(was), len(now)))
    start = max(0, same - _BEFORE) if max(len(was), len(now)) > _LONGEST else 0
    return _cut(was, start), _cut(now, start)


def _spelled(value: Json) -> str:
    return json.dumps(value, ensure_ascii=False, sort_keys=True)


def _cut(text: str, start: int) -> str:
    end = start + _LONGEST
    return ("…" if start else "") + text[start:end] + ("…" if len(text) > end else "")


_TREES = ("files", "tests", "solution")
_LONGEST = 60
_BEFORE = 15
