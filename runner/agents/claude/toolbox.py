"""Carrying out what the model asks for: one result for each call, in order, whatever it is."""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace

from runner.agents.claude import bash, edit
from runner.agents.claude.bash import Bash
from runner.agents.claude.edit import Edit
from runner.agents.claude.settings import ClaudeSettings
from runner.agents.claude.tool import BadInputError, Told, Tool
from runner.agents.protocol import Assignment
from runner.domain import Json, JsonObject, ToolRequest, ToolResult, compact_json
from runner.errors import UsageError

SUBMIT: JsonObject = {
    "name": "submit",
    "description": "Hand in the final answer. This ends the task.",
    "input_schema": {
        "type": "object",
        "properties": {"answer": {"type": "string", "description": "The answer alone."}},
        "required": ["answer"],
    },
}


class Toolbox:
    """The tools of one attempt.

    Args:
        settings: Which tools there are.
        assignment: Where they run, and where their runs are recorded.

    Raises:
        UsageError: If there are tools that need a sandbox and there is none.
    """

    def __init__(self, settings: ClaudeSettings, assignment: Assignment) -> None:
        every = {
            "bash": _Entry(Bash(seconds=settings.command_seconds), bash.tell),
            "edit": _Entry(Edit(), edit.tell),
        }
        self._entries: Mapping[str, _Entry] = {
            name: entry for name, entry in every.items() if name in settings.tools
        }
        self._submits = "submit" in settings.tools
        self._assignment = assignment
        if self._entries and assignment.sandbox is None:
            names = ", ".join(self._entries)
            msg = f"the tools {names} need a sandbox, and the task has isolation: none"
            raise UsageError(msg, hint="Set `tools: []` or give the task a sandbox.")

    @property
    def definitions(self) -> Sequence[JsonObject]:
        """Describe the tools for the model."""
        defined = [entry.tool.definition for entry in self._entries.values()]
        return [*defined, SUBMIT] if self._submits else defined

    async def use(self, name: str, given: JsonObject, *, call: int) -> Told:
        """Carry out one tool call; what cannot be done is told to the model."""
        entry, sandbox = self._entries.get(name), self._assignment.sandbox
        if entry is None or sandbox is None:
            known = [*self._entries, *(["submit"] if self._submits else [])]
            return Told(text=f"there is no tool {name!r}; there are: {known}", is_error=True)
        journal, clock = self._assignment.journal, self._assignment.clock
        tool = await journal.tool_started(
            ToolRequest(call=call, name=name, input=compact_json(given))
        )
        start = clock.monotonic()
        bad = None
        try:
            result = await entry.tool.run(given, sandbox)
        except BadInputError as error:
            bad = str(error)
            result = ToolResult(exit=None, seconds=0.0, output=b"", error=bad)
        await journal.tool_finished(tool, replace(result, seconds=clock.monotonic() - start))
        return entry.tell(result) if bad is None else Told(text=bad, is_error=True)


def submitted_answer(given: JsonObject) -> str:
    """Read the answer of a ``submit`` call; a model may well hand in a number.

    Raises:
        BadInputError: If there is none.
    """
    answer: Json = given.get("answer")
    if answer is None:
        raise BadInputError("`answer` is missing")
    return answer if isinstance(answer, str) else json.dumps(answer)


@dataclass(frozen=True, slots=True)
class _Entry:
    tool: Tool
    tell: Callable[[ToolResult], Told]
