"""Tokens and money; unknown is None and never 0."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True, kw_only=True)
class Usage:
    """The token classes of one model call, disjoint but for ``thinking_tokens``.

    Attributes:
        input_tokens: Uncached input.
        output_tokens: All output, thinking included.
        cache_read_tokens: Input served from the provider's cache.
        cache_write_5m_tokens: Input written to the five-minute cache.
        cache_write_1h_tokens: Input written to the one-hour cache.
        thinking_tokens: The part of the output that was thinking, where the provider says it.
    """

    input_tokens: int | None = None
    output_tokens: int | None = None
    cache_read_tokens: int | None = None
    cache_write_5m_tokens: int | None = None
    cache_write_1h_tokens: int | None = None
    thinking_tokens: int | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Price:
    """What a model's tokens cost, in pico-dollars a token (a dollar a million is 1,000,000).

    Attributes:
        source: Where the prices come from, for instance ``genai-prices 0.2.3``.
    """

    source: str
    input_pusd: int
    output_pusd: int
    cache_read_pusd: int
    cache_write_5m_pusd: int
    cache_write_1h_pusd: int


NUSD_PER_USD = 1_000_000_000
PUSD_PER_NUSD = 1_000


def cost_nusd(usage: Usage, price: Price | None) -> int | None:
    """Price one call: each token class once, rounded once, half up.

    Returns:
        Nano-dollars, or None if the price or the input or output count is unknown. A cache class
        that the provider did not report counts as absent.
    """
    if price is None or usage.input_tokens is None or usage.output_tokens is None:
        return None
    pusd = (
        usage.input_tokens * price.input_pusd
        + usage.output_tokens * price.output_pusd
        + (usage.cache_read_tokens or 0) * price.cache_read_pusd
        + (usage.cache_write_5m_tokens or 0) * price.cache_write_5m_pusd
        + (usage.cache_write_1h_tokens or 0) * price.cache_write_1h_pusd
    )
    return (pusd + PUSD_PER_NUSD // 2) // PUSD_PER_NUSD
