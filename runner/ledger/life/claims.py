"""Who works on which trial: claiming, giving back, taking back from the dead.

The database decides by one conditional update; ``fence`` goes up with every claim and every
take-back, and whoever holds an older one has lost the trial.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from sqlalchemy import ColumnElement, Connection, and_, func, insert, null, select, text, update

from runner.ledger.life.liveness import DATABASE_NOW_US, LEASE_SECONDS, dead_attempts, discard_lock
from runner.ledger.life.sums import refresh_sums, unsettle_calls
from runner.ledger.schema.tables import attempts, configs, tasks, tool_calls, trials, workers

_RUNNING = text("state = 'running'")


@dataclass(frozen=True, slots=True, kw_only=True)
class Unclaimable:
    """Names of tasks and configurations whose trials are to stay open."""

    tasks: tuple[str, ...] = ()
    configs: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class Claim:
    """A trial that this worker owns until its fence moves on.

    Attributes:
        attempt: The attempt's row id; ``number`` counts from 1 within the trial.
        infra_tries: Infrastructure errors of this trial since it was last opened.
    """

    sweep: int
    trial: int
    attempt: int
    number: int
    fence: int
    infra_tries: int
    task: str
    config: str
    repeat: int


def claim_trials(
    connection: Connection,
    sweep: int,
    *,
    worker: int,
    now_us: int,
    most: int,
    without: Unclaimable,
) -> list[Claim]:
    """Take the first pending trials whose time has come, in plan order, an attempt for each."""
    postgres = connection.dialect.name == "postgresql"
    first = (
        select(trials.c.id)
        .where(_claimable(sweep, without), trials.c.not_before_us <= now_us)
        .order_by(trials.c.position)
        .limit(most)
    )
    if postgres:
        first = first.with_for_update(skip_locked=True)
    # As a common table it is read once; a plain subquery may be run, and so lock, again per row.
    chosen = select(first.cte("first").c.id)
    rows = connection.execute(_TAKE.where(trials.c.id.in_(chosen))).all()
    if not rows:
        return []
    lease = text(f"{DATABASE_NOW_US} + {LEASE_SECONDS * 1_000_000}") if postgres else null()
    claimed = sorted(tuple(row) for row in rows)
    opened = connection.scalars(
        insert(attempts)
        .values(lease_until_us=lease)
        .returning(attempts.c.id, sort_by_parameter_order=True),
        [
            {
                "trial_id": trial,
                "number": number,
                "fence": fence,
                "worker_id": worker,
                "started_us": now_us,
            }
            for _, trial, fence, number, *_ in claimed
        ],
    )
    return [
        Claim(
            sweep=sweep,
            trial=trial,
            attempt=attempt,
            number=number,
            fence=fence,
            infra_tries=infra_tries,
            task=task,
            config=config,
            repeat=repeat,
        )
        for (_, trial, fence, number, infra_tries, repeat, task, config), attempt in zip(
            claimed, opened, strict=True
        )
    ]


def next_retry_us(connection: Connection, sweep: int, *, without: Unclaimable) -> int | None:
    """Give when the earliest waiting trial may start, or None if none is pending."""
    earliest: int | None = connection.scalar(
        select(func.min(trials.c.not_before_us)).where(_claimable(sweep, without))
    )
    return earliest


def _claimable(sweep: int, without: Unclaimable) -> ColumnElement[bool]:
    wanted = and_(trials.c.sweep_id == sweep, text("trials.state = 'pending'"))
    if without.tasks:
        named = select(tasks.c.id).where(tasks.c.name.in_(without.tasks))
        wanted = wanted & trials.c.task_id.not_in(named)
    if without.configs:
        named = select(configs.c.id).where(configs.c.name.in_(without.configs))
        wanted = wanted & trials.c.config_id.not_in(named)
    return wanted


def take_back_from_the_dead(
    connection: Connection, sweep: int | None, *, ledger: Path | None, now_us: int
) -> int:
    """End the attempts of workers that are gone; give how many there were.

    Their trials are pending again under a higher fence; what they had sent and never saw answered
    is ``unknown`` from now on.
    """
    dead = dead_attempts(connection, sweep, ledger)
    for attempt, worker in dead:
        interrupt_attempt(
            connection, attempt, now_us=now_us, detail="the process that ran it is gone"
        )
        if ledger is not None:
            discard_lock(ledger, worker)
    return len(dead)


def interrupt_attempt(
    connection: Connection, attempt: int, *, now_us: int, detail: str, reason: str = "interrupted"
) -> bool:
    """End an attempt without a verdict and open its trial again; False if it had ended already."""
    row = connection.execute(
        update(attempts)
        .where(attempts.c.id == attempt, text("ending IS NULL"))
        .values(ending="interrupted", reason=reason, detail=detail, ended_us=now_us)
        .returning(attempts.c.trial_id, attempts.c.fence)
    ).one_or_none()
    if row is None:
        return False
    unsettle_calls(connection, attempt)
    connection.execute(
        update(tool_calls)
        .where(tool_calls.c.attempt_id == attempt, tool_calls.c.state == "started")
        .values(state="unknown")
    )
    connection.execute(
        update(trials)
        .where(trials.c.id == row.trial_id, trials.c.fence == row.fence, _RUNNING)
        .values(state="pending", fence=trials.c.fence + 1, not_before_us=0)
    )
    refresh_sums(connection, row.trial_id)
    return True


def reopen_infra_errors(connection: Connection, sweep: int) -> int:
    """Open the trials that settled as ``infra_error`` again; give how many."""
    result = connection.execute(
        update(trials)
        .where(trials.c.sweep_id == sweep, trials.c.outcome == "infra_error")
        .values(
            state="pending",
            outcome=None,
            reason=None,
            timed_out=False,
            settled_us=None,
            fence=trials.c.fence + 1,
            infra_tries=0,
            not_before_us=0,
        )
    )
    return result.rowcount


def live_owners(connection: Connection, sweep: int) -> Sequence[tuple[str, int, int]]:
    """Give (host, pid, running trials) of every worker that holds trials of a sweep."""
    rows = connection.execute(
        select(workers.c.host, workers.c.pid, func.count())
        .select_from(attempts.join(workers).join(trials, trials.c.id == attempts.c.trial_id))
        .where(trials.c.sweep_id == sweep, text("attempts.ending IS NULL"))
        .group_by(workers.c.host, workers.c.pid)
    )
    return [(host, pid, count) for host, pid, count in rows]


_TAKE = (
    update(trials)
    .where(text("trials.state = 'pending'"))
    .values(state="running", fence=trials.c.fence + 1, attempts=trials.c.attempts + 1)
    .returning(
        trials.c.position,
        trials.c.id,
        trials.c.fence,
        trials.c.attempts,
        trials.c.infra_tries,
        trials.c.repeat,
        select(tasks.c.name).where(tasks.c.id == trials.c.task_id).scalar_subquery(),
        select(configs.c.name).where(configs.c.id == trials.c.config_id).scalar_subquery(),
    )
)
