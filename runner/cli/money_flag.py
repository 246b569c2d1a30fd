"""Dollars on the command line, read exactly."""

from __future__ import annotations

from decimal import Decimal, InvalidOperation

from runner.domain import NUSD_PER_USD
from runner.errors import UsageError

MOST_USD = 1_000_000_000


def read_budget(text: str | None) -> int | None:
    """Read a budget in dollars; give nano-dollars.

    Raises:
        UsageError: If it is no amount of money.
    """
    if text is None:
        return None
    try:
        amount = Decimal(text.removeprefix("$"))
    except InvalidOperation:
        amount = Decimal("NaN")
    if not amount.is_finite() or not 0 <= amount <= MOST_USD:
        raise UsageError(
            f"--budget-usd {text!r} is no amount of dollars",
            hint="Give a number from 0 up, for instance --budget-usd 2.50.",
        )
    return int(amount * NUSD_PER_USD)
