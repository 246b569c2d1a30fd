"""The user's own agent: a class in a Python file that the suite names.

The file runs inside the runner's own process and is trusted like the runner itself; what it tells
a sandbox to run is as closed in as with any other agent.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace

import anyio
from pydantic import BaseModel, ConfigDict, model_validator

from runner.agents.config_parts import config_file, settings_of
from runner.agents.journalled import JournalledSandbox
from runner.agents.protocol import Agent, Assignment
from runner.agents.python_class import load_class, make_instance
from runner.domain import AgentEnd, BlobSource, Config, JsonObject, Kind, SuiteFile


class PythonFileSettings(BaseModel):
    """The keys of a ``python:FILE.py:Class`` configuration; all others go to the class.

    Attributes:
        target: ``FILE.py:Class``.
        python_file: The file in it.
    """

    model_config = ConfigDict(extra="allow", frozen=True)

    target: str
    python_file: SuiteFile = ""

    @model_validator(mode="before")
    @classmethod
    def _split_target(cls, data: object) -> object:
        if not isinstance(data, Mapping) or "target" not in data:
            return data
        file, _, name = str(data["target"]).rpartition(":")
        if not file.endswith(".py") or not name.isidentifier():
            raise ValueError("write `agent: python:FILE.py:Class`")
        return {**data, "python_file": file}

    @property
    def class_name(self) -> str:
        """Give the class's name."""
        return self.target.rpartition(":")[2]

    @property
    def arguments(self) -> JsonObject:
        """Give what the class is made with."""
        return self.model_extra or {}


@dataclass(frozen=True, slots=True)
class PythonFileAgent:
    """Guards the runner against what a user's agent may do by mistake.

    Attributes:
        own: The user's agent.
        name: How messages name it.
    """

    own: Agent
    name: str

    async def work(self, assignment: Assignment) -> AgentEnd:
        """Let the user's agent work, what it does in the sandbox being recorded.

        Raises:
            TypeError: If it returned something else than an ``AgentEnd``, or submitted an answer
                that is no text.
            RuntimeError: If it tried to end the process, or cancelled itself.
        """
        try:
            end: object = await self.own.work(_recording(assignment))
        except (SystemExit, KeyboardInterrupt) as error:
            raise RuntimeError(f"{self.name} tried to end the process: {error!r}") from error
        except BaseExceptionGroup as group:
            if group.subgroup((SystemExit, KeyboardInterrupt)) is None:
                raise
            raise RuntimeError(f"{self.name} tried to end the process: {group!r}") from group
        except anyio.get_cancelled_exc_class() as error:
            if anyio.get_current_task().has_pending_cancellation():
                raise
            raise RuntimeError(f"{self.name} cancelled itself") from error
        answer: object = assignment.submission.answer
        if not isinstance(answer, str | None):
            assignment.submission.answer = None
            raise TypeError(f"{self.name} submitted {type(answer).__name__}, and no text")
        if not isinstance(end, AgentEnd):
            raise TypeError(f"{self.name} returned {type(end).__name__}, and no AgentEnd")
        return end


PYTHON_FILE = Kind(settings=PythonFileSettings, runs_commands=lambda _: False)


def make_python_agent(config: Config, *, files: BlobSource) -> PythonFileAgent:
    """Make the user's agent for one attempt; its file is run once in this process.

    Raises:
        UsageError: If the file does not run, has no such class, or the class no ``work`` or other
            arguments.
    """
    settings = settings_of(config, PythonFileSettings)
    file = settings.python_file
    found = load_class(file, config_file(config, file, files=files), settings.class_name)
    model = {} if config.model is None else {"model": config.model}
    own = make_instance(found, {**settings.arguments, **model}, file=file)
    return PythonFileAgent(own, f"{settings.class_name} in {file}")


def _recording(assignment: Assignment) -> Assignment:
    if assignment.sandbox is None:
        return assignment
    sandbox = JournalledSandbox(
        sandbox=assignment.sandbox, journal=assignment.journal, clock=assignment.clock
    )
    return replace(assignment, sandbox=sandbox)
