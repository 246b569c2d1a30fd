"""What this machine, or the part of it that this process was given, can hold."""

from __future__ import annotations

import os
from dataclasses import dataclass
from pathlib import Path

_CGROUPS = Path("/sys/fs/cgroup")
_OWN_CGROUPS = Path("/proc/self/cgroup")


@dataclass(frozen=True, slots=True, kw_only=True)
class HostResources:
    """Processors and bytes of memory, whatever else runs there."""

    cpus: float
    memory_bytes: int


def host_resources() -> HostResources:
    """Measure the machine, within the limits of the control groups around this process."""
    cpus = float(_allowed_cpus())
    memory = os.sysconf("SC_PHYS_PAGES") * os.sysconf("SC_PAGE_SIZE")
    for group in _own_groups():
        cpus = min(cpus, _cpu_quota(group) or cpus)
        memory = min(memory, _memory_limit(group) or memory)
    return HostResources(cpus=cpus, memory_bytes=memory)


def _allowed_cpus() -> int:
    if hasattr(os, "sched_getaffinity"):
        return len(os.sched_getaffinity(0))
    return os.cpu_count() or 1


def _own_groups() -> list[Path]:
    """List the directories of the own control groups and their ancestors, of both versions."""
    try:
        lines = _OWN_CGROUPS.read_text().splitlines()
    except OSError:
        return []
    groups: list[Path] = []
    for line in lines:
        _, controllers, path = line.split(":", 2)
        for root in _roots(controllers):
            own = root / path.lstrip("/")
            # In a container the path may be the host's; then only the root is there to be read.
            groups += [own, *(parent for parent in own.parents if parent.is_relative_to(root))]
    return groups


def _roots(controllers: str) -> list[Path]:
    if controllers:
        return [_CGROUPS / controllers]
    return [_CGROUPS, _CGROUPS / "unified"]


def _cpu_quota(group: Path) -> float | None:
    both = _words(group / "cpu.max")
    if not both:
        both = _words(group / "cpu.cfs_quota_us") + _words(group / "cpu.cfs_period_us")
    if len(both) != 2 or not both[0].isdigit():
        return None
    return int(both[0]) / int(both[1])


def _memory_limit(group: Path) -> int | None:
    words = _words(group / "memory.max") or _words(group / "memory.limit_in_bytes")
    return int(words[0]) if words and words[0].isdigit() else None


def _words(file: Path) -> list[str]:
    try:
        return file.read_text().split()
    except OSError:
        return []
