"""Load a class from the text of a Python file."""

from __future__ import annotations

import importlib.util
import inspect
import linecache
import sys
import tempfile
from functools import lru_cache
from pathlib import Path, PurePosixPath
from types import ModuleType
from typing import cast

from runner.agents.protocol import Agent
from runner.domain import JsonObject, digest_bytes
from runner.errors import UsageError


@lru_cache(maxsize=32)
def load_class(file: str, source: bytes, class_name: str) -> type[object]:
    """Run a file as a module, once in this process, and give its class.

    The module is run from a private copy that is gone afterwards: it reads what it needs from
    beside itself while it is being imported, or not at all.

    Raises:
        UsageError: If the file does not run, or has no such class with an async ``work``.
    """
    module = _run(file, source)
    found = getattr(module, class_name, None)
    if not inspect.isclass(found):
        classes = [n for n, c in vars(module).items() if _is_own_class(c, module)]
        there = f"it has {', '.join(classes)}" if classes else "it has none"
        raise UsageError(
            f"{file} has no class {class_name}; {there}",
            hint="Write `agent: python:FILE.py:Class` with the name of a class in the file.",
        )
    if not inspect.iscoroutinefunction(getattr(found, "work", None)):
        raise UsageError(
            f"{class_name} in {file} has no `async def work(self, assignment)`",
            hint="Give the class that method; it returns a runner.domain.AgentEnd.",
        )
    return found


def make_instance(found: type[object], arguments: JsonObject, *, file: str) -> Agent:
    """Make a new agent of a class that ``load_class`` gave.

    Raises:
        UsageError: If the class does not take these arguments.
    """
    try:
        inspect.signature(found).bind(**arguments)
    except TypeError as error:
        raise UsageError(
            f"{found.__name__} in {file} does not take the configuration's keys: {error}",
            hint="Take each key of the configuration as an argument of `__init__`.",
        ) from error
    return cast("Agent", found(**arguments))


def _run(file: str, source: bytes) -> ModuleType:
    name = f"runner_agent_{digest_bytes(source)[:16]}"
    with tempfile.TemporaryDirectory(prefix="runner-agent-") as directory:
        path = Path(directory) / PurePosixPath(file).name
        path.write_bytes(source)
        spec = importlib.util.spec_from_file_location(name, path)
        if spec is None or spec.loader is None:
            raise UsageError(f"{file} is no Python file", hint="Name a file that ends in .py.")
        module = importlib.util.module_from_spec(spec)
        # Dataclasses and pickle look a module up by its name.
        sys.modules[name] = module
        try:
            spec.loader.exec_module(module)
        except (Exception, SystemExit) as error:  # the user's code may fail in any way
            del sys.modules[name]
            raise UsageError(
                f"{file} does not run: {type(error).__name__}: {error}",
                hint=f"Try `python {file}`.",
            ) from error
        _remember_lines(path, source)
    return module


def _remember_lines(path: Path, source: bytes) -> None:
    """Keep the lines for tracebacks; an entry without a time is never checked against a file."""
    lines = source.decode(errors="replace").splitlines(keepends=True)
    linecache.cache[str(path)] = (len(source), None, lines, str(path))


def _is_own_class(value: object, module: ModuleType) -> bool:
    return inspect.isclass(value) and value.__module__ == module.__name__
