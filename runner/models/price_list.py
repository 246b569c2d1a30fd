"""One model's prices, in steps of the request's size, and the most that a call can cost."""

from __future__ import annotations

from dataclasses import dataclass

from runner.domain import Price, Usage, cost_nusd

#: Tokens that a service adds to a request on its own account (tool use has its own instructions).
HIDDEN_INPUT_TOKENS = 1_000


@dataclass(frozen=True, slots=True, kw_only=True)
class PriceStep:
    """The price of calls whose whole input, cached or not, is above so many tokens."""

    above_input_tokens: int
    price: Price


@dataclass(frozen=True, slots=True)
class PriceList:
    """A model's prices, cheapest step first; a step's price holds for all tokens of the call."""

    steps: tuple[PriceStep, ...]

    def price_of(self, usage: Usage) -> Price:
        """Give the price that holds for a call of this size."""
        size = sum(
            count or 0
            for count in (
                usage.input_tokens,
                usage.cache_read_tokens,
                usage.cache_write_5m_tokens,
                usage.cache_write_1h_tokens,
            )
        )
        fitting = [step.price for step in self.steps if size > step.above_input_tokens]
        return fitting[-1] if fitting else self.steps[0].price

    def cost_nusd(self, usage: Usage) -> int | None:
        """Price a call, or give None where its input or output is unknown."""
        return cost_nusd(usage, self.price_of(usage))

    def most_nusd(self, *, request_bytes: int, max_tokens: int) -> int:
        """Bound a call's cost from above: a token is at least a byte, and in the dearest class."""
        input_tokens = request_bytes + HIDDEN_INPUT_TOKENS
        possible = [step.price for step in self.steps if step.above_input_tokens < input_tokens]
        dearest = max(max(_input_prices(price)) for price in possible)
        output = max(price.output_pusd for price in possible)
        return -(-(input_tokens * dearest + max_tokens * output) // 1_000)


#: What a model costs that runs on this machine.
LOCAL_PRICES = PriceList(
    (
        PriceStep(
            above_input_tokens=0,
            price=Price(
                source="local server",
                input_pusd=0,
                output_pusd=0,
                cache_read_pusd=0,
                cache_write_5m_pusd=0,
                cache_write_1h_pusd=0,
            ),
        ),
    )
)


def _input_prices(price: Price) -> tuple[int, ...]:
    return (
        price.input_pusd,
        price.cache_read_pusd,
        price.cache_write_5m_pusd,
        price.cache_write_1h_pusd,
    )
