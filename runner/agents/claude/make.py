"""Making the agent for a configuration; the SDK is loaded only then."""

from __future__ import annotations

from pydantic import ValidationError

from runner.agents.claude.settings import LOCAL, ClaudeSettings
from runner.agents.protocol import Agent
from runner.domain import Config
from runner.errors import UsageError


def make_claude_agent(
    config: Config, *, api_key: str | None, local_url: str | None = None
) -> Agent:
    """Make the agent for one attempt; cheap but for the first time, so that launch can try it.

    Args:
        config: A configuration of kind ``claude``.
        api_key: The service's key, if there is one. A model that runner serves never gets it.
        local_url: Where runner serves the configuration's model, if ``base_url`` is ``local``.

    Raises:
        UsageError: If the configuration cannot be used as it is, for instance without a key.
    """
    # The SDK takes most of a second to load, and only launches need it.
    from runner.agents.claude.agent import ClaudeAgent  # noqa: PLC0415
    from runner.models.local_server import CLIENT_HEADERS  # noqa: PLC0415
    from runner.models.messages import (  # noqa: PLC0415
        DEFAULT_BASE_URL,
        Patience,
        parse_endpoint,
        usable_key,
    )

    settings = _settings(config)
    if config.model is None:
        msg = f"configuration {config.name} names no model"
        raise UsageError(msg, hint="Add `model:` to the configuration.")
    served_here = settings.base_url == LOCAL
    if served_here and local_url is None:
        msg = f"configuration {config.name} has base_url: local, and no local model is served"
        raise UsageError(msg, hint="Install the local model with `make setup`.")
    url = local_url if served_here else settings.base_url
    endpoint = parse_endpoint(
        url or DEFAULT_BASE_URL, headers=CLIENT_HEADERS if served_here else None
    )
    key = None if served_here else api_key
    usable_key(key, endpoint=endpoint)
    return ClaudeAgent(
        config.model,
        settings=settings,
        endpoint=endpoint,
        served_here=served_here,
        api_key=key,
        patience=Patience(silence_seconds=None if served_here else settings.silence_seconds),
    )


def _settings(config: Config) -> ClaudeSettings:
    try:
        return ClaudeSettings.model_validate(config.settings)
    except ValidationError as error:
        first = error.errors()[0]
        where = ".".join(str(part) for part in first["loc"])
        msg = f"configuration {config.name}: {where}: {first['msg']}"
        raise UsageError(msg, hint="Correct the configuration's settings.") from error
