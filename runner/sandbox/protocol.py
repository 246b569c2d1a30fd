"""What a sandbox promises; each sentence is a test of the contract that all back ends share."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from contextlib import AbstractAsyncContextManager
from dataclasses import dataclass
from typing import Protocol

from runner.domain import FileContent, SandboxSpec


@dataclass(frozen=True, slots=True, kw_only=True)
class Command:
    """One command to run inside.

    Attributes:
        argv: Program and arguments; no shell is put in between.
        seconds: When these are over, the command's whole process tree is killed.
        stdin: Fed to the command; closed at its end.
        environment: Added to the sandbox's own allow-list.
        directory: Where to run, relative to the working directory or absolute inside.
        output_bytes: Cap on each of stdout and stderr; more is counted and thrown away.
    """

    argv: Sequence[str]
    seconds: float
    stdin: bytes = b""
    environment: Mapping[str, str] | None = None
    directory: str = "."
    output_bytes: int = 16 << 20


@dataclass(frozen=True, slots=True, kw_only=True)
class CommandResult:
    """What a command did.

    Attributes:
        exit: Its exit status, 128 + n where signal n ended it; None where the time limit did.
        stdout: What it wrote, up to the cap.
        stderr: Likewise.
        cut_bytes: How many bytes more it wrote on both together.
        seconds: From its start to its own end (a background child does not prolong it).
        timed_out: Whether the time limit ended it.
    """

    exit: int | None
    stdout: bytes
    stderr: bytes
    cut_bytes: int
    seconds: float
    timed_out: bool


@dataclass(frozen=True, slots=True, kw_only=True)
class TakenFiles:
    """The working directory's regular files, in path order, and what was not taken, with why."""

    files: tuple[FileContent, ...]
    left_out: tuple[tuple[str, str], ...] = ()


class Sandbox(Protocol):
    """A fresh closed place: empty home, tmp and working directory, an allow-list environment.

    Nothing of the runner's environment, files or keys is visible inside. Everything in it dies
    when it closes and also when the runner dies.
    """

    @property
    def directory(self) -> str:
        """Give the working directory's path as commands inside see it."""
        ...

    @property
    def oom_kills(self) -> int:
        """Count the kills for memory so far, by the kernel or the watchdog; never goes down."""
        ...

    async def run(self, command: Command) -> CommandResult:
        """Run a command to its end or its time limit.

        A child in the background neither holds up the return nor dies with it: later commands may
        use it; it dies when the sandbox closes. At the time limit the command's whole tree is
        killed, also its double-forked daemons. A program that does not exist is exit 127, never an
        exception. Cancelling the caller kills the command.

        Raises:
            SandboxError: If the sandbox itself broke.
        """
        ...

    async def put(self, files: Sequence[FileContent], *, directory: str = ".") -> None:
        """Write files (and the directories they need), replacing what is there.

        Links inside are not followed out of ``directory``.

        Raises:
            SandboxError: If a path leaves the directory or cannot be written.
        """
        ...

    async def read(self, path: str, *, most_bytes: int) -> bytes:
        """Read a regular file of the sandbox, at most ``most_bytes``, following no link out.

        Raises:
            FileNotFoundError: If there is no regular file.
        """
        ...

    async def take(self, *, most_bytes: int, most_files: int) -> TakenFiles:
        """Take the working directory's regular files out, following no link.

        Links, special files and whatever is over the caps are left out and named.
        """
        ...


class SandboxBackend(Protocol):
    """A way to make sandboxes on this machine."""

    @property
    def name(self) -> str:
        """Give its name: ``bubblewrap``, ``process``, …."""
        ...

    @property
    def isolates(self) -> bool:
        """Tell whether what runs inside cannot reach the host."""
        ...

    def open(self, spec: SandboxSpec, *, label: str) -> AbstractAsyncContextManager[Sandbox]:
        """Open a sandbox for as long as the block runs.

        Args:
            spec: What the task asks for.
            label: A name for people and for the sweeper of leftovers, never visible inside.

        Raises:
            SandboxError: With reason ``sandbox_start`` if it does not start.
        """
        ...
