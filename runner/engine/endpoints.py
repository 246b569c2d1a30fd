"""A configuration may reach its service in another way after a stop, but not another service."""

from __future__ import annotations

from dataclasses import replace
from urllib.parse import urlsplit

from runner.domain import Config, Suite
from runner.errors import UsageError


def reached_as_now(recorded: Suite, now: Suite) -> Suite:
    """Take over what is outside a configuration's identity (an address, a timeout) from the file.

    Raises:
        UsageError: If a configuration would reach another host than before: one configuration
            must not mix two services.
    """
    current = {config.name: config for config in now.configs}
    return replace(
        recorded,
        configs=tuple(
            _taken_over(config, current.get(config.name, config)) for config in recorded.configs
        ),
    )


def _taken_over(config: Config, now: Config) -> Config:
    before, after = _host(config), _host(now)
    if before != after:
        raise UsageError(
            f"configuration {config.name} reached {before} when it was launched, and would reach "
            f"{after} now",
            hint="Put the address back, or launch a new sweep: one sweep never mixes services.",
        )
    outside = {name: now.settings[name] for name in config.outside if name in now.settings}
    return replace(config, settings={**config.settings, **outside})


def _host(config: Config) -> str:
    url = config.settings.get("base_url")
    if not isinstance(url, str):
        return "the service's own address"
    return urlsplit(url).hostname or url
