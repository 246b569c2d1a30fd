"""One value for each sweep: its facts and its counts."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from sqlalchemy import Connection, Row, func, select, true

from runner.ledger.life.liveness import dead_attempts
from runner.ledger.schema.tables import suites, sweeps, trials


@dataclass(frozen=True, slots=True, kw_only=True)
class SweepSummary:
    """One sweep and its counts.

    Attributes:
        total: All planned trials; ``settled`` of them are passed, failed or infra_error.
        open: Planned trials that are not settled, running ones included.
        running: Open trials that some worker holds.
        interrupted: Of these, the ones whose worker is gone.
        spent_nusd: Known cost of all calls so far; None if there is unknown cost and no known one.
        exposed_nusd: The most that calls of unknown fate can have cost.
        in_flight_nusd: The most that calls can cost whose answer nobody has recorded yet.
        unpriced_calls: Settled calls whose cost is unknown.
    """

    id: int
    name: str
    suite: str
    suite_path: str
    document_digest: str
    state: str
    stop_reason: str | None
    repeats: int
    seed: int
    max_in_flight: int
    infra_attempts: int
    created_us: int
    settled_us: int | None
    total: int
    passed: int
    failed: int
    infra_error: int
    open: int
    running: int
    interrupted: int
    spent_nusd: int | None
    exposed_nusd: int
    in_flight_nusd: int
    unpriced_calls: int
    budget_nusd: int | None

    @property
    def settled(self) -> int:
        """Count the trials that have an outcome."""
        return self.passed + self.failed + self.infra_error


def read_summaries(
    connection: Connection, ledger: Path | None, sweep: int | None = None
) -> list[SweepSummary]:
    """Summarise one sweep or all, newest first.

    Args:
        connection: To the ledger.
        ledger: The SQLite file, whose lock files tell who lives; None on PostgreSQL.
        sweep: Only this one, or None for all.
    """
    only = true() if sweep is None else sweeps.c.id == sweep
    counts: dict[int, Counter[str]] = {}
    for sweep_id, state, outcome, count in connection.execute(
        select(trials.c.sweep_id, trials.c.state, trials.c.outcome, func.count())
        .where(true() if sweep is None else trials.c.sweep_id == sweep)
        .group_by(trials.c.sweep_id, trials.c.state, trials.c.outcome)
    ):
        counts.setdefault(sweep_id, Counter())[outcome or state] += count
    rows = connection.execute(
        select(sweeps, suites.c.name.label("suite"))
        .join(suites)
        .where(only)
        .order_by(sweeps.c.id.desc())
    )
    return [_summary(connection, ledger, row, counts.get(row.id, Counter())) for row in rows]


def _summary(
    connection: Connection, ledger: Path | None, row: Row[Any], counts: Counter[str]
) -> SweepSummary:
    running = counts["running"]
    return SweepSummary(
        id=row.id,
        name=row.name,
        suite=row.suite,
        suite_path=row.suite_path,
        document_digest=row.document_digest,
        state=row.state,
        stop_reason=row.stop_reason,
        repeats=row.repeats,
        seed=row.seed,
        max_in_flight=row.max_in_flight,
        infra_attempts=row.infra_attempts,
        created_us=row.created_us,
        settled_us=row.settled_us,
        total=counts.total(),
        passed=counts["pass"],
        failed=counts["fail"],
        infra_error=counts["infra_error"],
        open=counts["pending"] + running,
        running=running,
        interrupted=len(dead_attempts(connection, row.id, ledger)) if running else 0,
        spent_nusd=row.spent_nusd if row.priced_calls or not row.unpriced_calls else None,
        exposed_nusd=row.exposed_nusd,
        in_flight_nusd=row.reserved_nusd,
        unpriced_calls=row.unpriced_calls,
        budget_nusd=row.budget_nusd,
    )
