"""The agent as the engine sees it."""

from __future__ import annotations

import random

from runner.agents.claude.loop import Loop
from runner.agents.claude.settings import ClaudeSettings
from runner.agents.protocol import Assignment
from runner.domain import AgentEnd
from runner.errors import UsageError
from runner.models.messages import Endpoint, MessagesClient, Patience
from runner.models.price_list import LOCAL_PRICES, PriceList
from runner.models.pricing import did_you_mean, find_prices


class ClaudeAgent:
    """Works on one attempt.

    Args:
        model: The model's name.
        settings: The configuration's settings.
        endpoint: Where the model is served.
        served_here: Whether runner serves it itself, so that it costs nothing.
        api_key: The service's key, or None where none is needed.
        patience: Limits of retrying.
    """

    def __init__(
        self,
        model: str,
        *,
        settings: ClaudeSettings,
        endpoint: Endpoint,
        served_here: bool,
        api_key: str | None,
        patience: Patience,
    ) -> None:
        self._model = model
        self._settings = settings
        self._endpoint = endpoint
        self._served_here = served_here
        self._api_key = api_key
        self._patience = patience

    async def work(self, assignment: Assignment) -> AgentEnd:
        """Work until done or until a limit of its own."""
        async with MessagesClient(
            self._endpoint,
            api_key=self._api_key,
            prices=self._prices(assignment),
            journal=assignment.journal,
            clock=assignment.clock,
            request_seconds=self._settings.request_seconds,
            # By the trial's name, so that trials that were told to wait alike wake one by one.
            chance=random.Random(assignment.trial),  # noqa: S311 - spreads waits, guards nothing
            patience=self._patience,
        ) as client:
            loop = Loop(client, model=self._model, settings=self._settings, task=assignment)
            return await loop.run()

    def _prices(self, assignment: Assignment) -> PriceList | None:
        if self._served_here:
            return LOCAL_PRICES
        prices = find_prices(self._model, now_us=assignment.clock.now_us())
        if prices is None and assignment.limits.cost_nusd is not None:
            msg = f"the price of {self._model} is not known, so that cost_usd cannot limit it"
            hint = did_you_mean(self._model) or "Limit output_tokens instead of cost_usd."
            raise UsageError(msg, hint=hint)
        return prices
