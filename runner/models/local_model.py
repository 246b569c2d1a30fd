"""Models that run on this machine: where their files lie and what their server must be told."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

from runner.errors import UsageError
from runner.shipped import checkout

#: The small model that ``make setup`` brings.
BUNDLED_MODEL = "smollm2-135m-instruct"


@dataclass(frozen=True, slots=True, kw_only=True)
class LocalModel:
    """A model file with what its server needs to know beside it.

    Attributes:
        name: As a configuration names it; the file is called ``NAME.gguf``.
        server_options: Further options for the server, by model.
    """

    name: str
    file: Path
    server_options: tuple[str, ...] = ()


def find_local_model(name: str, *, cache: Path | None = None) -> LocalModel:
    """Find ``NAME.gguf`` in the cache's ``models`` folder, then in the checkout's.

    Args:
        name: The model as a configuration names it.
        cache: runner's cache folder; None for the user's default one.

    Raises:
        UsageError: If there is no such file, or the name is none.
    """
    if not name or Path(name).name != name:
        raise UsageError(
            f"{name!r} cannot name a local model: it must be a plain file name without .gguf",
            hint=f"Write `model: {BUNDLED_MODEL}`, or the name of a file in the models folder.",
        )
    folders = model_folders(cache)
    for folder in folders:
        file = folder / f"{name}.gguf"
        if file.is_file():
            return LocalModel(name=name, file=file, server_options=_OPTIONS.get(name, ()))
    raise UsageError(f"no file {name}.gguf in {' or '.join(map(str, folders))}", hint=_how(name))


def model_folders(cache: Path | None = None) -> tuple[Path, ...]:
    """Give the folders that are searched for model files, first things first."""
    here = checkout()
    beside = (here / ".cache" / "models",) if here else ()
    return ((cache or default_cache()) / "models", *beside)


def default_cache() -> Path:
    """Give the folder for things that can be fetched or built again, where nobody named one."""
    return Path.home() / ".cache" / "runner"


def _how(name: str) -> str:
    if name != BUNDLED_MODEL:
        return f"Copy the model there as {name}.gguf."
    return "Run `make setup`, or without a checkout `python -m runner.models.fetch_local_model`."


# The library behind the server splits words for this model's own scheme with a regular expression
# that aborts the process on some systems; GPT-2's scheme gives the same words.
_OPTIONS = {BUNDLED_MODEL: ("--override-kv", "tokenizer.ggml.pre=str:gpt-2")}
