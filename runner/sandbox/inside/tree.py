"""Find and kill a command's whole process tree, its double-forked daemons included.

Every command gets a number of its own as hard limit on file locks, a resource limit that Linux has
not enforced since 2.4. All its descendants inherit it through fork, exec and setsid, and none can
raise it again, so the number tells whose child an orphan is.
"""

from __future__ import annotations

import _signal  # type: ignore[import-not-found]  # without the ``enum`` that ``signal`` loads
import os
import time

# The public module would load all of ``collections`` first, at every start of a sandbox.
from _collections_abc import Callable, Iterable

from runner.sandbox.inside.removal import names_in

#: RLIMIT_LOCKS; the ``resource`` module does not name it.
MARKER_LIMIT = 10
#: Commands that one sandbox can tell apart.
MARKERS = 1 << 20

_SIGKILL, _SIGCONT, _SIGSTOP = _signal.SIGKILL, _signal.SIGCONT, _signal.SIGSTOP
#: With more processes than this, or looks, the tree may grow faster than it can be looked at.
_MANY_PROCESSES = 64
_MANY_ROUNDS = 10


class Process:
    """One line of the process table."""

    __slots__ = ("parent", "resident_pages", "started")

    def __init__(self, *, parent: int, started: int, resident_pages: int) -> None:
        self.parent = parent
        self.started = started
        self.resident_pages = resident_pages


def processes() -> dict[int, Process]:
    """Give every process that is not yet dead, by its id."""
    found = {}
    for name in names_in("/proc"):
        if name.isdigit():
            text = _contents("/proc/" + name + "/stat")
            # The program's name may hold spaces and brackets, so count from the last bracket.
            fields = text[text.rfind(b")") + 2 :].split()
            if len(fields) > 21 and fields[0] not in {b"Z", b"X"}:
                found[int(name)] = Process(
                    parent=int(fields[1]),
                    started=int(fields[19]),
                    resident_pages=int(fields[21]),
                )
    return found


def count_processes() -> int:
    """Count all processes that can be seen, cheaply enough for the midst of a fork bomb."""
    return sum(name.isdigit() for name in names_in("/proc"))


def descendants(table: dict[int, Process], roots: Iterable[int]) -> set[int]:
    """Give the processes below ``roots``, without these."""
    children: dict[int, list[int]] = {}
    for pid, process in table.items():
        children.setdefault(process.parent, []).append(pid)
    found: set[int] = set()
    waiting = list(roots)
    above = set(waiting)
    while waiting:
        for child in children.get(waiting.pop(), ()):
            if child not in found:
                found.add(child)
                waiting.append(child)
    return found - above


def marker_of(pid: int) -> int:
    """Give the number of the command that a process belongs to; 0 where there is none."""
    for line in _contents("/proc/" + str(pid) + "/limits").splitlines():
        if line.startswith(b"Max file locks"):
            hard = line.split()[4]
            return int(hard) if hard.isdigit() else 0
    return 0


def tree_of(marker: int) -> set[int]:
    """Give a command's living processes: those with its number, and all below them."""
    table = processes()
    marked = {pid for pid in descendants(table, [os.getpid()]) if marker_of(pid) == marker}
    return marked | descendants(table, marked)


def everything() -> set[int]:
    """Give all living processes below this one."""
    return descendants(processes(), [os.getpid()])


def kill_command(marker: int, seconds: float) -> bool:
    """Kill a command's whole tree; tell whether it is gone before ``seconds`` are over."""
    try:
        return _kill(lambda: tree_of(marker), seconds)
    finally:
        continue_everything()


def stop_everything() -> None:
    """Stop all processes of this namespace at once, if it has its own.

    The kernel sends the signal to all in one go, and what has a signal waiting does not fork.
    """
    _signal_namespace(_SIGSTOP)


def continue_everything() -> None:
    """Let go on what ``stop_everything`` stopped."""
    _signal_namespace(_SIGCONT)


def kill_everything(seconds: float) -> bool:
    """Kill all processes below this one; tell whether they are gone in time."""
    return _kill(everything, seconds)


def _kill(find: Callable[[], set[int]], seconds: float) -> bool:
    deadline = time.monotonic() + seconds
    stopped: set[int] = set()
    rounds = 0
    if count_processes() > _MANY_PROCESSES:
        stop_everything()
    while found := find():
        rounds += 1
        if rounds == _MANY_ROUNDS:
            stop_everything()
        # All are stopped before the first is killed: a stopped process does not fork, and while it
        # lives it holds its place under the limit on processes, so a fork bomb cannot outrun this.
        fresh = found - stopped
        _signal_all(fresh or found, _SIGSTOP if fresh else _SIGKILL)
        stopped |= fresh
        if not fresh:
            time.sleep(0.001)
        if time.monotonic() > deadline:
            _signal_all(found, _SIGKILL)
            return False
    return True


def _signal_namespace(number: int) -> None:
    # For any other process than the first, "all" would not end at the sandbox.
    if os.getpid() == 1:
        _signal_all([-1], number)


def _signal_all(pids: Iterable[int], number: int) -> None:
    for pid in pids:
        try:
            os.kill(pid, number)
        except OSError:
            continue


def _contents(path: str) -> bytes:
    try:
        with open(path, "rb") as file:  # noqa: PTH123 - pathlib costs every sandbox 10 ms
            return file.read()
    except OSError:
        return b""
