"""Sums of money and tokens: known parts added up, unknown parts counted, never mixed."""

from __future__ import annotations

from sqlalchemy import (
    BigInteger,
    ColumnElement,
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

_UNKNOWN = func.sum(
    case(((model_calls.c.state != "sent") & model_calls.c.cost_nusd.is_(None), 1), else_=0)
)
_PRICED = func.sum(
    case(((model_calls.c.state == "completed") & model_calls.c.cost_nusd.is_not(None), 1), else_=0)
)


def _tokens(column: ColumnElement[int]) -> ColumnElement[int]:
    """Sum what is known; a trial without calls used nothing, and that is known."""
    return cast(case((func.count(model_calls.c.id) == 0, 0), else_=func.sum(column)), BigInteger)


#: Fresh sums of one trial over all its attempts: a cost of which nothing is known is NULL.
_SUMS = select(
    cast(
        case(
            ((_PRICED == 0) & (_UNKNOWN > 0), None),
            else_=func.coalesce(func.sum(model_calls.c.cost_nusd), 0),
        ),
        BigInteger,
    ).label("cost"),
    cast(func.coalesce(_UNKNOWN, 0), Integer).label("unpriced"),
    _tokens(model_calls.c.input_tokens).label("input"),
    _tokens(model_calls.c.output_tokens).label("output"),
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
