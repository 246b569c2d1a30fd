"""A task's graders, and the short form ``expect``."""

from __future__ import annotations

from dataclasses import dataclass, replace

from runner.domain import FileEntry, GraderSpec, Isolation
from runner.suites.parts.config_keys import settings_object
from runner.suites.parts.reading import Reading
from runner.suites.parts.referenced_files import read_named_files
from runner.suites.text.nodes import Entry, Items, Mapping, Mark, Node, Scalar, Style
from runner.suites.text.spelling import spelling_hint
from runner.suites.values.kind_settings import read_settings
from runner.suites.values.names import says_nothing

ANSWER = "answer"


@dataclass(frozen=True, slots=True, kw_only=True)
class TaskContext:
    """What a task says outside of its graders that bears on them.

    Attributes:
        name: How messages name the task.
        mark: The task's place.
        expect: The short form: fills each ``answer`` grader that has none, and stands for one
            where no grader is written.
        isolation: ``none`` refuses graders that run commands.
    """

    name: str
    mark: Mark
    expect: Entry | None
    isolation: Isolation


@dataclass(frozen=True, slots=True)
class ReadGraders:
    """Graders with the files that they name, and the key that they share."""

    specs: tuple[GraderSpec, ...]
    files: tuple[FileEntry, ...]
    expect: str | None


def read_graders(
    graders: Items | None, task: TaskContext, *, reading: Reading
) -> ReadGraders | None:
    """Read a task's graders.

    Args:
        graders: As written for the task or in the defaults, or None.
        task: What they are read for.
        reading: The suite being read.

    Returns:
        None after a mistake.
    """
    expect = task.expect
    if graders is None:
        if expect is None:
            hint = "Add expect: or graders: to it or to defaults."
            reading.mistakes.add(task.mark, f"{task.name} has no grader", hint=hint)
            return None
        kind = Entry(expect.mark, Scalar(ANSWER, Style.QUOTED, expect.mark))
        graders = Items((Mapping({"kind": kind}, expect.mark),), expect.mark)
    if not graders.items:
        reading.mistakes.add(graders.mark, "graders: is empty", hint="Add at least one grader.")
        return None
    reader = _GraderReader(task, reading)
    specs = [reader.read(node) for node in graders.items]
    if expect is not None and not reader.used_expect and None not in specs:
        reading.mistakes.add(
            expect.mark,
            f"expect: {task.name} has no {ANSWER} grader that takes it",
            hint=f"Add {{kind: {ANSWER}}} to the graders, or remove expect.",
        )
    read = tuple(spec for spec in specs if spec is not None)
    if len(read) != len(specs):
        return None
    return ReadGraders(read, tuple(reader.files), _shared_expect(read))


class _GraderReader:
    def __init__(self, task: TaskContext, reading: Reading) -> None:
        self._task = task
        self._reading = reading
        self.used_expect = False
        self.files: list[FileEntry] = []

    def read(self, node: Node) -> GraderSpec | None:
        mistakes = self._reading.mistakes
        kinds = self._reading.vocabulary.graders
        name_node = node.get("kind") if isinstance(node, Mapping) else None
        if not isinstance(node, Mapping) or not isinstance(name_node, Scalar):
            mistakes.add(
                node.mark, "a grader is a map with a kind", hint="Write {kind: answer, …}."
            )
            return None
        name = name_node.text
        kind = kinds.get(name)
        if kind is None:
            hint = spelling_hint(name, kinds)
            mistakes.add(node.mark_of("kind"), f"unknown kind of grader {name!r}", hint=hint)
            return None
        own = self._with_expect(node, name)
        if own is None:
            return None
        owner = f"the grader {name!r}"
        settings = read_settings(own, kind, owner=owner, other_keys=["kind"], mistakes=mistakes)
        if settings is None:
            return None
        if self._task.isolation is Isolation.NONE and kind.runs_commands(settings):
            mistakes.add(
                node.mark,
                f"{self._task.name} has isolation: none, but {owner} runs commands",
                hint="Write isolation: required or preferred.",
            )
        self.files += read_named_files(settings, own, reading=self._reading)
        return GraderSpec(kind=name, settings=settings_object(settings))

    def _with_expect(self, node: Mapping, kind: str) -> Mapping | None:
        """Give a grader's own keys, its expected answer read as it is written."""
        own = node.without("kind")
        entry = own.entries.get("expect")
        if kind == ANSWER and entry is None:
            self.used_expect = True
            entry = self._task.expect
            if entry is None:
                self._reading.mistakes.add(
                    self._task.mark,
                    f"{self._task.name} has no expect for its answer grader",
                    hint="Add expect:, or map: {expect: column} where a column holds it.",
                )
                return None
        if entry is None:
            return own
        written = as_written(entry.value)
        if not self._says_something(written, entry):
            return None
        return replace(own, entries={**own.entries, "expect": Entry(entry.mark, written)})

    def _says_something(self, node: Node, entry: Entry) -> bool:
        match node:
            case Scalar(is_null=True):
                told = f"expect: {self._task.name} has no value here"
            case Scalar() if says_nothing(node.text):
                told = (
                    f"expect: {node.text!r} of {self._task.name} holds no letter, digit or symbol"
                )
            case Items() if not node.items:
                told = f"expect: the list of {self._task.name} is empty"
            case Items():
                return all(self._says_something(item, entry) for item in node.items)
            case _:
                return True
        self._reading.mistakes.add(
            entry.mark, told, hint="Write the answer; quote it where YAML would read it as nothing."
        )
        return False


def as_written(node: Node) -> Node:
    """Give a node whose scalars are text; only what says that there is no value stays so."""
    match node:
        case Scalar(is_null=False):
            return replace(node, style=Style.QUOTED)
        case Items():
            return replace(node, items=tuple(as_written(item) for item in node.items))
        case _:
            return node


def _shared_expect(specs: tuple[GraderSpec, ...]) -> str | None:
    keys = {
        key
        for spec in specs
        if spec.kind == ANSWER and isinstance(key := spec.settings.get("expect"), str)
    }
    return keys.pop() if len(keys) == 1 else None
