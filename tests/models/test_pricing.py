from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from runner.domain import Usage
from runner.models.price_list import LOCAL_PRICES, PriceList
from runner.models.pricing import did_you_mean, find_prices

IN_2026 = 1_790_000_000_000_000
counts = st.integers(min_value=0, max_value=2_000_000)


def prices(model: str, *, now_us: int = IN_2026) -> PriceList:
    found = find_prices(model, now_us=now_us)
    assert found is not None
    return found


def test_each_token_class_is_priced_once() -> None:
    usage = Usage(input_tokens=9, output_tokens=500, cache_read_tokens=17102)

    assert prices("claude-sonnet-4-0").cost_nusd(usage) == 12_657_600


def test_cache_writes_have_prices_of_their_own() -> None:
    usage = Usage(
        input_tokens=0, output_tokens=0, cache_write_5m_tokens=1_000, cache_write_1h_tokens=1_000
    )

    assert prices("claude-sonnet-4-0").cost_nusd(usage) == (3_750 + 6_000) * 1_000


@pytest.mark.parametrize(
    "model",
    [
        "claude-next-0",
        "claude-sonnet-4-55",
        "claude-haiku-4-5-turbo",
        "claude-opus-4-1-lite-20260101",
        "claude",
        "",
        "gpt-5",
        "anthropic.claude-sonnet-4-5-20250929-v1:0",
    ],
)
def test_a_name_that_only_looks_like_a_model_has_no_price(model: str) -> None:
    assert find_prices(model, now_us=IN_2026) is None


@pytest.mark.parametrize(
    "model", ["claude-haiku-4-5", "claude-haiku-4-5-20251001", "claude-haiku-4-5-latest"]
)
def test_a_date_or_latest_at_the_end_is_the_same_model(model: str) -> None:
    assert prices(model) == prices("claude-haiku-4-5")


def test_a_long_request_is_priced_by_its_whole_input_for_all_its_tokens() -> None:
    short = Usage(input_tokens=100_000, output_tokens=10, cache_read_tokens=100_000)
    long = Usage(input_tokens=100_001, output_tokens=10, cache_read_tokens=100_000)

    found = prices("claude-sonnet-4-5")

    assert found.price_of(short).input_pusd == 3_000_000
    assert found.price_of(long).input_pusd == 6_000_000
    assert found.price_of(long).output_pusd == 22_500_000


def test_prices_that_change_on_a_day_are_those_of_the_call() -> None:
    before, after = 1_760_000_000_000_000, IN_2026

    assert len(prices("claude-opus-4-6", now_us=before).steps) == 2
    assert len(prices("claude-opus-4-6", now_us=after).steps) == 1


def test_a_price_names_its_source() -> None:
    assert prices("claude-haiku-4-5").steps[0].price.source.startswith("genai-prices 0.2.")


def test_unknown_tokens_cost_null() -> None:
    assert prices("claude-haiku-4-5").cost_nusd(Usage(output_tokens=5)) is None


def test_a_model_on_this_machine_costs_nothing_and_says_why() -> None:
    assert LOCAL_PRICES.cost_nusd(Usage(input_tokens=5, output_tokens=5)) == 0
    assert LOCAL_PRICES.steps[0].price.source == "local server"


@given(
    model=st.sampled_from(["claude-haiku-5-5", "claude-sonnet-4-5", "claude-opus-5"]),
    split=st.tuples(counts, counts, counts, counts),
    output=counts,
)
def test_the_bound_holds_for_every_split_of_the_input(
    model: str, split: tuple[int, int, int, int], output: int
) -> None:
    usage = Usage(
        input_tokens=split[0],
        cache_read_tokens=split[1],
        cache_write_5m_tokens=split[2],
        cache_write_1h_tokens=split[3],
        output_tokens=output,
    )
    found = prices(model)

    cost = found.cost_nusd(usage)

    assert cost is not None
    assert cost <= found.most_nusd(request_bytes=sum(split), max_tokens=output)


@pytest.mark.parametrize(
    ("typo", "meant"),
    [("claude-sonet-4-5", "claude-sonnet-4-5"), ("claude-haiku-4-6", "claude-haiku-4-5")],
)
def test_a_typo_gets_the_nearest_name(typo: str, meant: str) -> None:
    assert meant in (did_you_mean(typo) or "")


def test_a_name_like_no_other_gets_no_hint() -> None:
    assert did_you_mean("smollm2-135m-instruct") is None
