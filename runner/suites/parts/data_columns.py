"""How a data file's columns become a task's keys."""

from __future__ import annotations

import fnmatch

from runner.suites.parts.task_keys import TASK_KEYS
from runner.suites.text.csv_rows import split_cell
from runner.suites.text.mistakes import Mistakes
from runner.suites.text.nodes import OWN_PREFIX, Entry, Mapping, Scalar
from runner.suites.text.spelling import nearest_name, spelling_hint
from runner.suites.values.keys import Keys


class Columns:
    """The ``map`` and ``ignore`` of one ``from`` entry.

    A column that is neither a key of a task, nor mapped, nor ignored is a mistake, told once.
    """

    def __init__(self, keys: Keys, mistakes: Mistakes) -> None:
        self._keys = keys
        self._mistakes = mistakes
        self._column_of = self._mapped()
        self._key_of = {column: key for key, column in self._column_of.items()}
        self._ignored = keys.texts("ignore") or ()
        self._unused = set(self._key_of)
        self._seen: dict[str, None] = {}
        self._told: set[str] = set()

    def as_task(self, row: Mapping) -> Mapping:
        """Give a row under a task's keys; null is a key that is not there."""
        entries: dict[str, Entry] = {}
        for column, entry in row.entries.items():
            self._seen.setdefault(column)
            key = self._key_of.get(column)
            if key is None:
                if not self._is_key(column, entry):
                    continue
                key = column
            self._unused.discard(column)
            if isinstance(entry.value, Scalar) and entry.value.is_null:
                continue
            value = split_cell(entry.value) if key == "tags" else entry.value
            entries[key] = Entry(entry.mark, value)
        return Mapping(entries, row.mark)

    def check_used(self) -> None:
        """Note the mapped columns that no row had."""
        if not self._seen:
            return
        for column in sorted(self._unused):
            hint = spelling_hint(column, self._seen)
            self._keys.refuse("map", f"no row has a column {column!r}", hint=hint)

    def _mapped(self) -> dict[str, str]:
        mapping = self._keys.submapping("map")
        if mapping is None:
            return {}
        map_keys = Keys(mapping, self._mistakes)
        map_keys.check_known(TASK_KEYS, owner="map")
        columns = {key: map_keys.text(key) for key in mapping.entries}
        return {key: column for key, column in columns.items() if column is not None}

    def _is_key(self, column: str, entry: Entry) -> bool:
        """Tell whether an unmapped column is read under its own name."""
        if column.startswith(OWN_PREFIX) or column in self._told:
            return False
        if any(fnmatch.fnmatchcase(column, pattern) for pattern in self._ignored):
            return False
        if column in TASK_KEYS and column not in self._column_of:
            return True
        self._told.add(column)
        told = f"the column {column!r} is no key of a task"
        if column in self._column_of:
            told = f"the column {column!r} stands beside {self._column_of[column]!r}, mapped to it"
        near = nearest_name(column, TASK_KEYS)
        near = f"Did you mean {near!r}? " if near and column not in self._column_of else ""
        hint = f"{near}Name it in map: {{key: {column}}}, or in ignore: [{column}]."
        self._mistakes.add(entry.mark, told, hint=hint)
        return False
