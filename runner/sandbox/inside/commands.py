"""All commands that run inside, and the orders that start and end them."""

from __future__ import annotations

import os
import time

from runner.sandbox.inside.child import CANNOT_EXECUTE, Rights, start
from runner.sandbox.inside.command import RunningCommand
from runner.sandbox.inside.setup import Setup
from runner.sandbox.inside.staged import Staged
from runner.sandbox.inside.tree import kill_command, kill_everything
from runner.sandbox.inside.wire import (
    ERRORS,
    INPUT,
    KILL,
    PAYLOAD,
    PIECE,
    START,
    Wire,
    send_end,
)

#: How long one attempt at killing may keep everything else waiting.
_KILL_SECONDS = 2.0
_RETRY_SECONDS = 0.1


class Commands:
    """What has been ordered, what runs, and what has ended and left its pipes to its children."""

    def __init__(self, wire: Wire, setup: Setup) -> None:
        self._wire = wire
        self._rights = Rights(user=setup.user, limits=setup.limits)
        self._marker = setup.marker
        self._staged: dict[int, Staged] = {}
        self._running: dict[int, RunningCommand] = {}
        self._owners: dict[int, RunningCommand] = {}
        self._left_open: set[int] = set()
        self.have_children = False

    def pipes(self) -> list[int]:
        """Give all pipes that something inside may still write to."""
        return [*self._owners, *self._left_open]

    def next_deadline(self) -> float | None:
        """Give when the first running command's time is over."""
        return min((command.deadline for command in self._running.values()), default=None)

    def obey(self) -> bool:
        """Do what the runner wants; tell whether it is still there."""
        try:
            frame = self._wire.receive()
        except BlockingIOError:
            return True
        if frame is None:
            return False
        kind, number, payload = frame
        if kind == PIECE:
            self._staged.setdefault(number, Staged()).add_piece(payload)
        elif kind == INPUT:
            self._staged.setdefault(number, Staged()).add_input(payload)
        elif kind == START:
            self._start(number, self._staged.pop(number))
        elif kind == KILL:
            self._kill(number)
        return True

    def forward(self, pipe: int) -> None:
        """Pass on what came through a pipe; what outlives its command is thrown away."""
        try:
            if pipe in self._left_open:
                size = len(os.read(pipe, PAYLOAD))
            elif pipe in self._owners:
                size = self._owners[pipe].forward(pipe, self._wire)
            else:
                return
        except BlockingIOError:
            return
        if size == 0:
            self._close(pipe)

    def reap(self) -> None:
        """Collect all that has ended, and report the commands among it."""
        ended = {command.pid: number for number, command in self._running.items()}
        while True:
            try:
                pid, status = os.waitpid(-1, os.WNOHANG)
            except ChildProcessError:
                self.have_children = False
                return
            if pid == 0:
                return
            if pid in ended:
                self._finish(ended[pid], status)

    def end_overdue(self) -> None:
        """Kill the commands whose time is over."""
        now = time.monotonic()
        for command in list(self._running.values()):
            if command.deadline <= now:
                # It may have ended by itself, with the news still on its way.
                self.reap()
                if command in self._running.values():
                    command.timed_out = True
                    self._kill_tree(command)

    def _start(self, number: int, staged: Staged) -> None:
        order = staged.order()
        standard = staged.open_input()
        readers, writers = zip(*(os.pipe2(os.O_CLOEXEC) for _ in range(2)), strict=True)
        marker = self._marker + number
        try:
            pid = start(order.work, self._rights, marker=marker, standard=[standard, *writers])
        except OSError as error:
            # Something inside has used up all processes; a shell would tell it the same way.
            self._refuse(number, f"cannot fork: {error.strerror}\n")
            for pipe in readers:
                os.close(pipe)
            return
        finally:
            for descriptor in (standard, *writers):
                os.close(descriptor)
        self.have_children = True
        for pipe in readers:
            os.set_blocking(pipe, False)
        command = RunningCommand(
            number,
            pid=pid,
            marker=marker,
            seconds=order.seconds,
            most_bytes=order.most_bytes,
            pipes=readers,
        )
        self._running[number] = command
        self._owners.update(dict.fromkeys(readers, command))

    def _kill(self, number: int) -> None:
        if number == 0:
            kill_everything(_KILL_SECONDS)
            self.reap()
        elif number in self._running:
            self._kill_tree(self._running[number])
        elif number in self._staged:
            self._staged.pop(number).drop()
            self._refuse(number, "")

    def _kill_tree(self, command: RunningCommand) -> None:
        kill_command(command.marker, _KILL_SECONDS)
        command.deadline = time.monotonic() + _RETRY_SECONDS
        self.reap()

    def _refuse(self, number: int, message: str) -> None:
        if message:
            self._wire.send(ERRORS, number, message.encode())
        send_end(self._wire, number, exit_status=CANNOT_EXECUTE)

    def _finish(self, number: int, status: int) -> None:
        command = self._running.pop(number)
        command.finish(status, self._wire)
        for pipe in command.streams:
            del self._owners[pipe]
            self._left_open.add(pipe)

    def _close(self, pipe: int) -> None:
        owner = self._owners.pop(pipe, None)
        if owner:
            del owner.streams[pipe]
        self._left_open.discard(pipe)
        os.close(pipe)
