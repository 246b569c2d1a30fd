"""Model calls and tool calls: the intent first, then what came of it."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from sqlalchemy import BigInteger, Connection, bindparam, literal, select, text, update

from runner.errors import OwnershipLostError
from runner.ledger.life.claims import Claim
from runner.ledger.life.sums import refresh_sums
from runner.ledger.schema.tables import model_calls, sweeps, tool_calls, trials
from runner.ledger.store.rows import insert_row


@dataclass(frozen=True, slots=True, kw_only=True)
class BudgetState:
    """A sweep's money in nano-dollars when a call did not fit."""

    budget: int
    spent: int
    reserved: int
    exposed: int


def insert_call(
    connection: Connection, claim: Claim, values: Mapping[str, object], *, reserved: int | None
) -> int | BudgetState:
    """Reserve a call's price and write it as sent; give its row id, or why it does not fit.

    Raises:
        OwnershipLostError: If the trial's fence has moved on.
    """
    taken = connection.execute(_RESERVE, {"sweep": claim.sweep, "amount": reserved or 0})
    if taken.rowcount == 0:
        row = connection.execute(_MONEY.where(sweeps.c.id == claim.sweep)).one()
        return BudgetState(
            budget=row.budget_nusd,
            spent=row.spent_nusd,
            reserved=row.reserved_nusd,
            exposed=row.exposed_nusd,
        )
    require_ownership(connection, claim)
    return insert_row(
        connection,
        model_calls.insert().values(
            **values, attempt_id=claim.attempt, state="sent", reserved_nusd=reserved
        ),
    )


def settle_call(
    connection: Connection, claim: Claim, call: int, values: Mapping[str, object]
) -> None:
    """Write what came of a call and move its money; whoever owns the trial by now.

    A call that was given up as unknown and then answered after all is booked as well: nothing
    spent is lost.
    """
    before = connection.execute(_CALL, {"call": call}).one()
    if before.state not in {"sent", "unknown"}:
        return
    cost = values.get("cost_nusd")
    if before.reserved_nusd == 0 and cost is None:
        cost = 0
    settled = {**values, "cost_nusd": cost}
    connection.execute(update(model_calls).where(model_calls.c.id == call).values(settled))
    known = cost if isinstance(cost, int) else 0
    reserved = before.reserved_nusd or 0
    was_unknown = before.state == "unknown"
    was_unpriced = was_unknown and before.cost_nusd is None
    stays_exposed = values["state"] == "unknown"
    connection.execute(
        _SETTLE,
        {
            "sweep": claim.sweep,
            "spent": known,
            "freed": 0 if was_unknown else reserved,
            "exposed": (reserved if stays_exposed else 0) - (reserved if was_unknown else 0),
            "priced": 1 if cost is not None and values["state"] == "completed" else 0,
            "unpriced": (1 if cost is None else 0) - (1 if was_unpriced else 0),
        },
    )
    refresh_sums(connection, claim.trial)


def insert_tool_call(connection: Connection, claim: Claim, values: Mapping[str, object]) -> int:
    """Write a command as started; give its row id.

    Raises:
        OwnershipLostError: If the trial's fence has moved on.
    """
    require_ownership(connection, claim)
    return insert_row(
        connection,
        tool_calls.insert().values(**values, attempt_id=claim.attempt, state="started"),
    )


def settle_tool_call(connection: Connection, tool: int, values: Mapping[str, object]) -> None:
    """Write what a command gave."""
    connection.execute(update(tool_calls).where(tool_calls.c.id == tool).values(values))


def holds(connection: Connection, claim: Claim) -> bool:
    """Tell whether the claim still holds, for as long as this transaction runs."""
    parameters = {"trial": claim.trial, "fence": claim.fence}
    return connection.execute(_HELD, parameters).one_or_none() is not None


def require_ownership(connection: Connection, claim: Claim) -> None:
    """Check that the claim still holds, in the transaction that rests on it.

    Raises:
        OwnershipLostError: If the trial's fence has moved on.
    """
    if not holds(connection, claim):
        raise ownership_lost(claim)


def ownership_lost(claim: Claim) -> OwnershipLostError:
    """Say that another process owns the trial now."""
    return OwnershipLostError(
        f"trial {claim.trial} was taken over by another process",
        hint="Nothing to do: what came late is kept and not counted.",
    )


_RESERVE = (
    update(sweeps)
    .where(
        sweeps.c.id == bindparam("sweep"),
        sweeps.c.budget_nusd.is_(None)
        | (
            sweeps.c.spent_nusd
            + sweeps.c.reserved_nusd
            + sweeps.c.exposed_nusd
            + bindparam("amount", type_=BigInteger)
            <= sweeps.c.budget_nusd
        ),
    )
    .values(reserved_nusd=sweeps.c.reserved_nusd + bindparam("amount", type_=BigInteger))
)
_SETTLE = (
    update(sweeps)
    .where(sweeps.c.id == bindparam("sweep"))
    .values(
        spent_nusd=sweeps.c.spent_nusd + bindparam("spent", type_=BigInteger),
        reserved_nusd=sweeps.c.reserved_nusd - bindparam("freed", type_=BigInteger),
        exposed_nusd=sweeps.c.exposed_nusd + bindparam("exposed", type_=BigInteger),
        priced_calls=sweeps.c.priced_calls + bindparam("priced", type_=BigInteger),
        unpriced_calls=sweeps.c.unpriced_calls + bindparam("unpriced", type_=BigInteger),
    )
)
_MONEY = select(
    sweeps.c.budget_nusd, sweeps.c.spent_nusd, sweeps.c.reserved_nusd, sweeps.c.exposed_nusd
)
#: On PostgreSQL locked as well: whoever takes the trial back at this moment moves the same money.
_CALL = (
    select(model_calls.c.state, model_calls.c.reserved_nusd, model_calls.c.cost_nusd)
    .where(model_calls.c.id == bindparam("call"))
    .with_for_update()
)
#: On PostgreSQL the row is locked, so that nobody can take the trial back before the commit.
_HELD = (
    select(literal(1))
    .where(
        trials.c.id == bindparam("trial"),
        trials.c.fence == bindparam("fence"),
        text("trials.state = 'running'"),
    )
    .with_for_update(of=trials)
)
