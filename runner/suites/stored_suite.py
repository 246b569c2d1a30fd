"""A whole suite as JSON, so that a sweep can go on when its file is gone."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Literal

from pydantic import BaseModel, ConfigDict, JsonValue, ValidationError

from runner.domain import (
    Config,
    FileEntry,
    FileTree,
    GraderSpec,
    Isolation,
    Json,
    JsonObject,
    Limits,
    OnOom,
    SandboxSpec,
    Suite,
    Task,
)
from runner.errors import LedgerError, SchemaVersionError

FORMAT = 1


def suite_document(suite: Suite) -> JsonObject:
    """Give everything that a suite says, as JSON; equal suites give equal documents.

    A file tree that many tasks share is written once, under its digest.
    """
    trees = _WrittenTrees()
    return {
        "format": FORMAT,
        "name": suite.name,
        "description": suite.description,
        "repeats": suite.repeats,
        "max_in_flight": suite.max_in_flight,
        "infra_attempts": suite.infra_attempts,
        "budget_nusd": suite.budget_nusd,
        "seed": suite.seed,
        "gates": suite.gates,
        "tasks": [_task_document(task, trees) for task in suite.tasks],
        "configs": [_config_document(config, trees) for config in suite.configs],
        "trees": trees.by_digest,
    }


def suite_from_document(document: JsonObject) -> Suite:
    """Rebuild the suite of which this is the document.

    Raises:
        SchemaVersionError: If a newer runner wrote it.
        LedgerError: If it is no such document.
    """
    written_as = document.get("format")
    if isinstance(written_as, int) and written_as > FORMAT:
        raise SchemaVersionError(
            f"the stored suite has format {written_as}, this runner knows {FORMAT}",
            hint="Upgrade runner.",
        )
    try:
        return _SuiteDocument.model_validate(document).suite()
    except (ValidationError, KeyError) as error:
        raise LedgerError(f"the stored suite cannot be read: {error}") from error


class _WrittenTrees:
    def __init__(self) -> None:
        self.by_digest: dict[str, Json] = {}
        self._digests: dict[int, tuple[FileTree, str]] = {}

    def keep(self, tree: FileTree) -> str:
        # By identity: thousands of tasks hold the very same tree, and its digest costs its length.
        if id(tree) not in self._digests:
            self._digests[id(tree)] = (tree, tree.digest)
            self.by_digest[tree.digest] = tree.canonical()
        return self._digests[id(tree)][1]


def _task_document(task: Task, trees: _WrittenTrees) -> JsonObject:
    return {
        "id": task.id,
        "instruction": task.instruction,
        "graders": [grader.canonical() for grader in task.graders],
        "pass_at": task.pass_at,
        "files": trees.keep(task.files),
        "tests": trees.keep(task.tests),
        "solution": trees.keep(task.solution),
        "expect": task.expect,
        "limits": task.limits.canonical(),
        "sandbox": task.sandbox.canonical(),
        "on_oom": task.on_oom.value,
        "tags": list(task.tags),
    }


def _config_document(config: Config, trees: _WrittenTrees) -> JsonObject:
    return {
        "name": config.name,
        "agent": config.agent,
        "model": config.model,
        "settings": config.settings,
        "outside": list(config.outside),
        "limits": config.limits,
        "files": trees.keep(config.files),
        "named_only": config.named_only,
    }


class _Document(BaseModel):
    model_config = ConfigDict(extra="forbid")


class _EntryDocument(_Document):
    path: str
    digest: str
    size: int
    executable: bool


class _GraderDocument(_Document):
    kind: str
    settings: dict[str, JsonValue]


class _LimitsDocument(_Document):
    steps: int | None
    output_tokens: int | None
    agent_seconds: float
    cost_nusd: int | None


class _SandboxDocument(_Document):
    isolation: Isolation
    backend: str | None
    network: bool
    cpus: float
    memory_bytes: int
    memory_ceiling_bytes: int
    processes: int
    file_bytes: int
    setup_seconds: float


class _TaskDocument(_Document):
    id: str
    instruction: str
    graders: list[_GraderDocument]
    pass_at: float
    files: str
    tests: str
    solution: str
    expect: str | None
    limits: _LimitsDocument
    sandbox: _SandboxDocument
    on_oom: OnOom
    tags: list[str]

    def task(self, trees: Mapping[str, FileTree]) -> Task:
        return Task(
            id=self.id,
            instruction=self.instruction,
            graders=tuple(GraderSpec(kind=g.kind, settings=g.settings) for g in self.graders),
            pass_at=self.pass_at,
            files=trees[self.files],
            tests=trees[self.tests],
            solution=trees[self.solution],
            expect=self.expect,
            limits=Limits(**dict(self.limits)),
            sandbox=SandboxSpec(**dict(self.sandbox)),
            on_oom=self.on_oom,
            tags=tuple(self.tags),
        )


class _ConfigDocument(_Document):
    name: str
    agent: str
    model: str | None
    settings: dict[str, JsonValue]
    outside: tuple[str, ...]
    limits: dict[str, JsonValue]
    files: str
    named_only: bool

    def config(self, trees: Mapping[str, FileTree]) -> Config:
        return Config(**{**dict(self), "files": trees[self.files]})


class _SuiteDocument(_Document):
    format: Literal[1]
    name: str
    description: str
    repeats: int
    max_in_flight: int
    infra_attempts: int
    budget_nusd: int | None
    seed: int
    gates: list[JsonValue]
    tasks: list[_TaskDocument]
    configs: list[_ConfigDocument]
    trees: dict[str, list[_EntryDocument]]

    def suite(self) -> Suite:
        trees = {
            digest: FileTree(tuple(FileEntry(**dict(entry)) for entry in entries))
            for digest, entries in self.trees.items()
        }
        return Suite(
            name=self.name,
            tasks=tuple(task.task(trees) for task in self.tasks),
            configs=tuple(config.config(trees) for config in self.configs),
            description=self.description,
            repeats=self.repeats,
            max_in_flight=self.max_in_flight,
            infra_attempts=self.infra_attempts,
            budget_nusd=self.budget_nusd,
            seed=self.seed,
            gates=tuple(self.gates),
        )
