"""Which go at a task an agent is made for."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True, kw_only=True)
class Turn:
    """The trial's repeat and the attempt at it; both count from 1."""

    repeat: int
    attempt: int
