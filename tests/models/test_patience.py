from __future__ import annotations

import random

from hypothesis import given
from hypothesis import strategies as st

from runner.domain import CallFate, Reason
from runner.models.messages.faults import Fault, refused
from runner.models.messages.patience import Patience, Waits


def fault(*, fate: CallFate = CallFate.FAILED, retry_after: float | None = None) -> Fault:
    return Fault(
        reason=Reason.RATE_LIMITED, fate=fate, message="", passing=True, retry_after=retry_after
    )


@given(asked=st.floats(min_value=0, max_value=3600), seed=st.integers())
def test_chance_never_shortens_a_wait_below_what_the_service_asked(asked: float, seed: int) -> None:
    wait = Waits(Patience(), chance=random.Random(seed)).after(fault(retry_after=asked))

    assert wait is not None
    assert asked <= wait <= 1.25 * max(asked, 1.0)


def test_trials_told_to_wait_the_longest_time_wake_one_by_one() -> None:
    asked = Patience().longest_asked_seconds
    waits = [
        Waits(Patience(), chance=random.Random(f"trial-{n}")).after(fault(retry_after=asked))
        for n in range(20)
    ]

    assert len(set(waits)) == 20
    assert all(wait is not None and wait >= asked for wait in waits)


def test_waits_double_up_to_the_longest() -> None:
    waits = Waits(Patience(tries=10, jitter=0.0), chance=random.Random(0))

    assert [waits.after(fault()) for _ in range(9)] == [1, 2, 4, 8, 16, 32, 60, 60, 60]
    assert waits.after(fault()) is None


def test_tries_that_may_have_cost_are_fewer() -> None:
    waits = Waits(Patience(), chance=random.Random(0))

    given_up = [waits.after(fault(fate=CallFate.UNKNOWN)) is None for _ in range(4)]

    assert given_up == [False, False, False, True]


def test_retry_after_may_be_milliseconds_or_a_date_and_nonsense_is_none() -> None:
    def asked(**headers: str) -> float | None:
        named = {name.replace("_", "-"): value for name, value in headers.items()}
        return refused(429, None, headers=named, now_us=1_445_412_420_000_000).retry_after

    assert asked(retry_after_ms="1500", retry_after="9") == 1.5
    assert asked(retry_after="Wed, 21 Oct 2015 07:28:00 GMT") == 60.0
    assert asked(retry_after="Wed, 21 Oct 2015 07:00:00 GMT") == 0.0
    assert [asked(retry_after=text) for text in ("soon", "-5", "nan", "inf", "1e9")] == [None] * 5
    assert asked() is None


def test_an_error_page_of_a_gateway_may_hide_a_billed_call() -> None:
    page = refused(502, None, headers={}, now_us=0, text="<html>Bad gateway</html>")
    error: dict[str, dict[str, str]] = {"error": {"type": "api_error", "message": "oops"}}
    own = refused(500, error, headers={}, now_us=0)

    assert (page.fate, page.passing) == (CallFate.UNKNOWN, True)
    assert (own.fate, own.passing) == (CallFate.FAILED, True)
