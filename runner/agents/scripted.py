"""The agent that follows a script: recorded steps instead of a model."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import lru_cache

from pydantic import BaseModel, ConfigDict

from runner.agents.config_parts import config_file, settings_of
from runner.agents.journalled import journalled_sandbox, note
from runner.agents.protocol import Assignment
from runner.agents.scripted_steps import Script, Step
from runner.agents.turn import Turn
from runner.domain import AgentEnd, BlobSource, Config, FileContent, Kind, Reason, SuiteFile, Task
from runner.errors import BreakerError, InfrastructureError, SuiteFileError
from runner.sandbox import Command
from runner.suites import read_document


class ScriptedSettings(BaseModel):
    """The keys of a scripted configuration.

    Attributes:
        script: A YAML or JSON file of steps.
    """

    model_config = ConfigDict(extra="forbid", frozen=True)

    script: SuiteFile


@dataclass(frozen=True, slots=True, kw_only=True)
class ScriptedAgent:
    """Takes the steps in order; after the last one it has completed.

    A command's exit status stops nothing: a script that should stop there says so itself. No step
    pretends a model call.

    Attributes:
        steps: None where the script says nothing of this attempt, which is an error.
    """

    steps: Sequence[Step] | None

    async def work(self, assignment: Assignment) -> AgentEnd:
        """Follow the script.

        Raises:
            InfrastructureError: Where a step says so, or the script says nothing.
            BreakerError: Where a step says so.
        """
        if self.steps is None:
            raise InfrastructureError(
                f"the script has no steps for {assignment.trial}",
                reason=Reason.AGENT_REPORTED_ERROR,
                hint="Add a case for it, or `steps` for all that no case fits.",
            )
        for step in self.steps:
            if step.end is not None:
                return AgentEnd(reason=step.end, detail=step.message)
            await _take(step, assignment)
        return AgentEnd(reason=Reason.COMPLETED)


SCRIPTED = Kind(settings=ScriptedSettings, runs_commands=lambda _: False)


def make_scripted_agent(
    config: Config, task: Task, *, turn: Turn, files: BlobSource
) -> ScriptedAgent:
    """Make the agent for one attempt.

    Raises:
        SuiteFileError: If the script has a mistake, with its line.
    """
    settings = settings_of(config, ScriptedSettings)
    script = _script(config_file(config, settings.script, files=files), settings.script)
    steps = script.steps_for(task=task.id, repeat=turn.repeat, attempt=turn.attempt)
    return ScriptedAgent(steps=steps)


@lru_cache(maxsize=8)
def _script(data: bytes, shown: str) -> Script:
    try:
        text = data.decode()
    except UnicodeDecodeError as error:
        raise SuiteFileError(f"{shown} is not UTF-8 text", hint="Save it as UTF-8.") from error
    return read_document(text, Script, shown=shown)


async def _take(step: Step, assignment: Assignment) -> None:
    if step.run is not None or step.argv is not None:
        argv = step.argv or ("sh", "-c", step.run or "")
        await journalled_sandbox(assignment).run(Command(argv=argv, seconds=step.seconds))
    elif step.write is not None:
        data = step.text.encode()
        file = FileContent(path=step.write, data=data, executable=step.executable)
        await journalled_sandbox(assignment).put([file])
    elif step.submit is not None:
        assignment.submission.submit(step.submit)
        await note(assignment, "submit", step.submit)
    elif step.say is not None:
        await note(assignment, "say", step.say)
    elif step.wait is not None:
        await assignment.clock.sleep(step.wait)
    elif step.fail is not None:
        _fail(step.fail, step.message or "the script says so")


def _fail(reason: Reason, message: str) -> None:
    if reason.opens_breaker:
        raise BreakerError(message, reason=reason)
    raise InfrastructureError(message, reason=reason)
