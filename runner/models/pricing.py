"""Prices by model name, from the ``genai-prices`` library's own data and never over the network.

The library takes a name for a model's when it *begins* like one, so that a new model would borrow
an older one's price. Here a name must be a model's, but for a date or ``latest`` at its end.
"""

from __future__ import annotations

import difflib
import re
from collections.abc import Iterator
from datetime import UTC, datetime, timedelta
from decimal import ROUND_CEILING, Decimal
from functools import lru_cache

import genai_prices
from genai_prices.data_snapshot import get_snapshot
from genai_prices.types import (
    ClauseAnd,
    ClauseEquals,
    ClauseOr,
    ClauseStartsWith,
    MatchLogic,
    ModelInfo,
    ModelPrice,
    TieredPrices,
)

from runner.domain import Price
from runner.models.price_list import PriceList, PriceStep

SOURCE = f"genai-prices {genai_prices.__version__}"
PROVIDER = "anthropic"


def find_prices(model: str, *, now_us: int) -> PriceList | None:
    """Look a model's prices up as they are at a time (microseconds since 1970 UTC).

    Returns:
        The prices, or None for a name that is not exactly a known model's: a price is never
        borrowed from a similar name.
    """
    info = _find_model(model)
    if info is None:
        return None
    at = datetime.fromtimestamp(0, tz=UTC) + timedelta(microseconds=now_us)
    return _price_list(info.get_prices(at))


def did_you_mean(model: str) -> str | None:
    """Give a hint with up to three known names that look like this one, or None."""
    known = [info.id for info in _models()]
    near = difflib.get_close_matches(model, known, n=3, cutoff=0.8)
    return f"Did you mean {' or '.join(near)}?" if near else None


@lru_cache(maxsize=256)
def _find_model(model: str) -> ModelInfo | None:
    for info in _models():
        if info.is_match(model) and _stem(model) in {_stem(name) for name in _names(info)}:
            return info
    return None


def _models() -> list[ModelInfo]:
    return next(found.models for found in get_snapshot().providers if found.id == PROVIDER)


def _names(info: ModelInfo) -> Iterator[str]:
    yield info.id
    yield from _spelled_out(info.match)


def _spelled_out(clause: MatchLogic) -> Iterator[str]:
    match clause:
        case ClauseEquals(equals=name) | ClauseStartsWith(starts_with=name):
            yield name.rstrip("@-")
        case ClauseOr(or_=parts) | ClauseAnd(and_=parts):
            for part in parts:
                yield from _spelled_out(part)
        case _:
            return


def _stem(name: str) -> str:
    return re.sub(r"(?:[-@]\d{8}|-latest)$", "", name.lower())


def _price_list(prices: ModelPrice) -> PriceList | None:
    values = [value for value in vars(prices).values() if isinstance(value, TieredPrices)]
    starts = sorted({0} | {tier.start for value in values for tier in value.tiers})
    steps = [_step(prices, start) for start in starts]
    found = tuple(step for step in steps if step is not None)
    return PriceList(found) if len(found) == len(steps) else None


def _step(prices: ModelPrice, start: int) -> PriceStep | None:
    def pusd(*keys: str) -> int | None:
        for key in keys:
            value = getattr(prices, key)
            if value is not None:
                return _pusd(value, start)
        return None

    whole, output = pusd("input_mtok"), pusd("output_mtok")
    if whole is None or output is None:
        return None
    # Where the library knows no price of a cache class, it bills those tokens as plain input.
    price = Price(
        source=SOURCE,
        input_pusd=whole,
        output_pusd=output,
        cache_read_pusd=_or(pusd("cache_read_mtok"), whole),
        cache_write_5m_pusd=_or(pusd("cache_write_5m_mtok", "cache_write_mtok"), whole),
        cache_write_1h_pusd=_or(pusd("cache_write_1h_mtok", "cache_write_mtok"), whole),
    )
    return PriceStep(above_input_tokens=start, price=price)


def _pusd(value: Decimal | TieredPrices, start: int) -> int:
    if isinstance(value, TieredPrices):
        reached = [tier.price for tier in value.tiers if tier.start <= start]
        value = reached[-1] if reached else value.base
    return int((value * 1_000_000).to_integral_value(rounding=ROUND_CEILING))


def _or(price: int | None, default: int) -> int:
    return default if price is None else price
