"""Names that tell whose a directory is, so that a later runner knows whether its owner is gone."""

from __future__ import annotations

import hashlib
import os
import platform
import re
from dataclasses import dataclass
from functools import cache
from pathlib import Path

_NAME = re.compile(
    r"sandbox-(?P<host>[0-9a-f]{8})-(?P<boot>[0-9a-f]{8})-(?P<space>\d+)"
    r"-(?P<pid>\d+)-(?P<started>\d+)-(?P<marker>[0-9a-f]+)"
)
_STARTED_FIELD = 19


@dataclass(frozen=True, slots=True)
class Owner:
    """A process, told apart from all others on any host, before or after a reboot.

    Attributes:
        host: Digest of the machine's id.
        boot: Digest of the boot's id.
        space: The namespace that ``pid`` belongs to.
        pid: Its process id there.
        started: When it started, in clock ticks since the boot.
    """

    host: str
    boot: str
    space: int
    pid: int
    started: int

    def name(self, marker: int) -> str:
        """Give the name for one sandbox's things; the marker makes it unique."""
        return f"sandbox-{self.host}-{self.boot}-{self.space}-{self.pid}-{self.started}-{marker:x}"

    @property
    def gone(self) -> bool:
        """Whether the process is proven to have ended.

        One on another host or in another process namespace cannot be judged from here, so it counts
        as living.
        """
        here = this_process()
        if self.host != here.host:
            return False
        if self.boot != here.boot:
            return True
        return self.space == here.space and _started(self.pid) != self.started


def this_process() -> Owner:
    """Describe the calling process."""
    host, boot, space = _surroundings()
    pid = os.getpid()
    return Owner(host=host, boot=boot, space=space, pid=pid, started=_started(pid) or 0)


def parse_name(name: str) -> tuple[Owner, int] | None:
    """Read owner and marker out of a name, or None if it is no such name."""
    match = _NAME.fullmatch(name)
    if match is None:
        return None
    owner = Owner(
        host=match["host"],
        boot=match["boot"],
        space=int(match["space"]),
        pid=int(match["pid"]),
        started=int(match["started"]),
    )
    return owner, int(match["marker"], 16)


@cache
def _surroundings() -> tuple[str, str, int]:
    machine = _text("/etc/machine-id") or platform.node()
    boot = _text("/proc/sys/kernel/random/boot_id")
    return _digest(machine), _digest(boot), Path("/proc/self/ns/pid").stat().st_ino


def _started(pid: int) -> int | None:
    text = _text(f"/proc/{pid}/stat")
    return int(text[text.rindex(")") + 2 :].split()[_STARTED_FIELD]) if text else None


def _text(path: str) -> str:
    try:
        return Path(path).read_text(errors="replace")
    except OSError:
        return ""


def _digest(text: str) -> str:
    return hashlib.sha256(text.strip().encode()).hexdigest()[:8]
