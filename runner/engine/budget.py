"""A cap on money means nothing where a price is unknown."""

from __future__ import annotations

from collections.abc import Iterable

from runner.domain import Config
from runner.engine.local_models import is_served_here
from runner.errors import UsageError


def refuse_unpriced(configs: Iterable[Config], *, budget_nusd: int | None, now_us: int) -> None:
    """Refuse a budget over a configuration whose model has no known price.

    Raises:
        UsageError: Naming the configuration and the model.
    """
    if budget_nusd is None:
        return
    from runner.models.pricing import did_you_mean, find_prices  # noqa: PLC0415 - slow to load

    for config in configs:
        if config.model is None or is_served_here(config):
            continue
        if find_prices(config.model, now_us=now_us) is None:
            raise UsageError(
                f"configuration {config.name}: the price of {config.model} is unknown, so a "
                "budget could not hold",
                hint=did_you_mean(config.model) or "Launch without a budget, or use another model.",
            )
