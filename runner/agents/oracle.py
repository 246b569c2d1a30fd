"""The agent that applies a task's reference solution: a task that it fails is broken.

A solution that cannot be applied is an infrastructure error (``agent_reported_error``) and no
fail: nothing was tried that the graders could judge, and the fault is the suite's.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import anyio.to_thread
from pydantic import BaseModel, ConfigDict

from graders import needs_answer
from runner.agents.journalled import JournalledSandbox, journalled_sandbox
from runner.agents.protocol import Assignment
from runner.domain import (
    AgentEnd,
    BlobSource,
    FileContent,
    Kind,
    Reason,
    Task,
    contents_of,
)
from runner.errors import InfrastructureError
from runner.sandbox import Command, CommandResult

#: The files that are run instead of being copied, each with what runs it.
PROGRAMS: Mapping[str, str] = {"solve.sh": "sh", "solve.py": "python3"}
_SHOWN = 2_000


class OracleSettings(BaseModel):
    """It has none."""

    model_config = ConfigDict(extra="forbid", frozen=True)


@dataclass(frozen=True, slots=True, kw_only=True)
class OracleAgent:
    """Applies a solution in one of three ways.

    ``solve.sh`` or ``solve.py`` runs in the working directory, from a fresh directory elsewhere,
    with the task's id as its argument; the last line that it prints is the answer. Other solutions
    are copied over the working directory. Without a program, the task's key is the answer.

    Attributes:
        files: The bytes of the solution.
    """

    task: Task
    files: BlobSource

    async def work(self, assignment: Assignment) -> AgentEnd:
        """Apply the solution.

        Raises:
            InfrastructureError: If there is none, or it fails.
        """
        solution = await anyio.to_thread.run_sync(contents_of, self.task.solution, self.files)
        program = next((f.path for f in solution if f.path in PROGRAMS), None)
        if program is not None:
            return await self._run(assignment, solution, program)
        key = _key(self.task)
        if not solution and key is None:
            raise _fault(
                f"task {self.task.id} has neither a solution nor a key",
                hint="Add `solution/` to its folder.",
            )
        if solution:
            await journalled_sandbox(assignment).put(solution)
        if needs_answer(self.task) and key is not None:
            assignment.submission.submit(key)
        return AgentEnd(reason=Reason.COMPLETED)

    async def _run(
        self, assignment: Assignment, solution: Sequence[FileContent], program: str
    ) -> AgentEnd:
        sandbox, seconds = journalled_sandbox(assignment), assignment.limits.agent_seconds
        directory = await _fresh_directory(sandbox, seconds=seconds)
        await sandbox.put(solution, directory=directory)
        argv = [PROGRAMS[program], f"{directory}/{program}", self.task.id]
        result = await sandbox.run(Command(argv=argv, seconds=seconds))
        if result.timed_out:
            return AgentEnd(reason=Reason.TIME_LIMIT, detail=f"{program} was stopped.")
        if result.exit != 0:
            raise _fault(f"{program} of task {self.task.id} failed: {_shown(result)}")
        answer = _last_line(result.stdout)
        if needs_answer(self.task) and answer is not None:
            assignment.submission.submit(answer)
        return AgentEnd(reason=Reason.COMPLETED)


ORACLE = Kind(settings=OracleSettings, runs_commands=lambda _: False)


def _key(task: Task) -> str | None:
    """Give the task's key as an answer; the items of a list each on a line of its own."""
    if task.expect is not None:
        return task.expect
    keys = [grader.settings.get("expect") for grader in task.graders]
    lists = [key for key in keys if isinstance(key, list | tuple)]
    return "\n".join(str(item) for item in lists[0]) if lists else None


async def _fresh_directory(sandbox: JournalledSandbox, *, seconds: float) -> str:
    """Make a directory outside the working directory, so that the solution is no work product."""
    result = await sandbox.run(Command(argv=["mktemp", "-d"], seconds=seconds))
    if result.exit != 0:
        raise _fault(f"no directory for the solution: {_shown(result)}")
    return result.stdout.decode().rstrip("\n")


def _last_line(output: bytes) -> str | None:
    lines = [line.strip() for line in output.decode(errors="replace").split("\n")]
    return next((line for line in reversed(lines) if line), None)


def _shown(result: CommandResult) -> str:
    output = (result.stdout + result.stderr).decode(errors="replace").strip()
    cut = "… " if len(output) > _SHOWN else ""
    return f"exit {result.exit}, and it said: {cut}{output[-_SHOWN:] or '(nothing)'}"


def _fault(message: str, *, hint: str | None = None) -> InfrastructureError:
    return InfrastructureError(message, reason=Reason.AGENT_REPORTED_ERROR, hint=hint)
