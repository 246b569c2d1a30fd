"""A sandbox by way of its first process, the same for every back end."""

from __future__ import annotations

import os
import posixpath
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from runner.domain import FileContent, Reason
from runner.errors import SandboxError
from runner.sandbox.outside.client import Argument, Client, Ended, Order
from runner.sandbox.outside.tree_format import packed, unpacked
from runner.sandbox.protocol import Command, CommandResult, TakenFiles

#: Upper bound of what names and reasons add to the bytes of the files taken.
_BYTES_PER_ENTRY = 1 << 13
_MOST_LEFT_OUT = 1100


@dataclass(frozen=True, slots=True, kw_only=True)
class Layout:
    """Where things are, as commands inside see it.

    Attributes:
        work: The working directory.
        home: The home directory.
        scratch: The directory for temporary files.
        environment: The allow-list environment.
    """

    work: str
    home: str
    scratch: str
    environment: Mapping[str, str]


class InitSandbox:
    """A sandbox whose init carries out orders.

    Attributes:
        mechanisms: What holds each limit, for the record.
    """

    def __init__(
        self,
        client: Client,
        layout: Layout,
        *,
        mechanisms: Mapping[str, str],
        file_seconds: float,
    ) -> None:
        self._client = client
        self._layout = layout
        self._file_seconds = file_seconds
        self.mechanisms = mechanisms

    @property
    def directory(self) -> str:
        """Give the working directory's path as commands inside see it."""
        return self._layout.work

    @property
    def oom_kills(self) -> int:
        """Count the kills for memory so far, by the kernel or the watchdog."""
        return self._client.memory_kills

    async def run(self, command: Command) -> CommandResult:
        """Run a command to its end or its time limit; see ``Sandbox``."""
        environment = {**self._layout.environment, **(command.environment or {})}
        ended = await self._client.carry_out(
            Order(
                work="execute",
                arguments=(
                    [_encoded(argument) for argument in command.argv] or [b""],
                    {_encoded(name): _encoded(value) for name, value in environment.items()},
                    _encoded(posixpath.join(self._layout.work, command.directory)),
                ),
                seconds=command.seconds,
                stdin=command.stdin,
                output_bytes=command.output_bytes,
            )
        )
        return CommandResult(
            exit=None if ended.timed_out else ended.exit,
            stdout=ended.stdout,
            stderr=ended.stderr,
            cut_bytes=ended.cut_bytes,
            seconds=ended.seconds,
            timed_out=ended.timed_out,
        )

    async def put(self, files: Sequence[FileContent], *, directory: str = ".") -> None:
        """Write files, replacing what is there; see ``Sandbox``."""
        root, below = self._place(directory)
        for batch in packed(files, below=below):
            ended = await self._work("put", (root,), stdin=batch)
            if ended.exit != 0 or ended.timed_out:
                raise self._failure("files could not be written", ended)

    async def read(self, path: str, *, most_bytes: int) -> bytes:
        """Read a regular file; see ``Sandbox``."""
        try:
            root, below = self._place(path)
        except SandboxError as error:
            raise FileNotFoundError(error.message) from error
        arguments = (root, _encoded(below), most_bytes)
        ended = await self._work("read", arguments, output_bytes=most_bytes)
        if ended.exit == 1:
            raise FileNotFoundError(f"{path}: {ended.stderr.decode(errors='replace')}")
        if ended.exit != 0 or ended.timed_out:
            raise self._failure(f"{path!r} could not be read", ended)
        return ended.stdout

    async def take(self, *, most_bytes: int, most_files: int) -> TakenFiles:
        """Take the working directory's regular files out; see ``Sandbox``."""
        overhead = (most_files + _MOST_LEFT_OUT) * _BYTES_PER_ENTRY
        ended = await self._work(
            "take",
            (_encoded(self._layout.work), most_bytes, most_files),
            output_bytes=most_bytes + overhead,
        )
        if ended.exit != 0 or ended.timed_out:
            raise self._failure("files could not be taken", ended)
        try:
            return unpacked(ended.stdout)
        except ValueError as error:
            raise self._failure(f"files could not be taken ({error})", ended) from error

    async def _work(
        self,
        name: str,
        arguments: tuple[Argument, ...],
        *,
        stdin: bytes = b"",
        output_bytes: int = 0,
    ) -> Ended:
        order = Order(
            work=name,
            arguments=arguments,
            seconds=self._file_seconds,
            stdin=stdin,
            output_bytes=output_bytes + (1 << 12),
        )
        ended = await self._client.carry_out(order)
        if ended.exit > 1 and not ended.timed_out:
            # A worker is nobody's business inside, but a background child can kill it or leave it
            # no room; without them the second try is undisturbed.
            await self._client.kill_everything()
            ended = await self._client.carry_out(order)
        return ended

    def _place(self, path: str) -> tuple[bytes, str]:
        """Give the directory of the sandbox that holds ``path``, and the rest of the path.

        Raises:
            SandboxError: If it is in none of them.
        """
        whole = posixpath.normpath(posixpath.join(self._layout.work, path))
        for root in (self._layout.work, self._layout.home, self._layout.scratch):
            if whole == root or whole.startswith(root + "/"):
                return _encoded(root), whole[len(root) + 1 :] or "."
        raise SandboxError(
            f"{path!r} lies outside of the sandbox's own directories", reason=Reason.UNFORESEEN
        )

    def _failure(self, what: str, ended: Ended) -> SandboxError:
        why = "time limit" if ended.timed_out else ended.stderr.decode(errors="replace")
        return SandboxError(
            f"{what}: {why or f'exit {ended.exit}'}",
            reason=Reason.OOM if self.oom_kills else Reason.UNFORESEEN,
        )


def _encoded(text: str) -> bytes:
    """Encode for the kernel; a lone surrogate of a model's making is no reason to fail."""
    try:
        return os.fsencode(text)
    except UnicodeEncodeError:
        return text.encode(errors="surrogatepass")
