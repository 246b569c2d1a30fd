"""What an attempt's agent is made from besides its settings."""

from __future__ import annotations

from dataclasses import dataclass

from runner.domain import BlobSource, Config
from runner.errors import NotFoundError


@dataclass(frozen=True, slots=True, kw_only=True)
class Turn:
    """Which go at a task this is; both count from 1."""

    repeat: int
    attempt: int


def config_file(config: Config, path: str, *, files: BlobSource) -> bytes:
    """Read a file that a configuration's settings name.

    Raises:
        NotFoundError: If it was not shipped with the configuration.
    """
    for entry in config.files.entries:
        if entry.path == path:
            return files.read(entry.digest)
    raise NotFoundError(
        f"configuration {config.name}: there is no file {path}",
        hint="Put it beside the suite file, or below.",
    )
