"""The tool that reads and changes text files in the sandbox."""

from __future__ import annotations

import posixpath

from runner.agents.claude.edit_text import CannotError, inserted, numbered, replaced
from runner.agents.claude.tool import BadInputError, Told, text_input
from runner.domain import FileContent, JsonObject, ToolResult
from runner.errors import SandboxError
from runner.sandbox import Command, Sandbox

MOST_FILE_BYTES = 2_000_000
_TEST_SECONDS = 30.0


class Edit:
    """Views, creates and changes files below the working directory."""

    @property
    def definition(self) -> JsonObject:
        """Describe it for the model."""
        text = {"type": "string"}
        return {
            "name": "edit",
            "description": (
                "Read or change a text file. `view` gives its lines with their numbers,"
                " `create` writes `file_text` (replacing the file), `str_replace` replaces"
                " `old_str`, which must occur exactly once, by `new_str`, and `insert` puts"
                " `insert_text` after line `insert_line` (0 for the top)."
            ),
            "input_schema": {
                "type": "object",
                "properties": {
                    "command": {
                        "type": "string",
                        "enum": ["view", "create", "str_replace", "insert"],
                    },
                    "path": {
                        "type": "string",
                        "description": "Relative to the working directory.",
                    },
                    "view_range": {
                        "type": "array",
                        "items": {"type": "integer"},
                        "description": "First and last line to view; -1 is the end.",
                    },
                    "file_text": text,
                    "old_str": text,
                    "new_str": text,
                    "insert_line": {"type": "integer"},
                    "insert_text": text,
                },
                "required": ["command", "path"],
            },
        }

    async def run(self, given: JsonObject, sandbox: Sandbox) -> ToolResult:
        """Do one edit; what cannot be done is told to the model."""
        try:
            told = await _edit(given, sandbox)
        except CannotError as error:
            return ToolResult(exit=None, seconds=0.0, output=b"", error=str(error))
        return ToolResult(exit=None, seconds=0.0, output=told.encode())


def tell(result: ToolResult) -> Told:
    """Say to the model what an edit gave."""
    if result.error is not None:
        return Told(text=result.error, is_error=True)
    return Told(text=result.output.decode())


async def _edit(given: JsonObject, sandbox: Sandbox) -> str:
    command = text_input(given, "command")
    path = _inside(text_input(given, "path"), sandbox.directory)
    match command:
        case "view":
            return numbered(await _read(path, sandbox), given)
        case "create":
            await _create(path, text_input(given, "file_text"), sandbox)
            return f"wrote {path}"
        case "str_replace":
            old, new = text_input(given, "old_str"), text_input(given, "new_str")
            await _change(path, replaced(await _read(path, sandbox), old, new), sandbox)
            return f"changed {path}"
        case "insert":
            added = text_input(given, "insert_text")
            await _change(path, inserted(await _read(path, sandbox), given, added), sandbox)
            return f"changed {path}"
        case _:
            msg = f"there is no command {command!r}: use view, create, str_replace or insert"
            raise BadInputError(msg)


def _inside(path: str, directory: str) -> str:
    """Give a path relative to the working directory."""
    whole = posixpath.normpath(posixpath.join(directory, path))
    relative = posixpath.relpath(whole, directory)
    if "\0" in path or relative in {".", ".."} or relative.startswith("../"):
        msg = f"`path` must name a file below {directory}; use bash for others"
        raise BadInputError(msg)
    return relative


async def _read(path: str, sandbox: Sandbox) -> str:
    try:
        data = await sandbox.read(path, most_bytes=MOST_FILE_BYTES + 1)
    except FileNotFoundError as error:
        msg = f"{path} is not a file; use bash to list directories"
        raise CannotError(msg) from error
    if len(data) > MOST_FILE_BYTES:
        msg = f"{path} is larger than {MOST_FILE_BYTES} bytes; use bash"
        raise CannotError(msg)
    try:
        return data.decode("utf-8")
    except UnicodeDecodeError as error:
        msg = f"{path} is not UTF-8 text; use bash"
        raise CannotError(msg) from error


async def _create(path: str, text: str, sandbox: Sandbox) -> None:
    if await _test("-d", path, sandbox):
        # Putting a file would replace the directory with all that is in it, and a file that stands
        # where a directory is needed likewise.
        msg = f"{path} is a directory"
        raise CannotError(msg)
    argv = ("mkdir", "-p", f"./{posixpath.dirname(path)}")
    made = await sandbox.run(Command(argv=argv, seconds=_TEST_SECONDS))
    if made.exit != 0:
        msg = f"{path} cannot be written: {made.stderr.decode(errors='replace').strip()}"
        raise CannotError(msg)
    await _write(path, text, sandbox, executable=False)


async def _change(path: str, text: str, sandbox: Sandbox) -> None:
    await _write(path, text, sandbox, executable=await _test("-x", path, sandbox))


async def _test(what: str, path: str, sandbox: Sandbox) -> bool:
    # Below "./" no name can be taken for an operator.
    argv = ("test", what, f"./{path}")
    return (await sandbox.run(Command(argv=argv, seconds=_TEST_SECONDS))).exit == 0


async def _write(path: str, text: str, sandbox: Sandbox, *, executable: bool) -> None:
    try:
        await sandbox.put([FileContent(path=path, data=text.encode(), executable=executable)])
    except SandboxError as error:
        # The name may be too long or the disk full, by the agent's own doing. A sandbox that is
        # broken altogether fails at the next command as well.
        msg = f"{path} cannot be written: {error.message}"
        raise CannotError(msg) from error
