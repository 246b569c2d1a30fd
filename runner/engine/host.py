"""What this machine, or the part of it that this process was given, can hold."""

from __future__ import annotations

import math
import os
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path


@dataclass(frozen=True, slots=True, kw_only=True)
class HostResources:
    """Processors and bytes of memory, whatever else runs there."""

    cpus: float
    memory_bytes: int


def host_resources() -> HostResources:
    """Measure the machine, within the limits of the control groups around this process."""
    limits = ControlGroups(Path("/"))
    memory = os.sysconf("SC_PHYS_PAGES") * os.sysconf("SC_PAGE_SIZE")
    return HostResources(
        cpus=min(_allowed_cpus(), limits.cpus()),
        memory_bytes=int(min(memory, limits.memory_bytes())),
    )


@dataclass(frozen=True, slots=True)
class ControlGroups:
    """The control groups around this process, of either version.

    Attributes:
        root: Where the file system begins.
    """

    root: Path

    def cpus(self) -> float:
        """Give the least quota of processors; infinite where there is none."""
        return min((_cpu_quota(group) for group in self._groups()), default=math.inf)

    def memory_bytes(self) -> float:
        """Give the least limit of memory; infinite where there is none."""
        return min((_memory_limit(group) for group in self._groups()), default=math.inf)

    def _groups(self) -> Iterator[Path]:
        """Give the directories of the own groups and their ancestors.

        In a container a group's path may be the host's; then only its mount's top is there.
        """
        mounts = self.root / "sys/fs/cgroup"
        for line in _lines(self.root / "proc/self/cgroup"):
            _, controllers, path = line.split(":", 2)
            for mount in [mounts / controllers] if controllers else [mounts, mounts / "unified"]:
                own = mount / path.lstrip("/")
                yield from [own, *(p for p in own.parents if p.is_relative_to(mount))]


def _allowed_cpus() -> int:
    if hasattr(os, "sched_getaffinity"):
        return len(os.sched_getaffinity(0))
    return os.cpu_count() or 1


def _cpu_quota(group: Path) -> float:
    both = _words(group / "cpu.max") or [
        *_words(group / "cpu.cfs_quota_us"),
        *_words(group / "cpu.cfs_period_us"),
    ]
    if len(both) != 2 or not both[0].isdigit():
        return math.inf
    return int(both[0]) / int(both[1])


def _memory_limit(group: Path) -> float:
    words = _words(group / "memory.max") or _words(group / "memory.limit_in_bytes")
    return int(words[0]) if words and words[0].isdigit() else math.inf


def _words(file: Path) -> list[str]:
    return [word for line in _lines(file) for word in line.split()]


def _lines(file: Path) -> list[str]:
    try:
        return file.read_text().splitlines()
    except OSError:
        return []
