"""Remove what runners that are gone have left outside of memory."""

from __future__ import annotations

import os
import signal
import tempfile
import time
from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path

from runner.sandbox.host.limits import control_groups
from runner.sandbox.host.owner import parse_name
from runner.sandbox.inside.removal import remove_tree
from runner.sandbox.inside.tree import MARKERS, marker_of, processes

_KILL_SECONDS = 2.0
_RETRY_SECONDS = 0.01


def sweep_leftovers() -> tuple[str, ...]:
    """Remove directories and control groups, and kill processes, of owners proven to be gone.

    What belongs to a living runner, to another host or to another process namespace stays.
    Safe to call at any time, also by several processes at once.

    Returns:
        The paths that were removed.
    """
    removed = []
    for tree, marker in _left_by_the_gone(temporary_directory()):
        if tree.lstat().st_uid == os.getuid() and remove_sandbox_tree(tree, marker):
            removed.append(str(tree))
    for place in control_groups().directories:
        removed += [str(group) for group, _ in _left_by_the_gone(place) if _remove_group(group)]
    return tuple(removed)


def temporary_directory() -> Path:
    """Find where sandboxes without a file system of their own lie."""
    return Path(tempfile.gettempdir()).resolve()


def remove_sandbox_tree(tree: Path, marker: int) -> bool:
    """Kill what still runs of a sandbox and remove its directories; tell whether they are gone.

    Where they are gone already, its init has ended everything.
    """
    if not tree.exists():
        return True
    _kill_marked(marker)
    return remove_tree(str(tree))


def _left_by_the_gone(place: Path) -> Iterator[tuple[Path, int]]:
    with suppress(OSError):
        for path in sorted(place.iterdir()):
            parsed = parse_name(path.name)
            if parsed is not None and parsed[0].gone:
                yield path, parsed[1]


def _kill_marked(marker: int) -> None:
    deadline = time.monotonic() + _KILL_SECONDS
    while time.monotonic() < deadline:
        found = [pid for pid in processes() if marker <= marker_of(pid) < marker + MARKERS]
        if not found:
            return
        for pid in found:
            _kill_if_marked(pid, marker)
        time.sleep(_RETRY_SECONDS)


def _kill_if_marked(pid: int, marker: int) -> None:
    # The descriptor pins the process, so that its number cannot pass to a stranger in between.
    with suppress(OSError):
        descriptor = os.pidfd_open(pid)
        try:
            if marker <= marker_of(pid) < marker + MARKERS:
                signal.pidfd_send_signal(descriptor, signal.SIGKILL)
        finally:
            os.close(descriptor)


def _remove_group(group: Path) -> bool:
    deadline = time.monotonic() + _KILL_SECONDS
    while time.monotonic() < deadline:
        with suppress(OSError):
            for pid in (group / "cgroup.procs").read_text().split():
                os.kill(int(pid), signal.SIGKILL)
        try:
            group.rmdir()
        except FileNotFoundError:
            return False
        except OSError:
            time.sleep(_RETRY_SECONDS)
        else:
            return True
    return False
