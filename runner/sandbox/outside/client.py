"""Give a sandbox's first process orders and collect what comes back."""

from __future__ import annotations

import marshal
from collections.abc import Iterable
from dataclasses import dataclass, field
from itertools import count

import anyio

from runner.domain import Reason
from runner.errors import SandboxError
from runner.sandbox.host.cgroups import ControlGroup
from runner.sandbox.inside.tree import MARKERS
from runner.sandbox.inside.wire import (
    ERRORS,
    FINISHED,
    INPUT,
    KILL,
    MEMORY_KILLS,
    OUTPUT,
    PAYLOAD,
    PIECE,
    START,
)
from runner.sandbox.outside.channel import Channel, Frame

#: How much later than its time limit a command's end may be reported before the sandbox counts as
#: broken; killing a large tree on a busy machine takes a while.
_GRACE_SECONDS = 30.0
_KILL_SECONDS = 10.0


Argument = bytes | int | list[bytes] | dict[bytes, bytes]


@dataclass(frozen=True, slots=True, kw_only=True)
class Order:
    """Something for init to do.

    Attributes:
        work: ``execute``, ``put``, ``read`` or ``take``.
        arguments: What that function in ``runner.sandbox.inside`` takes.
        seconds: Its time limit.
        stdin: Its standard input.
        output_bytes: Cap on each of its outputs.
    """

    work: str
    arguments: tuple[Argument, ...]
    seconds: float
    stdin: bytes = b""
    output_bytes: int = 1 << 16


@dataclass(frozen=True, slots=True, kw_only=True)
class Ended:
    """How an order ended."""

    exit: int
    stdout: bytes
    stderr: bytes
    cut_bytes: int
    seconds: float
    timed_out: bool


@dataclass(slots=True)
class _Pending:
    cap: int
    stdout: bytearray = field(default_factory=bytearray)
    stderr: bytearray = field(default_factory=bytearray)
    ended: Ended | None = None


class Client:
    """Carries out orders, several at once if asked to.

    There is no task of its own: whoever waits for an order reads the socket for all.
    """

    def __init__(self, channel: Channel, *, label: str, group: ControlGroup | None = None) -> None:
        self._channel = channel
        self._group = group
        self._label = label
        self._numbers = count(1)
        self._pending: dict[int, _Pending] = {}
        self._reading = anyio.Lock()
        self._memory_kills = 0
        self._broken: str | None = None

    @property
    def memory_kills(self) -> int:
        """Count the kills for memory by the kernel and, as far as reported, the watchdog."""
        if self._broken is None and not self._reading.locked():
            try:
                while frame := self._channel.receive_now():
                    self._hand_over(frame)
            except OSError as error:
                self._broken = str(error)
        return self._memory_kills + (self._group.memory_kills if self._group else 0)

    async def carry_out(self, order: Order) -> Ended:
        """Carry an order out; if the caller is cancelled, it is killed.

        Raises:
            SandboxError: If the sandbox is broken.
        """
        number = next(self._numbers)
        if number >= MARKERS:
            self._broken = f"it has run {MARKERS} commands, the most that one can"
        if self._broken is not None:
            raise self._error()
        pending = self._pending[number] = _Pending(order.output_bytes)
        try:
            with anyio.fail_after(order.seconds + _GRACE_SECONDS):
                await self._give(number, order)
                return await self._end_of(pending)
        except TimeoutError:
            self._broken = f"a command went on for {_GRACE_SECONDS:.0f} s after its time limit"
            raise self._error() from None
        except ConnectionError as error:
            self._broken = str(error)
            raise self._error() from error
        except anyio.get_cancelled_exc_class():
            with anyio.CancelScope(shield=True):
                await self._kill(number, pending)
            raise
        finally:
            del self._pending[number]

    async def kill_everything(self) -> None:
        """Kill all that runs inside, background children too.

        Raises:
            SandboxError: If the sandbox is broken.
        """
        try:
            await self._channel.send(KILL, 0)
        except ConnectionError as error:
            self._broken = str(error)
            raise self._error() from error

    async def _give(self, number: int, order: Order) -> None:
        text = marshal.dumps((order.work, order.arguments, order.seconds, order.output_bytes))
        for piece in _pieces(text):
            await self._channel.send(PIECE, number, piece)
        for piece in _pieces(order.stdin):
            await self._channel.send(INPUT, number, piece)
        await self._channel.send(START, number)

    async def _end_of(self, pending: _Pending) -> Ended:
        while pending.ended is None:
            async with self._reading:
                # Whoever read before may have met the end of this one.
                if pending.ended is None:
                    self._hand_over(await self._channel.receive())
        return pending.ended

    async def _kill(self, number: int, pending: _Pending) -> None:
        try:
            with anyio.fail_after(_KILL_SECONDS):
                await self._channel.send(KILL, number)
                await self._end_of(pending)
        except TimeoutError:
            self._broken = f"a cancelled command could not be killed in {_KILL_SECONDS:.0f} s"
        except ConnectionError as error:
            self._broken = str(error)

    def _hand_over(self, frame: Frame) -> None:
        if frame.kind == MEMORY_KILLS:
            self._memory_kills = max(self._memory_kills, frame.number)
            return
        pending = self._pending.get(frame.number)
        if pending is None:
            return
        if frame.kind == OUTPUT:
            pending.stdout += frame.payload
        elif frame.kind == ERRORS:
            pending.stderr += frame.payload
        elif frame.kind == FINISHED:
            pending.ended = _ended(pending, frame.payload)

    def _error(self) -> SandboxError:
        return SandboxError(
            f"the sandbox of {self._label} broke: {self._broken}",
            reason=Reason.OOM if self.memory_kills else Reason.UNFORESEEN,
        )


def _pieces(data: bytes) -> Iterable[bytes]:
    return (data[start : start + PAYLOAD] for start in range(0, len(data), PAYLOAD))


def _ended(pending: _Pending, report: bytes) -> Ended:
    exit_status, timed_out, cut_bytes, microseconds = map(int, report.split())
    return Ended(
        exit=exit_status,
        stdout=bytes(pending.stdout),
        stderr=bytes(pending.stderr),
        cut_bytes=cut_bytes,
        seconds=microseconds / 1e6,
        timed_out=bool(timed_out),
    )
