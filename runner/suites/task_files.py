"""A task's instruction and its three file trees, from keys or from its folder."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

from runner.domain import FileTree
from runner.suites.keys import Keys
from runner.suites.mistakes import Mistakes
from runner.suites.nodes import Mark
from runner.suites.reading import Reading, beside
from runner.suites.text_files import read_text

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
    if path is not None and path.exists():
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
        self._checked: set[tuple[Path, ...]] = set()

    def trees(self, keys: Keys, own: Keys, folder: Path | None) -> TaskTrees:
        """Read a task's trees: its own keys first, then its folder's, then the defaults'.

        Args:
            keys: The task's keys over the defaults.
            own: The task's keys alone.
            folder: The task's folder, or None.
        """
        places = {name: self._place(name, keys, own, folder) for name in _NAMES}
        self._check_hidden(places)
        trees = {name: self._read(place) for name, place in places.items()}
        return TaskTrees(files=trees["files"], tests=trees["tests"], solution=trees["solution"])

    def _place(
        self, name: str, keys: Keys, own: Keys, folder: Path | None
    ) -> tuple[Path, Mark] | None:
        if folder is not None and not own.has(name) and (folder / name).exists():
            return folder / name, own.mark(name)
        if not keys.has(name) or keys.is_null(name):
            return None
        written = keys.text(name)
        if written is None:
            return None
        path = beside(keys.mark(name), written)
        if not written or not path.exists():
            keys.refuse(name, f"{written!r} does not exist", hint="Correct the path.")
            return None
        return path, keys.mark(name)

    def _read(self, place: tuple[Path, Mark] | None) -> FileTree:
        return self._reading.trees.tree(*place) if place else FileTree()

    def _check_hidden(self, places: dict[str, tuple[Path, Mark] | None]) -> None:
        """Refuse files that would show an agent the suite, its tests or its solution."""
        seen = places["files"]
        if seen is None:
            return
        path, mark = seen
        hidden = {"the suite": mark.source.path}
        hidden |= {name: found[0] for name in _HIDDEN if (found := places[name])}
        # Ten thousand tasks often share one directory, and resolving it asks the disk.
        if (path, *hidden.values()) in self._checked:
            return
        self._checked.add((path, *hidden.values()))
        for name, place in hidden.items():
            if place.resolve().is_relative_to(path.resolve()):
                self._reading.mistakes.add(
                    mark,
                    f"files: {path} holds {name} ({place}), which the agent must not see",
                    hint="Keep the agent's files in a directory of their own.",
                )


_HIDDEN = ("tests", "solution")
_NAMES = ("files", *_HIDDEN)
