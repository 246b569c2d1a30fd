"""One sandbox's life, the same for every back end."""

from __future__ import annotations

import errno
import resource
import secrets
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager

import anyio

from runner.domain import Reason, SandboxSpec
from runner.errors import SandboxError
from runner.sandbox.host.limits import Enforcement
from runner.sandbox.inside.tree import MARKER_LIMIT, MARKERS
from runner.sandbox.outside.client import Client
from runner.sandbox.outside.launch import FirstProcess
from runner.sandbox.outside.sandbox import InitSandbox, Layout

_LARGEST_MARKER = 1 << 60
_HINTS = {
    errno.EMFILE: "Raise the limit on open files (ulimit -n), or lower --max-in-flight.",
    errno.EAGAIN: "Raise the limit on processes (ulimit -u), or lower --max-in-flight.",
    errno.ENOMEM: "Lower --max-in-flight.",
}


@asynccontextmanager
async def opened(
    start: Callable[[], FirstProcess],
    layout: Layout,
    enforcement: Enforcement,
    *,
    spec: SandboxSpec,
    label: str,
) -> AsyncIterator[InitSandbox]:
    """Start a sandbox for as long as the block runs; everything in it is dead afterwards.

    Raises:
        SandboxError: If it does not start.
    """
    group = enforcement.group
    try:
        first = _started(start, label)
        try:
            await _make_ready(first, enforcement, spec, label)
            yield InitSandbox(
                Client(first.channel, label=label, group=group),
                layout,
                mechanisms=enforcement.mechanisms,
                file_seconds=spec.setup_seconds,
            )
        finally:
            with anyio.CancelScope(shield=True):
                await first.end()
    finally:
        if group is not None:
            with anyio.CancelScope(shield=True):
                await group.remove()


def new_marker() -> int:
    """Draw the number from which a sandbox counts its commands.

    A sandbox inside a sandbox cannot go above the number that it inherits, so it stays below.
    """
    hard = resource.getrlimit(MARKER_LIMIT)[1]
    most = _LARGEST_MARKER if hard == resource.RLIM_INFINITY else min(hard, _LARGEST_MARKER)
    if most < 2 * MARKERS:
        raise SandboxError(
            "sandboxes are nested too deeply to tell their commands apart",
            reason=Reason.SANDBOX_START,
        )
    return (1 + secrets.randbelow(most // MARKERS - 1)) * MARKERS


def _started(start: Callable[[], FirstProcess], label: str) -> FirstProcess:
    try:
        return start()
    except OSError as error:
        raise SandboxError(
            f"the sandbox of {label} cannot be started: {error}",
            reason=Reason.SANDBOX_START,
            hint=_HINTS.get(error.errno or 0),
        ) from error


async def _make_ready(
    first: FirstProcess, enforcement: Enforcement, spec: SandboxSpec, label: str
) -> None:
    try:
        with anyio.fail_after(spec.setup_seconds):
            pid = await first.wait_until_ready()
        if enforcement.group is not None:
            enforcement.group.add(pid)
    except OSError as error:
        # TimeoutError is an OSError too, with nothing to say.
        why = str(error) or f"not ready after {spec.setup_seconds:g} s"
        with anyio.CancelScope(shield=True):
            said = await first.end()
        raise SandboxError(
            f"the sandbox of {label} did not start: {said or why}", reason=Reason.SANDBOX_START
        ) from error
