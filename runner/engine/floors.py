"""Resource floors: a trial starts only while what is guaranteed to all in flight fits the host."""

from __future__ import annotations

from collections import deque
from collections.abc import AsyncIterator, Iterable
from contextlib import asynccontextmanager
from dataclasses import dataclass, field

import anyio

from runner.domain import Isolation, SandboxSpec, Task
from runner.errors import UsageError

_MICRO = 1_000_000
_NAMED = 5


class Floors:
    """Hands out the host's processors and memory, first come, first served.

    A big floor at the head of the queue holds up the smaller ones behind it: else it might never
    have its turn. A task without isolation holds nothing and never waits.

    Args:
        cpus: Processors to hand out.
        memory_bytes: Memory to hand out.
    """

    def __init__(self, *, cpus: float, memory_bytes: int) -> None:
        self._host = _Share(micro_cpus=round(cpus * _MICRO), memory_bytes=memory_bytes)
        self._free = self._host
        self._queue: deque[_Waiter] = deque()

    @asynccontextmanager
    async def hold(self, spec: SandboxSpec) -> AsyncIterator[None]:
        """Hold a sandbox's floor for as long as the block runs; wait until it fits.

        Raises:
            UsageError: If it never can.
        """
        share = _share(spec)
        if share is None:
            yield
            return
        if not share.fits(self._host):
            raise UsageError(f"a sandbox {self._misfit(share)}", hint=_HINT)
        await self._take(share)
        try:
            yield
        finally:
            self._give_back(share)

    def check(self, tasks: Iterable[Task]) -> None:
        """Make sure that each task's floor fits the host.

        Raises:
            UsageError: Naming the first tasks whose floor never fits.
        """
        shares = ((task.id, _share(task.sandbox)) for task in tasks)
        misfits = [
            f"task {name}: its sandbox {self._misfit(share)}"
            for name, share in shares
            if share is not None and not share.fits(self._host)
        ]
        if misfits:
            more = [f"and {len(misfits) - _NAMED} tasks more"] if len(misfits) > _NAMED else []
            raise UsageError("; ".join(misfits[:_NAMED] + more), hint=_HINT)

    def _misfit(self, share: _Share) -> str:
        return f"is guaranteed {share}, and this machine has {self._host}"

    async def _take(self, share: _Share) -> None:
        waiter = _Waiter(share)
        self._queue.append(waiter)
        self._admit()
        try:
            await waiter.admitted.wait()
        except BaseException:
            if waiter.admitted.is_set():
                self._give_back(share)
            else:
                self._queue.remove(waiter)
                self._admit()
            raise

    def _admit(self) -> None:
        while self._queue and self._queue[0].share.fits(self._free):
            waiter = self._queue.popleft()
            self._free = self._free.less(waiter.share)
            waiter.admitted.set()

    def _give_back(self, share: _Share) -> None:
        self._free = self._free.plus(share)
        self._admit()


_HINT = "Lower `sandbox.cpus` or `sandbox.memory` in the suite, or use a bigger machine."


@dataclass(frozen=True, slots=True, kw_only=True)
class _Share:
    """Whole numbers, so that any sequence of holding and giving back ends where it began."""

    micro_cpus: int
    memory_bytes: int

    def __str__(self) -> str:
        gib = self.memory_bytes / (1 << 30)
        return f"{self.micro_cpus / _MICRO:g} cpus and {gib:.4g} GiB of memory"

    def fits(self, free: _Share) -> bool:
        return self.micro_cpus <= free.micro_cpus and self.memory_bytes <= free.memory_bytes

    def less(self, other: _Share) -> _Share:
        return _Share(
            micro_cpus=self.micro_cpus - other.micro_cpus,
            memory_bytes=self.memory_bytes - other.memory_bytes,
        )

    def plus(self, other: _Share) -> _Share:
        return _Share(
            micro_cpus=self.micro_cpus + other.micro_cpus,
            memory_bytes=self.memory_bytes + other.memory_bytes,
        )


@dataclass(slots=True, eq=False)
class _Waiter:
    """One in the queue; compared by identity, since two may ask for the same."""

    share: _Share
    admitted: anyio.Event = field(default_factory=anyio.Event)


def _share(spec: SandboxSpec) -> _Share | None:
    if spec.isolation is Isolation.NONE:
        return None
    return _Share(micro_cpus=round(spec.cpus * _MICRO), memory_bytes=spec.memory_bytes)
