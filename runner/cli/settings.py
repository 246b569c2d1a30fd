"""The environment, read here and nowhere else."""

from __future__ import annotations

import os
import tempfile
from dataclasses import dataclass, field
from pathlib import Path

DEFAULT_LEDGER = "ledger.db"


@dataclass(frozen=True, slots=True, kw_only=True)
class Settings:
    """What the environment says.

    Attributes:
        ledger: ``RUNNER_LEDGER``, or ``ledger.db`` in the current directory.
        api_key: ``ANTHROPIC_API_KEY``; never printed, never recorded.
        plain: Whether ``NO_COLOR``, ``CI`` or ``TERM=dumb`` asks for lines without escape codes.
        cache: Where runner may keep what it can make again.
    """

    ledger: str
    api_key: str | None = field(repr=False)
    plain: bool
    cache: Path


def read_settings() -> Settings:
    """Read the environment; an empty variable counts as not set."""
    return Settings(
        ledger=_variable("RUNNER_LEDGER") or DEFAULT_LEDGER,
        api_key=_variable("ANTHROPIC_API_KEY"),
        plain=any(_variable(name) for name in ("NO_COLOR", "CI")) or _variable("TERM") == "dumb",
        cache=_cache(),
    )


def _variable(name: str) -> str | None:
    return os.environ.get(name) or None


def _cache() -> Path:
    """Follow the XDG rules, which ignore a relative path; without a home there is still tmp."""
    configured = Path(_variable("XDG_CACHE_HOME") or "")
    if configured.is_absolute():
        return configured / "runner"
    try:
        return Path.home() / ".cache" / "runner"
    except RuntimeError:
        return Path(tempfile.gettempdir()) / "runner"
