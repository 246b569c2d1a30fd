"""Money is exact where it is known and a true bound where it is not."""

from __future__ import annotations

import re
from decimal import Decimal

import pytest
from hypothesis import given
from hypothesis import strategies as st

from runner.reports.money import at_most_text, spend_text, usd

AMOUNTS = st.integers(min_value=0, max_value=10**18)


@pytest.mark.parametrize(
    ("nusd", "text"),
    [
        (0, "$0.00"),
        (1, "< $0.000001"),
        (15_000, "$0.000015"),
        (1_230_000, "$0.00123"),
        (500_000_000, "$0.50"),
        (999_999_999, "$1.00"),
        (1_234_567_890, "$1.23"),
    ],
)
def test_dollars_have_the_places_that_tell_something(nusd: int, text: str) -> None:
    assert usd(nusd) == text


@given(AMOUNTS)
def test_a_lower_bound_is_never_above_what_is_known(nusd: int) -> None:
    text = spend_text(nusd, 2)

    assert text.startswith("≥ $")
    assert text.endswith(" (2 unpriced)")
    assert _amount(text) <= Decimal(nusd) / 10**9


@given(AMOUNTS)
def test_an_upper_bound_is_never_below_what_is_known(nusd: int) -> None:
    assert _amount(at_most_text(nusd)) >= Decimal(nusd) / 10**9


def test_a_total_of_which_nothing_is_known_is_no_zero() -> None:
    assert spend_text(None, 3) == "unknown (3 unpriced)"


def _amount(text: str) -> Decimal:
    match = re.search(r"\$([\d.]+)", text)
    assert match is not None
    return Decimal(match.group(1))
