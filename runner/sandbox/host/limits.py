"""Choose what holds a sandbox's limits on this machine, the kernel where it can."""

from __future__ import annotations

import platform
import re
import resource
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cache

from runner.domain import SandboxSpec
from runner.sandbox.host.cgroups import (
    NO_CONTROL_GROUPS,
    ControlGroup,
    ControlGroups,
    find_control_groups,
)
from runner.sandbox.inside.setup import Limits

_OPEN_FILES = (1024, 1 << 16)
#: From here on the kernel counts a user's processes by user namespace.
_COUNTS_BY_NAMESPACE = (5, 14)


@dataclass(frozen=True, slots=True, kw_only=True)
class Enforcement:
    """What holds the limits of one sandbox.

    Attributes:
        group: Its control group, or None.
        limits: Resource limits of each command.
        watched_memory: The ceiling for the watchdog, 0 where the group holds it.
        watched_processes: Likewise.
        mechanisms: What holds each limit, for the record.
    """

    group: ControlGroup | None
    limits: Limits
    watched_memory: int
    watched_processes: int
    mechanisms: Mapping[str, str]


def enforce(spec: SandboxSpec, places: ControlGroups, *, name: str, own_user: bool) -> Enforcement:
    """Make the control group, if there is a place for one, and choose what holds the rest.

    Args:
        spec: The limits.
        places: Where control groups can be made.
        name: The group's name.
        own_user: Whether the kernel counts the sandbox's processes apart from all others.
    """
    try:
        group = _group(places, spec, name)
    except OSError:
        places, group = NO_CONTROL_GROUPS, None
    limits: Limits = [
        (resource.RLIMIT_CORE, 0, 0),
        (resource.RLIMIT_FSIZE, spec.file_bytes, spec.file_bytes),
        (resource.RLIMIT_NOFILE, *_OPEN_FILES),
    ]
    held = f"cgroup v{places.version}"
    mechanisms = {"memory": held, "processes": held, "file size": "rlimit"}
    watched_memory = watched_processes = 0
    if places.memory is None:
        mechanisms["memory"] = "watchdog"
        watched_memory = spec.memory_ceiling_bytes
        # Holds one process that fills memory faster than the watchdog looks; twice the ceiling,
        # because the stacks of threads count in full.
        limits.append((resource.RLIMIT_DATA, 2 * watched_memory, 2 * watched_memory))
    if places.processes is None and own_user:
        mechanisms["processes"] = "rlimit"
        limits.append((resource.RLIMIT_NPROC, spec.processes, spec.processes))
    elif places.processes is None:
        mechanisms["processes"] = "watchdog"
        watched_processes = spec.processes
    return Enforcement(
        group=group,
        limits=limits,
        watched_memory=watched_memory,
        watched_processes=watched_processes,
        mechanisms=mechanisms,
    )


@cache
def control_groups() -> ControlGroups:
    """Find where this process may make control groups, once."""
    return find_control_groups()


def counts_by_namespace() -> bool:
    """Tell whether a limit on processes in a user namespace counts only those in it."""
    match = re.match(r"(\d+)\.(\d+)", platform.release())
    return match is not None and (int(match[1]), int(match[2])) >= _COUNTS_BY_NAMESPACE


def _group(places: ControlGroups, spec: SandboxSpec, name: str) -> ControlGroup | None:
    if not places.directories:
        return None
    return ControlGroup(
        places,
        name=name,
        memory_bytes=spec.memory_ceiling_bytes,
        processes=spec.processes,
    )
