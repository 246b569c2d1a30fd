"""The back end that encloses nothing: fresh directories and an allow-list environment, no more."""

from __future__ import annotations

import sys
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import replace
from pathlib import Path

from anyio import CancelScope, to_thread

from runner.domain import Reason, SandboxSpec
from runner.errors import SandboxError
from runner.sandbox.host.cgroups import ControlGroups
from runner.sandbox.host.leftovers import remove_sandbox_tree, temporary_directory
from runner.sandbox.host.limits import Enforcement, control_groups, enforce
from runner.sandbox.host.owner import this_process
from runner.sandbox.inside.setup import Setup
from runner.sandbox.outside.interpreter import base_interpreter
from runner.sandbox.outside.launch import init_command, start
from runner.sandbox.outside.opening import new_marker, opened
from runner.sandbox.outside.sandbox import InitSandbox, Layout


class ProcessBackend:
    """Makes places that commands can leave: they run as the runner's own user, on its own system.

    What is promised holds for programs that do no harm on purpose. A command that kills all
    processes of its user kills the runner.

    Args:
        groups: Where control groups can be made, if not where they are found.
    """

    name = "process"
    isolates = False

    def __init__(self, *, groups: ControlGroups | None = None) -> None:
        self._groups = groups or control_groups()

    @asynccontextmanager
    async def open(self, spec: SandboxSpec, *, label: str) -> AsyncIterator[InitSandbox]:
        """Open a sandbox for as long as the block runs; see ``SandboxBackend``."""
        if sys.platform != "linux":
            raise SandboxError(
                f"sandboxes need Linux, this is {sys.platform}",
                reason=Reason.SANDBOX_START,
                hint="Run it on Linux, or in a Linux virtual machine.",
            )
        marker = new_marker()
        name = this_process().name(marker)
        tree = temporary_directory() / name
        try:
            layout = _lay_out(tree)
            enforcement = _enforcement(spec, self._groups, name)
            async with opened(
                lambda: start(
                    lambda control: init_command(str(base_interpreter().program), control),
                    _setup(enforcement, marker=marker, tree=tree),
                ),
                layout,
                enforcement,
                spec=spec,
                label=label,
            ) as sandbox:
                yield sandbox
        finally:
            # Init has done this already, unless a command killed it.
            with CancelScope(shield=True):
                await to_thread.run_sync(remove_sandbox_tree, tree, marker)


def _lay_out(tree: Path) -> Layout:
    try:
        tree.mkdir(mode=0o700)
        for name in ("work", "home", "tmp"):
            (tree / name).mkdir()
    except OSError as error:
        raise SandboxError(
            f"the sandbox's directories cannot be made: {error}", reason=Reason.SANDBOX_START
        ) from error
    home, scratch = str(tree / "home"), str(tree / "tmp")
    return Layout(
        work=str(tree / "work"),
        home=home,
        scratch=scratch,
        environment={
            "PATH": base_interpreter().search_path,
            "HOME": home,
            "TMPDIR": scratch,
            "SHELL": "/bin/sh",
            "LANG": "C.UTF-8",
            "TERM": "dumb",
        },
    )


def _enforcement(spec: SandboxSpec, groups: ControlGroups, name: str) -> Enforcement:
    enforcement = enforce(spec, groups, name=name, own_user=False)
    mechanisms = {**enforcement.mechanisms, "namespaces": "none", "disk": "none"}
    return replace(enforcement, mechanisms=mechanisms)


def _setup(enforcement: Enforcement, *, marker: int, tree: Path) -> Setup:
    return Setup(
        enclosed=False,
        marker=marker,
        limits=enforcement.limits,
        owned=[],
        memory_bytes=enforcement.watched_memory,
        most_processes=enforcement.watched_processes,
        removed=[str(tree)],
    )
