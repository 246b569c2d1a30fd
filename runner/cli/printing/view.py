"""What there is to be shown of a run, whoever shows it."""

from __future__ import annotations

from dataclasses import dataclass

from runner.domain import Clock
from runner.engine.progress import Progress
from runner.ledger import LedgerAddress, SweepSummary, read_ledger
from runner.reports import spend_text, usd


@dataclass(slots=True, kw_only=True)
class View:
    """What there is to be shown of a run.

    Attributes:
        summary: As last read from the ledger: the counts and the money of all processes.
        started: The clock's monotonic time.
    """

    progress: Progress
    clock: Clock
    address: LedgerAddress
    summary: SweepSummary
    started: float

    def refresh(self) -> None:
        """Read the ledger again; blocks, so call it in a thread."""
        with read_ledger(self.address) as reader:
            self.summary = reader.summary_of(self.summary.id)

    def elapsed(self) -> float:
        """Give the seconds since the run began."""
        return self.clock.monotonic() - self.started

    def slowest(self, most: int) -> list[tuple[str, float]]:
        """Give the trials that have been in flight longest, with their seconds."""
        now = self.clock.monotonic()
        by_age = sorted(self.progress.in_flight.values(), key=lambda entry: entry[1])
        return [(f"{c.config}/{c.repeat}/{c.task}", now - start) for c, start in by_age[:most]]

    def counts(self) -> str:
        """Say how the trials stand."""
        progress = self.progress
        retries = f" ({progress.retries} retried)" if progress.retries else ""
        return (
            f"{progress.passed} passed, {progress.failed} failed, "
            f"{progress.infra_error} infra_error{retries}"
        )

    def money(self) -> str:
        """Say what was spent, of which budget, and for each solve."""
        summary = self.summary
        text = spend_text(summary.spent_nusd, summary.unpriced_calls)
        if summary.budget_nusd is not None:
            text += f" of {usd(summary.budget_nusd)}"
        if summary.spent_nusd and summary.passed and not summary.unpriced_calls:
            text += f", {usd(summary.spent_nusd // summary.passed)} per solve"
        return text


def span(seconds: float) -> str:
    """Spell a duration as minutes and seconds.

    >>> span(75.4), span(3725)
    ('1:15', '1:02:05')
    """
    minutes, rest = divmod(int(seconds), 60)
    hours, minutes = divmod(minutes, 60)
    return f"{hours}:{minutes:02d}:{rest:02d}" if hours else f"{minutes}:{rest:02d}"
