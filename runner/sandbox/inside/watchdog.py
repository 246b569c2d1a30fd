"""Hold the limits on memory and processes where no control group does."""

from __future__ import annotations

import os

from runner.sandbox.inside.tree import (
    Process,
    continue_everything,
    count_processes,
    descendants,
    kill_command,
    marker_of,
    processes,
    stop_everything,
)

_PAGE = os.sysconf("SC_PAGE_SIZE")
_SIGKILL = 9
#: Kernel memory behind one file of a tmpfs, whatever its size.
_INODE_BYTES = 1024
#: So many times too many processes are no accident.
_BOMB_FACTOR = 2
_KILL_SECONDS = 2.0


class Watchdog:
    """Sums what all processes below init hold, and kills while it is too much.

    Args:
        memory_bytes: Ceiling for processes, System V segments and in-memory directories together;
            0 where something else holds it.
        most_processes: Likewise for processes alive at once.
        directories: In-memory directories that count.
    """

    __slots__ = ("_directories", "_memory_bytes", "_most_processes", "memory_kills")

    def __init__(self, *, memory_bytes: int, most_processes: int, directories: list[str]) -> None:
        self._memory_bytes = memory_bytes
        self._most_processes = most_processes
        self._directories = directories
        self.memory_kills = 0

    @property
    def has_work(self) -> bool:
        """Whether there is a limit to hold."""
        return bool(self._memory_bytes or self._most_processes)

    def look(self) -> None:
        """Kill the largest process if memory is over its ceiling, the newest if there are too many.

        Far too many are a fork bomb, of which nothing is left.
        One look kills one for memory: its death may free enough for all others.
        """
        # A fork bomb leaves no time to look at it unless it is stopped first.
        bomb = self._most_processes and count_processes() > _BOMB_FACTOR * self._most_processes
        if bomb:
            stop_everything()
        table = processes()
        below = {pid: table[pid] for pid in descendants(table, [os.getpid()])}
        if self._most_processes and len(below) > self._most_processes:
            self._thin_out(below)
        if bomb:
            continue_everything()
        if self._memory_bytes and below and self._is_over(below):
            self.memory_kills += 1
            _kill(max(below, key=lambda pid: below[pid].resident_pages))

    def _thin_out(self, below: dict[int, Process]) -> None:
        if len(below) > _BOMB_FACTOR * self._most_processes:
            markers = [marker_of(pid) for pid in below]
            kill_command(max(set(markers), key=markers.count), _KILL_SECONDS)
            return
        by_age = sorted(below, key=lambda pid: (below[pid].started, pid))
        for pid in by_age[self._most_processes :]:
            _kill(pid)

    def _is_over(self, below: dict[int, Process]) -> bool:
        outside = _segment_bytes() + sum(map(_tmpfs_bytes, self._directories))
        resident = sum(process.resident_pages for process in below.values()) * _PAGE
        if outside + resident <= self._memory_bytes:
            return False
        # Pages that forked workers share count once for each in the quick sum, so look closely.
        return outside + sum(map(_own_bytes, below)) > self._memory_bytes


def writable_tmpfs() -> list[str]:
    """Find the in-memory directories that can be written to."""
    fields = (line.split() for line in _lines("/proc/self/mounts"))
    return [
        os.fsdecode(field[1])
        for field in fields
        if field[2] == b"tmpfs" and field[3].startswith(b"rw")
    ]


def _own_bytes(pid: int) -> int:
    """Give a process's proportional share of its memory, or all of it where that is not told."""
    for line in _lines(f"/proc/{pid}/smaps_rollup"):
        if line.startswith(b"Pss:"):
            return int(line.split()[1]) * 1024
    fields = b"".join(_lines(f"/proc/{pid}/statm")).split()
    return int(fields[1]) * _PAGE if fields else 0


def _segment_bytes() -> int:
    lines = _lines("/proc/sysvipc/shm")
    return sum(int(line.split()[14]) for line in lines[1:])


def _tmpfs_bytes(directory: str) -> int:
    status = os.statvfs(directory)
    used = (status.f_blocks - status.f_bfree) * status.f_frsize
    return used + (status.f_files - status.f_ffree) * _INODE_BYTES


def _lines(path: str) -> list[bytes]:
    try:
        with open(path, "rb") as file:  # noqa: PTH123 - pathlib costs every sandbox 10 ms
            return file.readlines()
    except OSError:
        return []


def _kill(pid: int) -> None:
    try:
        os.kill(pid, _SIGKILL)
    except OSError:
        return
