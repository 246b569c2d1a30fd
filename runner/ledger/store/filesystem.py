"""SQLite's WAL needs shared memory, which network file systems do not give."""

from __future__ import annotations

import sys
from pathlib import Path

from runner.errors import LedgerError

NETWORK = frozenset(
    {
        "nfs",
        "nfs4",
        "cifs",
        "smb3",
        "smbfs",
        "afs",
        "fuse.sshfs",
        "9p",
        "ceph",
        "glusterfs",
        "fuse.glusterfs",
        "lustre",
        "beegfs",
        "gpfs",
    }
)
_MOUNTS = Path("/proc/self/mountinfo")


def refuse_network_filesystem(directory: Path, mounts: Path = _MOUNTS) -> None:
    """Refuse a directory that is known to lie on a network file system.

    Raises:
        LedgerError: With two ways out.
    """
    kind = filesystem_of(directory, mounts)
    if kind in NETWORK:
        raise LedgerError(
            f"the ledger's directory {directory} is on a network file system ({kind}), where "
            "SQLite's write-ahead log corrupts",
            hint="Name a local file with --ledger, or use PostgreSQL (postgresql://…).",
        )


def filesystem_of(directory: Path, mounts: Path = _MOUNTS) -> str | None:
    """Give the type of the file system that holds a directory, or None where nobody tells."""
    if not sys.platform.startswith("linux") or not mounts.exists():
        return None
    target = directory.resolve()
    best: tuple[int, str] | None = None
    for line in mounts.read_text().splitlines():
        left, _, right = line.partition(" - ")
        point = Path(left.split()[4].replace("\\040", " "))
        if target.is_relative_to(point) and (best is None or len(point.parts) >= best[0]):
            best = (len(point.parts), right.split()[0])
    return best[1] if best else None
