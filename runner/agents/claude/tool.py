"""What a tool of the agent is."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Protocol

from runner.domain import JsonObject, ToolResult
from runner.sandbox import Sandbox


class BadInputError(Exception):
    """The model called a tool in a way that cannot be; the message is for the model."""


class Tool(Protocol):
    """Something the model can have done in the sandbox."""

    @property
    def definition(self) -> JsonObject:
        """Describe it for the model."""
        ...

    async def run(self, given: JsonObject, sandbox: Sandbox) -> ToolResult:
        """Do it.

        Raises:
            BadInputError: If the input does not fit; nothing has been done then.
            SandboxError: If the sandbox broke.
        """
        ...


@dataclass(frozen=True, slots=True, kw_only=True)
class Told:
    """What the model is told of one of its tool calls; never empty."""

    text: str
    is_error: bool = False


def text_input(given: JsonObject, name: str) -> str:
    """Read a text that must be there.

    Raises:
        BadInputError: If it is missing, no text, or not valid Unicode.
    """
    value = given.get(name)
    if not isinstance(value, str):
        msg = f"`{name}` must be a string"
        raise BadInputError(msg)
    if not value.isascii():
        try:
            value.encode("utf-8")
        except UnicodeEncodeError as error:
            msg = f"`{name}` is not valid Unicode: {error.reason}"
            raise BadInputError(msg) from error
    return value
