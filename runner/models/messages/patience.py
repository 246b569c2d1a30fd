"""How long and how often a failed call is tried again."""

from __future__ import annotations

import random
from dataclasses import dataclass

from runner.domain import CallFate
from runner.models.messages.faults import Fault


@dataclass(frozen=True, slots=True, kw_only=True)
class Patience:
    """Limits of waiting and retrying within one call of an agent.

    Attributes:
        tries: Most HTTP requests in all.
        tries_that_may_cost: Most among them that may have been billed without giving an answer.
        first_seconds: The first wait; each further one is twice as long.
        longest_seconds: The longest wait, unless the service asks for more.
        longest_asked_seconds: The longest wait that is granted to a service that asks for it.
        silence_seconds: The longest time in a request without a byte from the service, which
            sends some every few seconds while it is alive; None: as long as the request may take.
        jitter: The most that chance adds to a wait, as a part of it; it never shortens one.
    """

    tries: int = 8
    tries_that_may_cost: int = 4
    first_seconds: float = 1.0
    longest_seconds: float = 60.0
    longest_asked_seconds: float = 3600.0
    silence_seconds: float | None = None
    jitter: float = 0.25


class Waits:
    """The waits of one call, one after the other.

    Args:
        patience: The limits.
        chance: Where the jitter comes from.
    """

    def __init__(self, patience: Patience, *, chance: random.Random) -> None:
        self._patience = patience
        self._chance = chance
        self._failed = 0
        self._may_have_cost = 0

    def after(self, fault: Fault) -> float | None:
        """Give the seconds to wait before the next try, or None to give up."""
        limits = self._patience
        self._failed += 1
        self._may_have_cost += fault.fate is CallFate.UNKNOWN
        if (
            not fault.passing
            or self._failed >= limits.tries
            or self._may_have_cost >= limits.tries_that_may_cost
            or (fault.retry_after or 0.0) > limits.longest_asked_seconds
        ):
            return None
        doubled = limits.first_seconds * 2.0 ** (self._failed - 1)
        wait = max(min(doubled, limits.longest_seconds), fault.retry_after or 0.0)
        # Waits that many trials were told to make must not end together, also at the cap.
        return wait * (1.0 + limits.jitter * self._chance.random())
