"""A sandbox in which each deed is in the journal before it is done."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from runner.agents.protocol import Assignment
from runner.domain import (
    Clock,
    FileContent,
    Journal,
    JsonObject,
    ToolRequest,
    ToolResult,
    compact_json,
    tree_of,
)
from runner.errors import InfrastructureError
from runner.sandbox import Command, CommandResult, Sandbox, TakenFiles


@dataclass(frozen=True, slots=True, kw_only=True)
class JournalledSandbox:
    """A ``Sandbox`` that records what is run and written, as tools of these names.

    Looking at a file changes nothing and is not recorded.
    """

    sandbox: Sandbox
    journal: Journal
    clock: Clock

    @property
    def directory(self) -> str:
        """Give the working directory's path as commands inside see it."""
        return self.sandbox.directory

    @property
    def oom_kills(self) -> int:
        """Count the kills for memory so far."""
        return self.sandbox.oom_kills

    async def run(self, command: Command) -> CommandResult:
        """Record a command, run it, and record what it gave."""
        tool = await self._started("run", _spelled(command))
        result = await self.sandbox.run(command)
        stopped = f"stopped after {command.seconds:g} seconds" if result.timed_out else None
        finished = ToolResult(
            exit=result.exit,
            seconds=result.seconds,
            output=result.stdout + result.stderr,
            cut_bytes=result.cut_bytes,
            error=stopped,
        )
        await self.journal.tool_finished(tool, finished)
        return result

    async def put(self, files: Sequence[FileContent], *, directory: str = ".") -> None:
        """Record which files are written, and write them."""
        spelled = {"directory": directory, "files": tree_of(files).canonical()}
        tool = await self._started("write", spelled)
        start = self.clock.monotonic()
        await self.sandbox.put(files, directory=directory)
        await self.journal.tool_finished(tool, _silent(self.clock.monotonic() - start))

    async def read(self, path: str, *, most_bytes: int) -> bytes:
        """Read a regular file."""
        return await self.sandbox.read(path, most_bytes=most_bytes)

    async def take(self, *, most_bytes: int, most_files: int) -> TakenFiles:
        """Take the working directory's regular files out."""
        return await self.sandbox.take(most_bytes=most_bytes, most_files=most_files)

    async def _started(self, name: str, spelled: JsonObject) -> int:
        request = ToolRequest(call=None, name=name, input=compact_json(spelled))
        return await self.journal.tool_started(request)


def journalled_sandbox(assignment: Assignment) -> JournalledSandbox:
    """Give the assignment's sandbox, for an agent that cannot do without one.

    Raises:
        InfrastructureError: If the task has none.
    """
    if assignment.sandbox is None:
        raise InfrastructureError(
            "the task has no sandbox, and the agent needs one",
            reason="agent_reported_error",
            hint="Remove `isolation: none` from the task.",
        )
    return JournalledSandbox(
        sandbox=assignment.sandbox, journal=assignment.journal, clock=assignment.clock
    )


async def note(assignment: Assignment, name: str, text: str) -> None:
    """Leave a text in the transcript, as a tool of this name."""
    request = ToolRequest(call=None, name=name, input=compact_json({"text": text}))
    tool = await assignment.journal.tool_started(request)
    await assignment.journal.tool_finished(tool, _silent(0.0))


def _spelled(command: Command) -> JsonObject:
    return {
        "argv": list(command.argv),
        "seconds": command.seconds,
        "directory": command.directory,
        "environment": sorted(command.environment or ()),  # names only: a value may be a secret
        "stdin": command.stdin.decode(errors="replace"),
    }


def _silent(seconds: float) -> ToolResult:
    return ToolResult(exit=None, seconds=seconds, output=b"")
