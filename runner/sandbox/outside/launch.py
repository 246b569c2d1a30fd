"""Start a sandbox's first process, and end it together with everything inside."""

from __future__ import annotations

import marshal
import os
import socket
import subprocess
from collections.abc import Callable, Sequence
from contextlib import ExitStack, suppress
from functools import cache
from importlib.abc import InspectLoader
from importlib.util import find_spec
from types import CodeType

import anyio

from runner.domain import Reason
from runner.errors import SandboxError
from runner.sandbox.inside.setup import Setup
from runner.sandbox.inside.wire import READY
from runner.sandbox.outside.channel import Channel

#: In the order in which they need each other.
_MODULES = (
    "wire",
    "setup",
    "libc",
    "removal",
    "paths",
    "tree",
    "files",
    "child",
    "staged",
    "command",
    "commands",
    "watchdog",
    "init",
)
_BOOT = """\
import marshal, posix, sys
modules, setup = marshal.loads(posix.read(int(sys.argv[1]), 1 << 20))
for name, code in modules:
    module = sys.modules[name] = type(sys)(name)
    exec(code, module.__dict__)
setup = sys.modules["runner.sandbox.inside.setup"].Setup(**setup)
module.main(int(sys.argv[1]), setup)
"""
#: The runner's end may wait long for a tree to die on a busy machine, but not for ever.
_END_SECONDS = 10.0
_KILLED_SECONDS = 5.0
_POLL_SECONDS = 0.001
_MESSAGE_BYTES = 1 << 12


class FirstProcess:
    """A running init and the runner's only means to reach and to end it.

    Attributes:
        channel: The control socket: the lifeline of everything inside.
    """

    def __init__(self, process: subprocess.Popen[bytes], channel: Channel, errors: int) -> None:
        self.channel = channel
        self._process = process
        self._errors = errors
        self._said = b""
        self._ended = False

    async def wait_until_ready(self) -> int:
        """Wait for init's first word and give its process id.

        Raises:
            ConnectionError: If it ended instead.
        """
        frame = await self.channel.receive()
        if frame.kind != READY or self.channel.peer_pid is None:
            raise ConnectionResetError("the first word was not understood")
        return self.channel.peer_pid

    async def end(self) -> str:
        """End everything inside and wait, in bounded time, until it is gone.

        Returns:
            What the processes around the sandbox wrote as errors.
        """
        if self._ended:
            return self._message
        self._ended = True
        self.channel.close()
        with anyio.move_on_after(_END_SECONDS):
            await self._wait()
        if self._process.returncode is None:
            self._kill()
            with anyio.move_on_after(_KILLED_SECONDS):
                await self._wait()
        os.close(self._errors)
        return self._message

    @property
    def _message(self) -> str:
        return self._said.decode(errors="replace").strip()

    async def _wait(self) -> None:
        # Both the outer process and init hold the other end of this pipe, and the outer one ends
        # only after the kernel has emptied the namespace.
        while True:
            try:
                piece = os.read(self._errors, _MESSAGE_BYTES)
            except BlockingIOError:
                await anyio.wait_readable(self._errors)
                continue
            if not piece:
                break
            self._said = (self._said + piece)[-_MESSAGE_BYTES:]
        while self._process.poll() is None:  # noqa: ASYNC110 - only the kernel knows
            await anyio.sleep(_POLL_SECONDS)

    def _kill(self) -> None:
        self._process.kill()
        if self.channel.peer_pid is not None:
            with suppress(OSError):
                os.kill(self.channel.peer_pid, 9)


def start(
    command: Callable[[int], Sequence[str]],
    setup: Setup,
    *,
    name: str | None = None,
    pass_fds: Sequence[int] = (),
) -> FirstProcess:
    """Start init.

    Args:
        command: Gives the command line for the descriptor of the control socket.
        setup: What init is told.
        name: What the outer process is called in the machine's process list, or None.
        pass_fds: Further descriptors that the command line names.

    Raises:
        OSError: If the program cannot be started.
    """
    with ExitStack() as kept, ExitStack() as given:
        ours, theirs = socket.socketpair(socket.AF_UNIX, socket.SOCK_SEQPACKET)
        kept.callback(ours.close)
        given.callback(theirs.close)
        reading, writing = os.pipe2(os.O_CLOEXEC)
        kept.callback(os.close, reading)
        given.callback(os.close, writing)
        os.set_blocking(reading, False)
        channel = Channel(ours)
        ours.send(marshal.dumps((_modules(), setup.values())))
        argv = list(command(theirs.fileno()))
        process = subprocess.Popen(
            [name, *argv[1:]] if name else argv,
            executable=argv[0],
            stdin=subprocess.DEVNULL,
            stdout=subprocess.DEVNULL,
            stderr=writing,
            cwd="/",
            env={"LANG": "C.UTF-8"},
            pass_fds=(theirs.fileno(), *pass_fds),
            # Ctrl-C in the runner's terminal must reach the runner alone.
            start_new_session=True,
        )
        kept.pop_all()
    return FirstProcess(process, channel, reading)


def init_command(interpreter: str, descriptor: int) -> list[str]:
    """Give the command line of init, whose code comes through the control socket."""
    return [interpreter, "-I", "-S", "-c", _BOOT, str(descriptor)]


@cache
def _modules() -> list[tuple[str, CodeType]]:
    names = [f"runner.sandbox.inside.{module}" for module in _MODULES]
    return [(name, _code_of(name)) for name in names]


def _code_of(name: str) -> CodeType:
    # Compiled files are used where there are any, and a wheel need not be unpacked.
    spec = find_spec(name)
    if spec is not None and isinstance(spec.loader, InspectLoader):
        code = spec.loader.get_code(name)
        if code is not None:
            return code
    raise SandboxError(f"the code of {name} is missing", reason=Reason.SANDBOX_START)
