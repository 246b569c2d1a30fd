"""The first process of a sandbox: starts its commands, ends them, and ends with the runner.

The other end of the control socket is held by the runner alone. When it closes, for whatever
reason, this process ends everything inside and itself: no signal, timer or parent is relied on.
"""

from __future__ import annotations

import _signal  # type: ignore[import-not-found]  # without the ``enum`` that ``signal`` loads
import os
import select
import sys
import time

from runner.sandbox.inside.commands import Commands
from runner.sandbox.inside.libc import adopt_orphans, hide_from_tracers, leave_keyring
from runner.sandbox.inside.removal import remove_tree
from runner.sandbox.inside.setup import Setup
from runner.sandbox.inside.tree import kill_everything
from runner.sandbox.inside.watchdog import Watchdog, writable_tmpfs
from runner.sandbox.inside.wire import MEMORY_KILLS, READY, Wire

#: Between two looks of the watchdog; a process can fill some 100 MB meanwhile.
_LOOK_SECONDS = 0.05
_END_SECONDS = 5.0
#: A time limit may be infinite, what poll takes may not.
_LONGEST_WAIT = 3600.0


def main(descriptor: int, setup: Setup) -> None:
    """Serve the runner until it closes the control socket; never returns."""
    try:
        _serve(Wire(descriptor), setup)
    except ConnectionError:
        pass  # the runner is gone, which is how this ends
    except BaseException:  # noqa: BLE001 - process 1 has nobody above it who would tell
        sys.__excepthook__(*sys.exc_info())
    finally:
        _end(setup)


def _serve(wire: Wire, setup: Setup) -> None:
    # Inside a namespace of its own, process 1 is spared by all signals that it does not wait for.
    wake_up = _wake_up_at(_signal.SIGCHLD, *(() if setup.enclosed else (_signal.SIGTERM,)))
    _prepare(setup)
    commands = Commands(wire, setup)
    watchdog = Watchdog(
        memory_bytes=setup.memory_bytes,
        most_processes=setup.most_processes,
        directories=writable_tmpfs() if setup.enclosed else [],
    )
    wire.send(READY, 0)
    next_look = 0.0
    while True:
        watched = watchdog.has_work and commands.have_children
        latest = next_look if watched else None
        for descriptor in _wait(wire, wake_up, commands, latest=latest):
            if descriptor == wake_up:
                if _signal.SIGTERM in os.read(wake_up, 256):
                    return
                commands.reap()
            elif descriptor == wire.descriptor:
                wire.flush()
                if not commands.obey():
                    return
            else:
                commands.forward(descriptor)
        commands.end_overdue()
        if watched and time.monotonic() >= next_look:
            _look(watchdog, wire)
            next_look = time.monotonic() + _LOOK_SECONDS


def _wait(wire: Wire, wake_up: int, commands: Commands, *, latest: float | None) -> list[int]:
    """Give the descriptors that want attention, an empty list when a time has come."""
    poll = select.poll()
    poll.register(wake_up, select.POLLIN)
    poll.register(wire.descriptor, select.POLLIN | (select.POLLOUT if wire.has_waiting else 0))
    if not wire.congested:
        for pipe in commands.pipes():
            poll.register(pipe, select.POLLIN)
    times = [moment for moment in (latest, commands.next_deadline()) if moment is not None]
    if not times:
        return [descriptor for descriptor, _ in poll.poll()]
    seconds = min(_LONGEST_WAIT, max(0.0, min(times) - time.monotonic()))
    return [descriptor for descriptor, _ in poll.poll(int(seconds * 1000) + 1)]


def _look(watchdog: Watchdog, wire: Wire) -> None:
    before = watchdog.memory_kills
    watchdog.look()
    if watchdog.memory_kills != before:
        wire.send(MEMORY_KILLS, watchdog.memory_kills)


def _prepare(setup: Setup) -> None:
    leave_keyring()
    for directory in setup.owned:
        os.chown(directory, setup.user or -1, setup.user or -1)
    if not setup.enclosed:
        adopt_orphans()
    # Last, because such a process may no longer write its own entries in /proc.
    hide_from_tracers()


def _wake_up_at(*numbers: int) -> int:
    reading, writing = os.pipe2(os.O_NONBLOCK | os.O_CLOEXEC)
    _signal.set_wakeup_fd(writing, warn_on_full_buffer=False)
    for number in numbers:
        _signal.signal(number, lambda _number, _frame: None)
    return reading


def _end(setup: Setup) -> None:
    if not setup.enclosed:
        kill_everything(_END_SECONDS)
        for tree in setup.removed:
            remove_tree(tree)
    os._exit(0)
