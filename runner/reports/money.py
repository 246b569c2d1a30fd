"""Money for people: exact where it is known, a lower bound where parts are not."""

from __future__ import annotations

from decimal import ROUND_CEILING, ROUND_DOWN, ROUND_HALF_EVEN, Decimal

from runner.domain import NUSD_PER_USD


def usd(nusd: int, *, rounding: str = ROUND_HALF_EVEN) -> str:
    """Spell nano-dollars: cents from a dollar up, six places below.

    >>> usd(1_234_567_890), usd(1_230_000), usd(0), usd(12)
    ('$1.23', '$0.00123', '$0.00', '< $0.000001')
    """
    amount = Decimal(nusd) / NUSD_PER_USD
    if 0 < amount < Decimal("0.000001"):
        return "< $0.000001"
    if amount == 0 or abs(amount) >= 1:
        return f"${amount.quantize(Decimal('0.01'), rounding=rounding)}"
    digits = str(amount.quantize(Decimal("0.000001"), rounding=rounding)).rstrip("0")
    whole, _, places = digits.partition(".")
    return f"${whole}.{places.ljust(2, '0')}"


def spend_text(spent_nusd: int | None, unpriced_calls: int) -> str:
    """Spell a total whose parts may be unknown: ``$x``, ``≥ $x (n unpriced)`` or ``unknown``.

    >>> spend_text(2_500_000_000, 0), spend_text(2_500_000_000, 3), spend_text(None, 3)
    ('$2.50', '≥ $2.50 (3 unpriced)', 'unknown (3 unpriced)')
    """
    if spent_nusd is None:
        return f"unknown ({unpriced_calls} unpriced)"
    if not unpriced_calls:
        return usd(spent_nusd)
    known = usd(spent_nusd - spent_nusd % _NUSD_SHOWN, rounding=ROUND_DOWN)
    return f"≥ {known} ({unpriced_calls} unpriced)"


def at_most_text(nusd: int) -> str:
    """Spell an upper bound, never rounded down."""
    return f"up to {usd(nusd, rounding=ROUND_CEILING).removeprefix('< ')}"


def dollars(nusd: int | None) -> float | None:
    """Give dollars as a number for JSON; unknown stays None."""
    return None if nusd is None else nusd / NUSD_PER_USD


#: The smallest amount that is spelled in digits: a millionth of a dollar.
_NUSD_SHOWN = NUSD_PER_USD // 1_000_000
