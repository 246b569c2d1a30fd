"""One task: its keys over the defaults, its files and its graders."""

from __future__ import annotations

from pathlib import Path

from runner.domain import FileEntry, FileTree, Limits, OnOom, SandboxSpec, Task
from runner.suites.parts.grader_keys import TaskContext, read_graders
from runner.suites.parts.reading import Reading
from runner.suites.parts.task_files import TaskFiles, TaskTrees, instruction_of
from runner.suites.parts.task_keys import TASK_KEYS
from runner.suites.parts.task_sources import RawTask
from runner.suites.text.nodes import Mapping, merged
from runner.suites.values.keys import Keys
from runner.suites.values.names import TakenNames, is_sound_name
from runner.suites.values.resources import read_limits, read_sandbox


class TaskReader:
    """Reads the tasks of one suite; what they share is read once.

    Attributes:
        files: Reads their files, and can say in the end whether these give anything away.
    """

    def __init__(self, defaults: Mapping, on_oom: OnOom, *, reading: Reading) -> None:
        self._defaults = defaults
        self._on_oom = on_oom
        self._reading = reading
        self._taken = TakenNames("the task id", mistakes=reading.mistakes)
        self.files = TaskFiles(reading)
        self._limits_read: dict[int, tuple[Mapping, Limits]] = {}
        self._sandboxes_read: dict[int, tuple[Mapping, SandboxSpec]] = {}

    def read(self, raw: RawTask) -> Task | None:
        """Read one task; None after a mistake."""
        mistakes = self._reading.mistakes
        before = len(mistakes)
        own = Keys(raw.mapping, mistakes)
        own.check_known(TASK_KEYS, owner="a task")
        keys = Keys(merged(self._defaults, raw.mapping), mistakes)
        task_id = self._id(own, raw.folder)
        name = "the task" if task_id is None else f"the task {task_id!r}"
        instruction = instruction_of(own, raw.folder, task=name, mistakes=mistakes)
        sandbox = self._sandbox(keys)
        context = TaskContext(
            name=name,
            mark=raw.mapping.mark,
            expect=raw.mapping.entries.get("expect"),
            isolation=sandbox.isolation,
        )
        graders = read_graders(keys.items("graders"), context, reading=self._reading)
        files = self.files.trees(keys, own, raw.folder)
        limits = self._limits(keys)
        pass_at = keys.number("pass_at", above=0, most=1)
        on_oom = keys.choice("on_oom", tuple(OnOom))
        tags = keys.texts("tags") or ()
        if task_id is None or instruction is None or graders is None or len(mistakes) != before:
            return None
        return Task(
            id=task_id,
            instruction=instruction,
            graders=graders.specs,
            pass_at=pass_at or 1.0,
            files=files.files,
            tests=self._tests(files, graders.files, keys),
            solution=files.solution,
            expect=graders.expect,
            limits=limits,
            sandbox=sandbox,
            on_oom=OnOom(on_oom) if on_oom else self._on_oom,
            tags=tags,
        )

    def _id(self, own: Keys, folder: Path | None) -> str | None:
        mark = own.mark("id")
        task_id = own.text("id")
        if not own.has("id") and folder is not None:
            task_id = folder.resolve().name
        if task_id is None:
            if not own.has("id"):
                hint = "Add id:, or map: {id: column} where a column holds it."
                self._reading.mistakes.add(mark, "the task has no id", hint=hint)
            return None
        what = "the task's id"
        if not is_sound_name(task_id, mark, what=what, mistakes=self._reading.mistakes):
            return None
        return task_id if self._taken.take(task_id, mark) else None

    def _limits(self, keys: Keys) -> Limits:
        mapping = keys.submapping("limits")
        if mapping is None:
            return Limits()
        # Without keys of its own a task has the defaults' very map.
        if id(mapping) not in self._limits_read:
            limits = read_limits(mapping, mistakes=self._reading.mistakes)
            self._limits_read[id(mapping)] = (mapping, limits)
        return self._limits_read[id(mapping)][1]

    def _sandbox(self, keys: Keys) -> SandboxSpec:
        mapping = keys.submapping("sandbox")
        if mapping is None:
            return SandboxSpec()
        if id(mapping) not in self._sandboxes_read:
            sandbox = read_sandbox(mapping, mistakes=self._reading.mistakes)
            self._sandboxes_read[id(mapping)] = (mapping, sandbox)
        return self._sandboxes_read[id(mapping)][1]

    def _tests(self, trees: TaskTrees, named: tuple[FileEntry, ...], keys: Keys) -> FileTree:
        """Put the files that graders name beside the hidden tests."""
        entries = {entry.path: entry for entry in trees.tests.entries}
        seen = {entry.digest for entry in trees.files.entries if entry.size}
        for entry in named:
            if entry.digest in seen:
                keys.refuse(
                    "files",
                    f"holds {entry.path}, which a grader names and the agent must not see",
                    hint="Keep the grader's file in a directory of its own.",
                )
            if entries.setdefault(entry.path, entry) != entry:
                keys.refuse(
                    "tests",
                    f"holds another {entry.path!r} than the one that a grader names",
                    hint="Rename one of the two files.",
                )
        return FileTree(tuple(entries.values())) if named else trees.tests
