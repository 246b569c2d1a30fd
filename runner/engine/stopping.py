"""Why and how a sweep stops before its end."""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum

import anyio


class StopKind(StrEnum):
    """What ended a sweep's run."""

    INTERRUPTED = "interrupted"
    TERMINATED = "terminated"
    BREAKER = "breaker"
    BUDGET = "budget"
    TOO_MANY_INFRA_ERRORS = "too_many_infra_errors"


@dataclass(frozen=True, slots=True, kw_only=True)
class Stop:
    """A stop and its cause, for people."""

    kind: StopKind
    detail: str


class Stopper:
    """A run's brake: pulled, nothing new starts; pulled hard, what is in flight is stopped too."""

    def __init__(self) -> None:
        self.stop: Stop | None = None
        self.pulled = anyio.Event()
        self._scope = anyio.CancelScope()

    @property
    def scope(self) -> anyio.CancelScope:
        """Give the scope that holds everything in flight."""
        return self._scope

    def drain(self, stop: Stop) -> None:
        """Start nothing new and let what is in flight come to its end; the first cause stays."""
        self.stop = self.stop or stop
        self.pulled.set()

    def halt(self, stop: Stop) -> None:
        """Start nothing new and stop what is in flight."""
        self.drain(stop)
        self._scope.cancel()
