"""What a configuration holds for its agent: settings and files."""

from __future__ import annotations

from typing import TypeVar

from pydantic import BaseModel, ValidationError

from runner.domain import BlobSource, Config
from runner.errors import NotFoundError, UsageError

Settings = TypeVar("Settings", bound=BaseModel)


def settings_of(config: Config, model: type[Settings]) -> Settings:
    """Give a configuration's settings; the loader has validated them, perhaps long ago.

    Raises:
        UsageError: If this version does not know them.
    """
    try:
        return model.model_validate(config.settings)
    except ValidationError as error:
        first = error.errors(include_url=False)[0]
        where = ".".join(str(step) for step in first["loc"])
        raise UsageError(
            f"configuration {config.name}: {where + ': ' if where else ''}{first['msg']}",
            hint="Correct the configuration in the suite file.",
        ) from error


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
