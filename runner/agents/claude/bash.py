"""The tool that runs a command in the sandbox."""

from __future__ import annotations

from runner.agents.claude.clip import clip
from runner.agents.claude.tool import BadInputError, Told, text_input
from runner.domain import JsonObject, ToolResult
from runner.sandbox import Command, Sandbox

#: The kernel takes no argument of more than 128 KiB.
MOST_COMMAND_BYTES = 120_000

# Both outputs go into one stream, so that the model reads them in the order in which they came.
_SHELL = (
    'exec 2>&1; if command -v bash >/dev/null; then exec bash -c "$1"; else exec sh -c "$1"; fi'
)


class Bash:
    """Runs commands.

    Args:
        seconds: The most that one command may take.
    """

    def __init__(self, *, seconds: float) -> None:
        self._seconds = seconds

    @property
    def definition(self) -> JsonObject:
        """Describe it for the model."""
        return {
            "name": "bash",
            "description": (
                "Run a shell command and read its output (stdout and stderr together). Each call"
                " starts a new shell in the working directory; files and background processes"
                f" stay. A command is stopped after {self._seconds:g} seconds. The middle of a"
                " long output is cut out."
            ),
            "input_schema": {
                "type": "object",
                "properties": {"command": {"type": "string", "description": "The command."}},
                "required": ["command"],
            },
        }

    async def run(self, given: JsonObject, sandbox: Sandbox) -> ToolResult:
        """Run the command."""
        command = text_input(given, "command")
        if "\0" in command:
            raise BadInputError("`command` holds a NUL character")
        if len(command.encode()) > MOST_COMMAND_BYTES:
            raise BadInputError(
                f"`command` is longer than {MOST_COMMAND_BYTES} bytes; write a file and run it"
            )
        result = await sandbox.run(
            Command(argv=("sh", "-c", _SHELL, "sh", command), seconds=self._seconds)
        )
        stopped = f"stopped after {self._seconds:g} seconds" if result.timed_out else None
        return ToolResult(
            exit=result.exit,
            seconds=result.seconds,
            output=result.stdout + result.stderr,
            cut_bytes=result.cut_bytes,
            error=stopped,
        )


def tell(result: ToolResult) -> Told:
    """Say to the model what a command gave."""
    output = clip(result.output, lost_bytes=result.cut_bytes)
    ending = result.error or f"exit {result.exit}"
    if not output.strip():
        text = f"(no output, {ending})"
    elif result.exit == 0:
        text = output
    else:
        text = f"{output.rstrip()}\n[{ending}]"
    return Told(text=text, is_error=result.exit != 0)
