"""A sweep's own state: going on, complete, stopped."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

from sqlalchemy import Boolean, Connection, func, literal_column, select, update

from runner.ledger.life.claims import live_owners, reopen_infra_errors, take_back_from_the_dead
from runner.ledger.schema.tables import sweeps, trials


@dataclass(frozen=True, slots=True, kw_only=True)
class Reopened:
    """What a resume finds.

    Attributes:
        kept: Trials settled as pass or fail; they never change.
        missing: Trials that have no attempt yet.
        interrupted: Trials whose last attempt ended without a verdict.
        infra: Trials that had settled as infrastructure errors and are open again.
        held: (host, pid, trials) of every living worker that holds some.
    """

    kept: int
    missing: int
    interrupted: int
    infra: int
    held: tuple[tuple[str, int, int], ...]

    @property
    def to_run(self) -> int:
        """Count the trials that are to run now."""
        return self.missing + self.interrupted + self.infra


def reopen_sweep(
    connection: Connection,
    sweep: int,
    *,
    ledger: Path | None,
    now_us: int,
    budget_nusd: int | None,
) -> Reopened:
    """Open a sweep again and count what there is to do."""
    take_back_from_the_dead(connection, sweep, ledger=ledger, now_us=now_us)
    missing, tried = _pending(connection, sweep)
    infra = reopen_infra_errors(connection, sweep)
    kept = connection.scalar(
        select(func.count()).where(
            trials.c.sweep_id == sweep,
            trials.c.state == "settled",
            trials.c.outcome.in_(["pass", "fail"]),
        )
    )
    held = tuple(live_owners(connection, sweep))
    values: dict[str, object] = {}
    if missing or tried or infra or held:
        values = {"state": "open", "stop_reason": None, "settled_us": None}
    if budget_nusd is not None:
        values["budget_nusd"] = budget_nusd
    if values:
        connection.execute(update(sweeps).where(sweeps.c.id == sweep).values(values))
    return Reopened(kept=kept or 0, missing=missing, interrupted=tried, infra=infra, held=held)


def close_sweep(
    connection: Connection, sweep: int, *, now_us: int, stop_reason: str | None
) -> None:
    """Record that every trial is settled, or else why the sweep stopped."""
    unsettled = connection.scalar(
        select(func.count()).where(trials.c.sweep_id == sweep, trials.c.state != "settled")
    )
    values: dict[str, object]
    if not unsettled:
        values = {"state": "complete", "settled_us": now_us, "stop_reason": None}
    elif stop_reason is not None:
        values = {"state": "stopped", "stop_reason": stop_reason}
    else:
        return
    going_on = (sweeps.c.id == sweep) & (sweeps.c.state != "complete")
    connection.execute(update(sweeps).where(going_on).values(values))


_FRESH = literal_column("trials.attempts = 0", Boolean)


def _pending(connection: Connection, sweep: int) -> tuple[int, int]:
    """Count the pending trials without and with an attempt."""
    rows = connection.execute(
        select(_FRESH, func.count())
        .where(trials.c.sweep_id == sweep, trials.c.state == "pending")
        .group_by(_FRESH)
    ).all()
    counts = {bool(fresh): count for fresh, count in rows}
    return counts.get(True, 0), counts.get(False, 0)
