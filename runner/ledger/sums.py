"""Sums of money and tokens: known parts added up, unknown parts counted, never mixed."""

from __future__ import annotations

from sqlalchemy import (
    BigInteger,
    Connection,
    Integer,
    ScalarSelect,
    case,
    cast,
    func,
    select,
    update,
)

from runner.ledger.schema import attempts, model_calls, sweeps, trials

_SETTLED_UNKNOWN = case(
    (model_calls.c.state.not_in(["sent"]) & model_calls.c.cost_nusd.is_(None), 1), else_=0
)
#: Fresh sums of one trial over all its attempts. A trial without calls costs 0, and that is known.
_SUMS = select(
    cast(
        case(
            (func.count(model_calls.c.id) == 0, 0),
            else_=func.sum(model_calls.c.cost_nusd),
        ),
        BigInteger,
    ).label("cost"),
    cast(func.coalesce(func.sum(_SETTLED_UNKNOWN), 0), Integer).label("unpriced"),
    cast(func.sum(model_calls.c.input_tokens), BigInteger).label("input"),
    cast(func.sum(model_calls.c.output_tokens), BigInteger).label("output"),
).select_from(attempts.join(model_calls))


def refresh_sums(connection: Connection, trial: int) -> None:
    """Recompute a trial's cost and tokens from its calls."""
    row = connection.execute(_SUMS.where(attempts.c.trial_id == trial)).one()
    connection.execute(
        update(trials)
        .where(trials.c.id == trial)
        .values(
            cost_nusd=row.cost,
            unpriced_calls=row.unpriced,
            input_tokens=row.input,
            output_tokens=row.output,
        )
    )


def unsettle_calls(connection: Connection, attempt: int) -> None:
    """Turn an ended attempt's unanswered calls into ``unknown``; their reservations are exposed."""
    rows = connection.execute(
        update(model_calls)
        .where(model_calls.c.attempt_id == attempt, model_calls.c.state == "sent")
        .values(state="unknown", reason="interrupted")
        .returning(model_calls.c.reserved_nusd)
    ).all()
    if rows:
        reserved = sum(row.reserved_nusd or 0 for row in rows)
        connection.execute(
            update(sweeps)
            .where(sweeps.c.id == sweep_of(attempt))
            .values(
                reserved_nusd=sweeps.c.reserved_nusd - reserved,
                exposed_nusd=sweeps.c.exposed_nusd + reserved,
                unpriced_calls=sweeps.c.unpriced_calls + len(rows),
            )
        )


def sweep_of(attempt: int) -> ScalarSelect[int]:
    """Give the sweep of an attempt as a subquery."""
    return (
        select(trials.c.sweep_id)
        .join(attempts, attempts.c.trial_id == trials.c.id)
        .where(attempts.c.id == attempt)
        .scalar_subquery()
    )
