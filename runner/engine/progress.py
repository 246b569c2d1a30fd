"""What a run has done so far, for whoever shows it."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Protocol

from runner.domain import AttemptReport
from runner.ledger import Claim


@dataclass(slots=True, kw_only=True)
class Progress:
    """Counts that the scheduler keeps and a display reads.

    Attributes:
        total: All trials of the sweep.
        passed: Settled so, those of earlier runs included; likewise ``failed``, ``infra_error``.
        retries: Attempts of this run that ended in an infrastructure error and will be repeated.
        in_flight: Trials under way, by row id, with the clock's monotonic time of their start.
    """

    total: int = 0
    passed: int = 0
    failed: int = 0
    infra_error: int = 0
    retries: int = 0
    in_flight: dict[int, tuple[Claim, float]] = field(default_factory=dict)

    @property
    def settled(self) -> int:
        """Count the trials that have an outcome."""
        return self.passed + self.failed + self.infra_error


class Watcher(Protocol):
    """Someone who wants to hear of each attempt's end."""

    def ended(self, claim: Claim, report: AttemptReport, *, retried: bool) -> None:
        """Hear that an attempt ended and was recorded."""
        ...
