"""A temporary directory that runs real commands: enough of a sandbox for an agent's own tests."""

from __future__ import annotations

import contextlib
import os
import signal
import time
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

import anyio
import anyio.abc

from runner.domain import FileContent
from runner.errors import SandboxError
from runner.sandbox import Command, CommandResult, TakenFiles


@dataclass(frozen=True)
class DirectorySandbox:
    root: Path
    oom_kills: int = 0

    @property
    def directory(self) -> str:
        return str(self.root)

    async def run(self, command: Command) -> CommandResult:
        start = time.monotonic()
        process = await anyio.open_process(
            list(command.argv), cwd=self.root / command.directory, start_new_session=True
        )
        captured: dict[str, bytes] = {}
        timed_out = False
        try:
            async with anyio.create_task_group() as group:
                group.start_soon(_capture, process.stdout, "stdout", captured)
                group.start_soon(_capture, process.stderr, "stderr", captured)
                with anyio.move_on_after(command.seconds) as limit:
                    await process.wait()
                timed_out = limit.cancelled_caught
                if timed_out:
                    os.killpg(process.pid, signal.SIGKILL)
        finally:
            with contextlib.suppress(ProcessLookupError):
                os.killpg(process.pid, signal.SIGKILL)
            with anyio.CancelScope(shield=True):
                await process.aclose()
        return CommandResult(
            exit=None if timed_out else process.returncode,
            stdout=captured["stdout"][: command.output_bytes],
            stderr=captured["stderr"],
            cut_bytes=max(0, len(captured["stdout"]) - command.output_bytes),
            seconds=time.monotonic() - start,
            timed_out=timed_out,
        )

    async def put(self, files: Sequence[FileContent], *, directory: str = ".") -> None:
        for file in files:
            place = self.root / directory / file.path
            try:
                place.parent.mkdir(parents=True, exist_ok=True)
                place.write_bytes(file.data)
            except OSError as error:
                msg = f"cannot write {file.path}: {error.strerror}"
                raise SandboxError(msg, reason="sandbox_start") from error
            place.chmod(0o755 if file.executable else 0o644)

    async def read(self, path: str, *, most_bytes: int) -> bytes:
        place = self.root / path
        if not place.is_file():
            raise FileNotFoundError(path)
        with place.open("rb") as file:
            return file.read(most_bytes)

    async def take(self, *, most_bytes: int, most_files: int) -> TakenFiles:
        raise NotImplementedError


async def _capture(
    stream: anyio.abc.ByteReceiveStream | None, name: str, into: dict[str, bytes]
) -> None:
    assert stream is not None
    into[name] = b"".join([chunk async for chunk in stream])
