"""Models that runner serves on this machine for as long as a run lasts."""

from __future__ import annotations

from collections.abc import AsyncIterator, Mapping
from contextlib import AsyncExitStack, asynccontextmanager
from pathlib import Path

from runner.domain import Config, Suite


def is_served_here(config: Config) -> bool:
    """Tell whether a configuration's model is one that runner serves itself."""
    return config.model is not None and config.settings.get("base_url") == "local"


@asynccontextmanager
async def serve_local_models(
    suite: Suite, *, slots: int, cache: Path | None
) -> AsyncIterator[Mapping[str, str]]:
    """Serve every local model that a suite's configurations name; give their URLs by name.

    Raises:
        UsageError: If a model or the server's program is missing.
        ProviderError: If a server does not start.
    """
    models = {config.model for config in suite.configs if is_served_here(config)}
    async with AsyncExitStack() as servers:
        urls: dict[str, str] = {}
        if models:
            from runner.models.local_server import serve_local_model  # noqa: PLC0415 - rarely used

            for model in sorted(filter(None, models)):
                server = serve_local_model(model, slots=slots, cache=cache)
                urls[model] = await servers.enter_async_context(server)
        yield urls
