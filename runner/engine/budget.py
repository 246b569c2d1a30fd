"""A cap on money means nothing where a price is unknown."""

from __future__ import annotations

from runner.domain import Config, Suite
from runner.engine.local_models import is_served_here
from runner.errors import UsageError


def refuse_unpriced(suite: Suite, *, now_us: int) -> None:
    """Refuse a cap on money, the sweep's or a trial's, where a model has no known price.

    Raises:
        UsageError: Naming the configuration and the model.
    """
    for config in suite.configs:
        cap = _cap(suite, config)
        if cap is None or config.model is None or is_served_here(config):
            continue
        from runner.models.pricing import did_you_mean, find_prices  # noqa: PLC0415 - slow to load

        if find_prices(config.model, now_us=now_us) is None:
            raise UsageError(
                f"configuration {config.name}: the price of {config.model} is unknown, so "
                f"{cap} could not hold",
                hint=did_you_mean(config.model) or f"Take out {cap}, or use another model.",
            )


def _cap(suite: Suite, config: Config) -> str | None:
    """Name the cap on money that a configuration runs under, or give None."""
    if suite.budget_nusd is not None:
        return "a budget"
    if "cost_nusd" in config.limits:
        return "its limits.cost_usd" if config.limits["cost_nusd"] is not None else None
    if any(task.limits.cost_nusd is not None for task in suite.tasks):
        return "the tasks' limits.cost_usd"
    return None
