"""Control groups that hold a sandbox's memory and processes, where this process may make them."""

from __future__ import annotations

import os
from collections.abc import Mapping
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path

import anyio

#: The sandbox's first process and one worker that reads files come on top of what commands may use.
_OWN_PROCESSES = 2
_REMOVE_SECONDS = 2.0
_RETRY_SECONDS = 0.01


@dataclass(frozen=True, slots=True)
class ControlGroups:
    """Where new groups can be made: a directory each for memory and processes, or None.

    Attributes:
        version: 2 for the unified hierarchy, 1 for one hierarchy a controller.
    """

    version: int
    memory: Path | None
    processes: Path | None

    @property
    def directories(self) -> tuple[Path, ...]:
        """Give the distinct directories."""
        return tuple(dict.fromkeys(p for p in (self.memory, self.processes) if p is not None))


NO_CONTROL_GROUPS = ControlGroups(version=1, memory=None, processes=None)


class ControlGroup:
    """One sandbox's group, in as many hierarchies as there are.

    Raises:
        OSError: If it cannot be made.
    """

    def __init__(
        self, places: ControlGroups, *, name: str, memory_bytes: int, processes: int
    ) -> None:
        self._directories = tuple(place / name for place in places.directories)
        self._memory = places.memory / name if places.memory else None
        self._version = places.version
        self._memory_kills = 0
        try:
            for directory in self._directories:
                directory.mkdir()
            if self._memory:
                self._limit_memory(self._memory, memory_bytes)
            if places.processes:
                limit = str(processes + _OWN_PROCESSES)
                (places.processes / name / "pids.max").write_text(limit)
        except OSError:
            self._remove()
            raise

    def add(self, pid: int) -> None:
        """Put a process in; those that it starts from now on follow.

        Raises:
            OSError: If it cannot be done.
        """
        for directory in self._directories:
            (directory / "cgroup.procs").write_text(str(pid))

    @property
    def memory_kills(self) -> int:
        """Count what the kernel has killed in it for memory; keeps its value after removal."""
        if self._memory is not None:
            name = "memory.events" if self._version == 2 else "memory.oom_control"
            with suppress(OSError):
                counts = _counts((self._memory / name).read_text())
                self._memory_kills = max(self._memory_kills, counts.get("oom_kill", 0))
        return self._memory_kills

    async def remove(self) -> None:
        """Remove it once its last process is gone, or leave it for the sweeper of leftovers."""
        with anyio.move_on_after(_REMOVE_SECONDS):
            while not self._remove():  # noqa: ASYNC110 - only the kernel knows
                await anyio.sleep(_RETRY_SECONDS)

    def _limit_memory(self, group: Path, memory_bytes: int) -> None:
        if self._version == 2:
            (group / "memory.max").write_text(str(memory_bytes))
            swap, amount = group / "memory.swap.max", 0
        else:
            (group / "memory.limit_in_bytes").write_text(str(memory_bytes))
            swap, amount = group / "memory.memsw.limit_in_bytes", memory_bytes
        if swap.exists():
            swap.write_text(str(amount))

    def _remove(self) -> bool:
        gone = True
        for directory in self._directories:
            try:
                directory.rmdir()
            except FileNotFoundError:
                continue
            except OSError:
                gone = False
        return gone


def find_control_groups() -> ControlGroups:
    """Find where this process may make groups; looks only, makes nothing.

    That is below its own group, or beside it where the own group holds processes and therefore may
    not have groups with limits below it.
    """
    own = _own_groups()
    roots = _hierarchies()
    if "" in roots:
        beside = _place_in_unified(roots[""], own.get("", "/"))
        if beside is not None:
            return ControlGroups(version=2, memory=beside, processes=beside)
    return ControlGroups(
        version=1,
        memory=_writable(roots, own, "memory", "memory.limit_in_bytes"),
        processes=_writable(roots, own, "pids", "cgroup.procs"),
    )


def _place_in_unified(root: Path, own: str) -> Path | None:
    group = root / own.lstrip("/")
    for place in (group, group.parent):
        if not place.is_relative_to(root):
            continue
        with suppress(OSError):
            enabled = (place / "cgroup.subtree_control").read_text().split()
            if {"memory", "pids"} <= set(enabled) and _may_write(place, "cgroup.procs"):
                return place
    return None


def _writable(
    roots: Mapping[str, Path], own: Mapping[str, str], controller: str, probe: str
) -> Path | None:
    if controller not in roots or controller not in own:
        return None
    place = roots[controller] / own[controller].lstrip("/")
    return place if _may_write(place, probe) else None


def _may_write(place: Path, file: str) -> bool:
    return os.access(place, os.W_OK | os.X_OK) and os.access(place / file, os.W_OK)


def _own_groups() -> dict[str, str]:
    """Give this process's group by controller; the unified hierarchy's key is empty."""
    groups = {}
    for line in _lines("/proc/self/cgroup"):
        _, controllers, path = line.split(":", 2)
        groups.update(dict.fromkeys(controllers.split(","), path))
    return groups


def _hierarchies() -> dict[str, Path]:
    """Give where each controller's hierarchy is mounted; the unified one's key is empty."""
    found = {}
    for line in _lines("/proc/self/mountinfo"):
        before, _, after = line.partition(" - ")
        kind, _, options = after.split(" ", 2)
        place = Path(before.split(" ")[4])
        if kind == "cgroup2":
            found[""] = place
        elif kind == "cgroup":
            found.update(dict.fromkeys(options.split(","), place))
    return found


def _lines(path: str) -> list[str]:
    try:
        return Path(path).read_text().splitlines()
    except OSError:
        return []


def _counts(text: str) -> dict[str, int]:
    pairs = (line.split() for line in text.splitlines())
    return {name: int(number) for name, number in pairs}
