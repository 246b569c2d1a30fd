"""The watcher who looks away."""

from __future__ import annotations

from runner.domain import AttemptReport
from runner.ledger import Claim


class Nobody:
    """A ``Watcher`` for runs that nobody looks at."""

    def ended(self, claim: Claim, report: AttemptReport, *, retried: bool) -> None:
        """Take no notice."""
