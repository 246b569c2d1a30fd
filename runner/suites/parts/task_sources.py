"""Where tasks are written: in the suite file, in task folders, and in data files."""

from __future__ import annotations

import glob
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from runner.suites.parts.data_columns import Columns
from runner.suites.parts.reading import Reading, beside
from runner.suites.text.csv_rows import parse_csv
from runner.suites.text.json_rows import parse_json_lines
from runner.suites.text.nodes import Items, Mapping, Mark, Source
from runner.suites.text.presence import is_folder, is_there, why_hidden
from runner.suites.text.spelling import nearest_name
from runner.suites.text.text_files import read_text
from runner.suites.text.yaml_nodes import parse_yaml
from runner.suites.values.keys import Keys

#: The parser reads half a megabyte a second; large sets of tasks belong into JSON lines.
MOST_YAML_BYTES = 8 << 20
MOST_DATA_BYTES = 1 << 30
FROM_KEYS = ("from", "map", "ignore")
TASK_FILES = ("task.yaml", "task.yml")


@dataclass(frozen=True, slots=True)
class RawTask:
    """A task's own keys, and its folder if it has one."""

    mapping: Mapping
    folder: Path | None = None


def written_tasks(items: Items, *, reading: Reading) -> Iterator[RawTask]:
    """Give every task of a suite in the order of the file, unread but for its keys."""
    for item in items.items:
        if not isinstance(item, Mapping):
            reading.mistakes.add(
                item.mark, "a task is a map", hint="Write - id: …, or - from: FILE."
            )
        elif "from" in item.entries:
            yield from _tasks_from(Keys(item, reading.mistakes), reading)
        else:
            yield RawTask(item)


def _tasks_from(keys: Keys, reading: Reading) -> Iterator[RawTask]:
    keys.check_known(FROM_KEYS, owner="an entry with from")
    pattern = keys.text("from")
    if pattern is None:
        return
    columns = Columns(keys, reading.mistakes)
    found = _matches(pattern, keys.mark("from"))
    if not found:
        _note_no_match(pattern, keys)
    for path in found:
        yield from _tasks_of_file(path, keys, columns, reading)
    columns.check_used()


def _tasks_of_file(path: Path, keys: Keys, columns: Columns, reading: Reading) -> Iterator[RawTask]:
    if is_folder(path):
        path = next((path / name for name in TASK_FILES if is_there(path / name)), path)
    suffix = "directory" if is_folder(path) else path.suffix.lower()
    source = Source(path, str(path))
    reading.sources.append(path)
    mark = keys.mark("from")
    if suffix in (".yaml", ".yml"):
        yield from _task_of_folder(path, source, mark, reading)
        return
    parse = {".jsonl": parse_json_lines, ".ndjson": parse_json_lines}.get(suffix)
    parse = parse_csv if suffix in (".csv", ".tsv") else parse
    if parse is None:
        reason = why_hidden(path)
        what = f"cannot be read: {reason}" if reason else "is neither a task.yaml nor a data file"
        keys.refuse(
            "from",
            f"{path} {what}",
            hint="Name .yaml, .jsonl or .csv files, or directories that hold a task.yaml.",
        )
        return
    text = read_text(path, mark, most_bytes=MOST_DATA_BYTES, mistakes=reading.mistakes)
    if text is None:
        return
    rows = 0
    for row in parse(text, source, mistakes=reading.mistakes):
        rows += 1
        yield RawTask(columns.as_task(row))
    if rows == 0:
        keys.refuse("from", f"{path} holds no task")


def _task_of_folder(path: Path, source: Source, mark: Mark, reading: Reading) -> Iterator[RawTask]:
    text = read_text(path, mark, most_bytes=MOST_YAML_BYTES, mistakes=reading.mistakes)
    if text is None:
        return
    root = parse_yaml(text, source, mistakes=reading.mistakes)
    if isinstance(root, Mapping):
        yield RawTask(root, path.parent if path.name in TASK_FILES else None)
    elif root is not None:
        reading.mistakes.add(root.mark, "a task file holds one map", hint="Write id: … in it.")


def _matches(pattern: str, mark: Mark) -> list[Path]:
    literal = beside(mark, pattern)
    # A file may be called like a pattern; then it is that file which is meant.
    if not pattern or is_there(literal):
        return [literal] if pattern else []
    directory = glob.escape(str(mark.source.path.parent))
    # Path.glob refuses absolute patterns.
    found = glob.glob(str(Path(directory, pattern)), recursive=True)  # noqa: PTH207 - see above
    return [Path(path) for path in sorted(found)]


def _note_no_match(pattern: str, keys: Keys) -> None:
    parent = beside(keys.mark("from"), pattern).parent
    near = nearest_name(Path(pattern).name, _names_in(parent))
    wild = glob.has_magic(pattern)
    hint = f"Did you mean {str(Path(pattern).parent / near)!r}?" if near and not wild else None
    keys.refuse(
        "from",
        f"nothing matches {pattern!r}" if wild else f"{pattern!r} does not exist",
        hint=hint or "Write a path or a pattern relative to this file.",
    )


def _names_in(directory: Path) -> list[str]:
    try:
        return [entry.name for entry in directory.iterdir()]
    except OSError:  # only a hint is lost
        return []
