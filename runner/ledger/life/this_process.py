"""Who this process is, and whether another one on the same machine is proven gone."""

from __future__ import annotations

import os
import platform
from dataclasses import dataclass
from pathlib import Path

_PROC = Path("/proc")


@dataclass(frozen=True, slots=True, kw_only=True)
class ProcessIdentity:
    """A process among all machines that may share a ledger.

    Attributes:
        boot_id: The machine's boot and the process namespace, within which a pid means something;
            empty where the system does not tell.
    """

    host: str
    pid: int
    boot_id: str


def this_process() -> ProcessIdentity:
    """Identify the process that asks."""
    return ProcessIdentity(host=platform.node(), pid=os.getpid(), boot_id=_boot_id())


def is_proven_gone(process: ProcessIdentity) -> bool:
    """Tell whether a process ran here and no longer does; False where nobody can tell."""
    here = this_process()
    if not here.boot_id or (process.host, process.boot_id) != (here.host, here.boot_id):
        return False
    try:
        state = (_PROC / str(process.pid) / "stat").read_text().rpartition(")")[2].split()[0]
    except (FileNotFoundError, ProcessLookupError):
        return True
    except OSError:
        return False
    return state in {"Z", "X"}  # dead, and not yet fetched by its parent


def _boot_id() -> str:
    try:
        boot = (_PROC / "sys/kernel/random/boot_id").read_text().strip()
        namespace = (_PROC / "self/ns/pid").readlink()
    except OSError:
        return ""
    return f"{boot} {namespace}"
