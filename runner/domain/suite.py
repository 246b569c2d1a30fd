"""What a suite file says, as frozen values with every default written out."""

from __future__ import annotations

from dataclasses import dataclass, field
from enum import StrEnum

from runner.domain.files import FileTree
from runner.domain.json import Json, JsonObject, digest_json


class Isolation(StrEnum):
    """How closed a task's sandbox must be."""

    REQUIRED = "required"
    PREFERRED = "preferred"
    NONE = "none"


class OnOom(StrEnum):
    """What a memory kill by the kernel or the watchdog means for a trial."""

    INFRA_ERROR = "infra_error"
    FAIL = "fail"


@dataclass(frozen=True, slots=True, kw_only=True)
class Limits:
    """What an agent may use in one attempt; None is no limit.

    Attributes:
        steps: Model calls, at least 1.
        output_tokens: Output tokens over all calls.
        agent_seconds: Working time, without the time spent waiting on rate limits.
        cost_nusd: Nano-dollars over all calls.
    """

    steps: int | None = 50
    output_tokens: int | None = 64_000
    agent_seconds: float = 1800.0
    cost_nusd: int | None = None

    def canonical(self) -> JsonObject:
        """Give the limits as JSON, for digests."""
        return {
            "steps": self.steps,
            "output_tokens": self.output_tokens,
            "agent_seconds": self.agent_seconds,
            "cost_nusd": self.cost_nusd,
        }


@dataclass(frozen=True, slots=True, kw_only=True)
class SandboxSpec:
    """The closed place that a task asks for.

    Attributes:
        isolation: ``none`` only where neither agent nor grader runs a command.
        backend: A back end asked for by name (``process`` is used only so), or None.
        network: Whether commands reach the network.
        cpus: Guaranteed processors (the floor).
        memory_bytes: Guaranteed memory (the floor).
        memory_ceiling_bytes: Above this the kernel or the watchdog kills.
        processes: Most processes alive at once.
        file_bytes: Largest single file.
        setup_seconds: Most seconds for opening the sandbox and laying out its files.
    """

    isolation: Isolation = Isolation.REQUIRED
    backend: str | None = None
    network: bool = False
    cpus: float = 1.0
    memory_bytes: int = 1 << 30
    memory_ceiling_bytes: int = 2 << 30
    processes: int = 256
    file_bytes: int = 1 << 30
    setup_seconds: float = 120.0

    def canonical(self) -> JsonObject:
        """Give the sandbox as JSON, for digests."""
        return {
            "isolation": self.isolation.value,
            "backend": self.backend,
            "network": self.network,
            "cpus": self.cpus,
            "memory_bytes": self.memory_bytes,
            "memory_ceiling_bytes": self.memory_ceiling_bytes,
            "processes": self.processes,
            "file_bytes": self.file_bytes,
            "setup_seconds": self.setup_seconds,
        }


@dataclass(frozen=True, slots=True, kw_only=True)
class GraderSpec:
    """One grader of a task: its kind and that kind's settings, defaults written out."""

    kind: str
    settings: JsonObject = field(default_factory=dict)

    def canonical(self) -> JsonObject:
        """Give the grader as JSON, for digests."""
        return {"kind": self.kind, "settings": self.settings}


@dataclass(frozen=True, slots=True, kw_only=True)
class Task:
    """One problem.

    Attributes:
        id: Verbatim text; unique in its suite.
        instruction: Stands verbatim in the agent's first user message.
        graders: All must pass; the score is their mean.
        pass_at: The score that counts as passed where graders score in between.
        files: Seen by the agent, laid out in its working directory.
        tests: Hidden; laid out only in a grading sandbox.
        solution: Hidden; only the ``oracle`` agent reads it.
        expect: The key of an answer task as written, or None.
        tags: For filters and grouping; not part of the digest.
    """

    id: str
    instruction: str
    graders: tuple[GraderSpec, ...]
    pass_at: float = 1.0
    files: FileTree = FileTree()
    tests: FileTree = FileTree()
    solution: FileTree = FileTree()
    expect: str | None = None
    limits: Limits = Limits()
    sandbox: SandboxSpec = SandboxSpec()
    on_oom: OnOom = OnOom.INFRA_ERROR
    tags: tuple[str, ...] = ()

    def canonical(self) -> JsonObject:
        """Give all that makes this task this task, as JSON."""
        return {
            "id": self.id,
            "instruction": self.instruction,
            "graders": [grader.canonical() for grader in self.graders],
            "pass_at": self.pass_at,
            "files": self.files.canonical(),
            "tests": self.tests.canonical(),
            "solution": self.solution.canonical(),
            "expect": self.expect,
            "limits": self.limits.canonical(),
            "sandbox": self.sandbox.canonical(),
            "on_oom": self.on_oom.value,
        }

    @property
    def digest(self) -> str:
        """Give the digest of the task's content: the same for the same problem."""
        return digest_json(self.canonical())


@dataclass(frozen=True, slots=True, kw_only=True)
class Config:
    """One thing under test.

    Attributes:
        name: As written in the suite file, or ``oracle`` / ``nop``.
        agent: The agent's kind (``claude``, ``scripted``, ``python:file.py:Class``, …).
        model: The model's name, or None for agents without one.
        settings: The agent's own settings, defaults written out.
        limits: Keys of ``Limits`` that this configuration sets over the task's own.
        outside: Names of settings that are no part of what is under test, and in no digest.
        files: Files that the settings name (a script, a Python file), by relative path.
        named_only: Whether it runs only when it is named.
    """

    name: str
    agent: str
    model: str | None = None
    settings: JsonObject = field(default_factory=dict)
    outside: tuple[str, ...] = ()
    limits: JsonObject = field(default_factory=dict)
    files: FileTree = FileTree()
    named_only: bool = False

    def canonical(self) -> JsonObject:
        """Give all that makes this configuration what it is, as JSON; its name is not in it."""
        return {
            "agent": self.agent,
            "model": self.model,
            "settings": {k: v for k, v in self.settings.items() if k not in self.outside},
            "limits": self.limits,
            "files": self.files.canonical(),
        }

    @property
    def digest(self) -> str:
        """Give the digest of what is under test."""
        return digest_json(self.canonical())


@dataclass(frozen=True, slots=True, kw_only=True)
class Suite:
    """A named set of tasks with its configurations and the launch's defaults.

    Attributes:
        infra_attempts: Attempts in all before a trial settles as ``infra_error``.
        budget_nusd: Most nano-dollars a sweep may spend, or None.
        gates: As written; read by the gate command.
    """

    name: str
    tasks: tuple[Task, ...]
    configs: tuple[Config, ...]
    description: str = ""
    repeats: int = 1
    max_in_flight: int = 4
    infra_attempts: int = 3
    budget_nusd: int | None = None
    seed: int = 0
    gates: Json = ()

    @property
    def digest(self) -> str:
        """Give the digest of the suite's tasks, whatever their order in the file."""
        return digest_json({"suite": self.name, "tasks": sorted(t.digest for t in self.tasks)})
