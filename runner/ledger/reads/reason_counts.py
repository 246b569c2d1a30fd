"""Why the settled trials of a sweep ended."""

from __future__ import annotations

from dataclasses import dataclass

from runner.ledger.reads.reader import LedgerReader


@dataclass(frozen=True, slots=True, kw_only=True)
class ReasonCount:
    """How many settled trials have this outcome for this reason."""

    outcome: str
    reason: str
    trials: int


def read_reason_counts(reader: LedgerReader, sweep: int) -> list[ReasonCount]:
    """Count a sweep's settled trials by outcome and reason, the most frequent first."""
    return [
        ReasonCount(outcome=row.outcome, reason=row.reason or "unknown", trials=row.trials)
        for row in reader.rows(_COUNTS, {"sweep": sweep})
    ]


_COUNTS = """
SELECT outcome, reason, COUNT(*) AS trials
FROM trials
WHERE sweep_id = :sweep AND outcome IS NOT NULL
GROUP BY outcome, reason
ORDER BY outcome, COUNT(*) DESC, reason
"""
