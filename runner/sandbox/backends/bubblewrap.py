"""The back end that closes a sandbox off with Linux namespaces, through bubblewrap."""

from __future__ import annotations

import os
import secrets
from collections.abc import AsyncIterator
from contextlib import ExitStack, asynccontextmanager
from dataclasses import replace
from pathlib import Path

from runner.domain import SandboxSpec
from runner.sandbox.backends.namespaces import (
    HOME,
    SCRATCH,
    WORK,
    Enclosure,
    Mode,
    memory_file,
)
from runner.sandbox.host.cgroups import ControlGroups
from runner.sandbox.host.limits import Enforcement, control_groups, counts_by_namespace, enforce
from runner.sandbox.host.owner import this_process
from runner.sandbox.inside.setup import Setup
from runner.sandbox.outside.interpreter import base_interpreter
from runner.sandbox.outside.launch import FirstProcess, init_command, start
from runner.sandbox.outside.opening import new_marker, opened
from runner.sandbox.outside.sandbox import InitSandbox, Layout

#: Commands of a sandbox made by root get ids of this range. It lies above those of people and
#: services, and below 2**21, where the older formats of tar and cpio end.
_FIRST_USER = 1 << 20
_USER_INSIDE = 1000


class BubblewrapBackend:
    """Makes sandboxes that cannot reach the host.

    Args:
        program: The bwrap executable.
        mode: How it gets its rights on this machine.
        groups: Where control groups can be made, if not where they are found.
    """

    name = "bubblewrap"
    isolates = True

    def __init__(self, program: Path, mode: Mode, *, groups: ControlGroups | None = None) -> None:
        self._program = program
        self._mode = mode
        self._groups = groups or control_groups()

    @asynccontextmanager
    async def open(self, spec: SandboxSpec, *, label: str) -> AsyncIterator[InitSandbox]:
        """Open a sandbox for as long as the block runs; see ``SandboxBackend``."""
        as_root = self._mode is Mode.ROOT
        user = _FIRST_USER + secrets.randbelow(_FIRST_USER) if as_root else _USER_INSIDE
        enclosure = Enclosure(program=self._program, mode=self._mode, spec=spec, user=user)
        marker = new_marker()
        enforcement = enforce(
            spec,
            self._groups,
            name=this_process().name(marker),
            own_user=as_root or (os.geteuid() != 0 and counts_by_namespace()),
        )
        enforcement = replace(
            enforcement,
            mechanisms={**enforcement.mechanisms, "namespaces": self._mode.value, "disk": "tmpfs"},
        )
        setup = _setup(enforcement, marker=marker, user=user if as_root else None)
        async with opened(
            lambda: _start(enclosure, setup, label=label),
            _layout(),
            enforcement,
            spec=spec,
            label=label,
        ) as sandbox:
            yield sandbox


def _start(enclosure: Enclosure, setup: Setup, *, label: str) -> FirstProcess:
    with ExitStack() as files:
        settings = {}
        for path, content in enclosure.settings().items():
            settings[path] = memory_file(content)
            files.callback(os.close, settings[path])
        interpreter = str(base_interpreter().program)
        return start(
            lambda control: enclosure.arguments(settings, init_command(interpreter, control)),
            setup,
            name=f"sandbox of {label}".replace("\0", ""),
            pass_fds=tuple(settings.values()),
        )


def _setup(enforcement: Enforcement, *, marker: int, user: int | None) -> Setup:
    return Setup(
        enclosed=True,
        marker=marker,
        limits=enforcement.limits,
        user=user,
        owned=[WORK, HOME] if user is not None else [],
        memory_bytes=enforcement.watched_memory,
        most_processes=enforcement.watched_processes,
        removed=[],
    )


def _layout() -> Layout:
    return Layout(
        work=WORK,
        home=HOME,
        scratch=SCRATCH,
        environment={
            "PATH": base_interpreter().search_path,
            "HOME": HOME,
            "TMPDIR": SCRATCH,
            "USER": "agent",
            "LOGNAME": "agent",
            "SHELL": "/bin/sh",
            "LANG": "C.UTF-8",
            "TERM": "dumb",
        },
    )
