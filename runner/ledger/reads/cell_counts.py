"""How the trials of each task under each configuration stand."""

from __future__ import annotations

from dataclasses import dataclass

from runner.ledger.reads.reader import LedgerReader


@dataclass(frozen=True, slots=True, kw_only=True)
class CellCount:
    """One task under one configuration of a sweep.

    Attributes:
        open: Trials that are not settled, running ones included.
    """

    config: str
    model: str | None
    task: str
    passed: int
    failed: int
    infra_error: int
    open: int


def read_cell_counts(reader: LedgerReader, sweep: int) -> list[CellCount]:
    """Count a sweep's trials by configuration and task, each in the order of the plan."""
    return [
        CellCount(
            config=row.config,
            model=row.model,
            task=row.task,
            passed=int(row.passed),
            failed=int(row.failed),
            infra_error=int(row.infra_error),
            open=int(row.open),
        )
        for row in reader.rows(_COUNTS, {"sweep": sweep})
    ]


_COUNTS = """
SELECT c.name AS config, c.model AS model, k.name AS task,
       SUM(CASE WHEN t.outcome = 'pass' THEN 1 ELSE 0 END) AS passed,
       SUM(CASE WHEN t.outcome = 'fail' THEN 1 ELSE 0 END) AS failed,
       SUM(CASE WHEN t.outcome = 'infra_error' THEN 1 ELSE 0 END) AS infra_error,
       SUM(CASE WHEN t.outcome IS NULL THEN 1 ELSE 0 END) AS open
FROM trials t
JOIN configs c ON c.id = t.config_id
JOIN tasks k ON k.id = t.task_id
WHERE t.sweep_id = :sweep
GROUP BY c.id, c.name, c.model, k.id, k.name
ORDER BY c.id, k.id
"""
