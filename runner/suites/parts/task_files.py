"""A task's instruction and its three file trees, from keys or from its folder."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import NamedTuple

from runner.domain import FileTree
from runner.suites.parts.reading import Reading, beside
from runner.suites.text.mistakes import Mistakes
from runner.suites.text.nodes import Mark
from runner.suites.text.presence import is_there
from runner.suites.text.text_files import read_text
from runner.suites.values.keys import Keys

INSTRUCTION_FILE = "instruction.md"
MOST_INSTRUCTION_BYTES = 8 << 20


@dataclass(frozen=True, slots=True, kw_only=True)
class TaskTrees:
    """What the agent sees, what graders see, and what the oracle sees."""

    files: FileTree
    tests: FileTree
    solution: FileTree


def instruction_of(own: Keys, folder: Path | None, *, task: str, mistakes: Mistakes) -> str | None:
    """Read a task's instruction verbatim, from its key or from ``instruction.md``.

    Args:
        own: The task's keys alone.
        folder: The task's folder, or None.
        task: How messages name the task.
        mistakes: Takes what is wrong.
    """
    mark = own.mark("instruction")
    path = folder / INSTRUCTION_FILE if folder else None
    if path is not None and is_there(path):
        if own.has("instruction"):
            mistakes.add(
                mark,
                f"instruction: is written here and in {path}",
                hint="Remove one of the two.",
            )
            return None
        text = read_text(path, mark, most_bytes=MOST_INSTRUCTION_BYTES, mistakes=mistakes)
    else:
        text = own.text("instruction")
        if not own.has("instruction"):
            where = f", or write {path}" if path else ""
            mistakes.add(mark, f"{task} has no instruction", hint=f"Add instruction:{where}.")
    if text is not None and not text.strip():
        mistakes.add(mark, f"the instruction of {task} is empty", hint="Say what to do.")
        return None
    return text


class TaskFiles:
    """Reads the trees of all tasks of a suite."""

    def __init__(self, reading: Reading) -> None:
        self._reading = reading
        self._resolved_paths: dict[Path, Path] = {}
        self._shown: dict[Path, Mark] = {}

    def trees(self, keys: Keys, own: Keys, folder: Path | None) -> TaskTrees:
        """Read a task's trees: its own keys first, then its folder's, then the defaults'.

        Args:
            keys: The task's keys over the defaults.
            own: The task's keys alone.
            folder: The task's folder, or None.
        """
        places = {name: self._place(name, keys, own, folder) for name in _NAMES}
        files = places["files"]
        if files is not None:
            self._shown.setdefault(files.resolved, files.mark)
            for name in _HIDDEN:
                hidden = places[name]
                if hidden is not None and hidden.resolved.is_relative_to(files.resolved):
                    self._note_seen(files.mark, f"the {name} in {hidden.path}")
        trees = {name: self._read(place) for name, place in places.items()}
        return TaskTrees(files=trees["files"], tests=trees["tests"], solution=trees["solution"])

    def check_sources(self) -> None:
        """Refuse files among which an agent would find a file with the tasks' keys."""
        for source in self._reading.sources:
            for directory in source.resolve().parents:
                mark = self._shown.get(directory)
                if mark is not None:
                    self._note_seen(mark, str(source))

    def _place(self, name: str, keys: Keys, own: Keys, folder: Path | None) -> _Place | None:
        mark = keys.mark(name)
        if folder is not None and not own.has(name) and is_there(folder / name):
            path, mark = folder / name, own.mark(name)
        elif not keys.has(name) or keys.is_null(name):
            return None
        else:
            written = keys.text(name)
            if written is None:
                return None
            path = beside(mark, written)
            if not written or not is_there(path):
                keys.refuse(name, f"{written!r} does not exist", hint="Correct the path.")
                return None
        resolved = self._resolved(path)
        # Before it is read: it may well be the root of the disk.
        if self._resolved(mark.source.path).is_relative_to(resolved):
            self._note_seen(mark, f"{mark.source.shown} itself", name=name)
            return None
        return _Place(path, resolved, mark)

    def _read(self, place: _Place | None) -> FileTree:
        return self._reading.trees.tree(place.path, place.mark) if place else FileTree()

    def _resolved(self, path: Path) -> Path:
        # Ten thousand tasks often share one directory, and resolving it asks the disk.
        if path not in self._resolved_paths:
            self._resolved_paths[path] = path.resolve()
        return self._resolved_paths[path]

    def _note_seen(self, mark: Mark, what: str, *, name: str = "files") -> None:
        told = f"{name}: holds {what}" + (
            ", which the agent must not see" if name == "files" else ""
        )
        hint = "Keep these files in a directory of their own."
        self._reading.mistakes.add(mark, told, hint=hint)


class _Place(NamedTuple):
    path: Path
    resolved: Path
    mark: Mark


_HIDDEN = ("tests", "solution")
_NAMES = ("files", *_HIDDEN)
