"""Sums of money and tokens: known parts added up, unknown parts counted, never mixed."""

from __future__ import annotations

from sqlalchemy import (
    BigInteger,
    ColumnElement,
    Connection,
    Integer,
    bindparam,
    case,
    cast,
    func,
    select,
    update,
)

from runner.ledger.schema.tables import attempts, model_calls, sweeps, trials

_UNKNOWN = func.sum(
    case(((model_calls.c.state != "sent") & model_calls.c.cost_nusd.is_(None), 1), else_=0)
)
_PRICED = func.sum(
    case(((model_calls.c.state == "completed") & model_calls.c.cost_nusd.is_not(None), 1), else_=0)
)


def _tokens(column: ColumnElement[int]) -> ColumnElement[int]:
    """Sum what is known; a trial without an answered call used nothing yet, and that is known."""
    settled = func.count(case((model_calls.c.state != "sent", 1)))
    return cast(case((settled == 0, 0), else_=func.sum(column)), BigInteger)


#: Fresh sums of one trial over all its attempts: a cost of which nothing is known is NULL.
_SUMS = (
    select(
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
    )
    .select_from(attempts.join(model_calls))
    .where(attempts.c.trial_id == bindparam("the_trial"))
)


def refresh_sums(connection: Connection, trial: int) -> None:
    """Recompute a trial's cost and tokens from its calls.

    Whoever books a call locks the sweep's row first, so two owners of a trial, one of them late,
    do not overlook each other.
    """
    sums = connection.execute(_SUMS, {"the_trial": trial}).mappings().one()
    connection.execute(_REFRESH, {"the_trial": trial, **sums})


def unsettle_calls(connection: Connection, attempt: int) -> None:
    """Turn an ended attempt's unanswered calls into ``unknown``; their reservations are exposed."""
    mosts = connection.scalars(_UNSETTLE, {"the_attempt": attempt}).all()
    if mosts:
        reserved = sum(most or 0 for most in mosts)
        unpriced = sum(most != 0 for most in mosts)
        connection.execute(_EXPOSE, {"the_attempt": attempt, "amount": reserved, "calls": unpriced})


_REFRESH = (
    update(trials)
    .where(trials.c.id == bindparam("the_trial"))
    .values(
        cost_nusd=bindparam("cost"),
        unpriced_calls=bindparam("unpriced"),
        input_tokens=bindparam("input"),
        output_tokens=bindparam("output"),
    )
)
_UNSETTLE = (
    update(model_calls)
    .where(model_calls.c.attempt_id == bindparam("the_attempt"), model_calls.c.state == "sent")
    .values(
        state="unknown",
        reason="interrupted",
        # What can cost nothing at most has cost nothing, answered or not.
        cost_nusd=case((model_calls.c.reserved_nusd == 0, 0), else_=None),
    )
    .returning(model_calls.c.reserved_nusd)
)
_EXPOSE = (
    update(sweeps)
    .where(
        sweeps.c.id
        == select(trials.c.sweep_id)
        .join(attempts, attempts.c.trial_id == trials.c.id)
        .where(attempts.c.id == bindparam("the_attempt"))
        .scalar_subquery()
    )
    .values(
        reserved_nusd=sweeps.c.reserved_nusd - bindparam("amount", type_=BigInteger),
        exposed_nusd=sweeps.c.exposed_nusd + bindparam("amount", type_=BigInteger),
        unpriced_calls=sweeps.c.unpriced_calls + bindparam("calls", type_=BigInteger),
    )
)
