"""Choose the back end for a task's sandboxes."""

from __future__ import annotations

from dataclasses import dataclass

from runner.domain import Isolation, Reason, SandboxSpec
from runner.errors import SandboxError, UsageError
from runner.sandbox.backends.bubblewrap import BubblewrapBackend
from runner.sandbox.backends.probing import WorkingBubblewrap, find_bubblewrap
from runner.sandbox.backends.process import ProcessBackend
from runner.sandbox.host.limits import control_groups
from runner.sandbox.protocol import SandboxBackend

_NAMES = (BubblewrapBackend.name, ProcessBackend.name)


@dataclass(frozen=True, slots=True, kw_only=True)
class BackendDescription:
    """What a back end can do on this machine.

    Attributes:
        name: As in a suite file.
        works: Whether it can open sandboxes here.
        isolates: Whether what runs inside cannot reach the host.
        detail: How it works, or why it does not.
    """

    name: str
    works: bool
    isolates: bool
    detail: str


def choose_backend(spec: SandboxSpec) -> SandboxBackend:
    """Choose the strongest back end that works here and fits what the task asks for.

    Raises:
        UsageError: If the task contradicts itself or names what does not exist.
        SandboxError: If this machine cannot give what the task requires.
    """
    if spec.isolation is Isolation.NONE:
        raise UsageError(
            "a task with isolation 'none' runs no commands, so it has no sandbox",
            hint="Set isolation: required (or preferred) for tasks that run commands.",
        )
    if spec.backend is not None and spec.backend not in _NAMES:
        raise UsageError(
            f"there is no sandbox back end {spec.backend!r}",
            hint=f"Use one of: {', '.join(_NAMES)}.",
        )
    if spec.backend == ProcessBackend.name:
        return _process_by_name(spec)
    found = find_bubblewrap()
    if isinstance(found, WorkingBubblewrap):
        return BubblewrapBackend(found.program, found.mode)
    if spec.backend is None and spec.isolation is Isolation.PREFERRED:
        return ProcessBackend()
    raise SandboxError(
        f"no sandbox that isolates works on this machine; bubblewrap: {found.reason}",
        reason=Reason.SANDBOX_START,
        hint="Allow user namespaces or run as root; for harmless tasks set isolation: preferred.",
    )


def describe_backends() -> tuple[BackendDescription, ...]:
    """Tell for each back end whether and how it works on this machine."""
    found = find_bubblewrap()
    if isinstance(found, WorkingBubblewrap):
        detail = f"{found.program}, namespaces by {found.mode.value}, {_limits()}"
    else:
        detail = found.reason
    return (
        BackendDescription(
            name=BubblewrapBackend.name,
            works=isinstance(found, WorkingBubblewrap),
            isolates=BubblewrapBackend.isolates,
            detail=detail,
        ),
        BackendDescription(
            name=ProcessBackend.name,
            works=True,
            isolates=ProcessBackend.isolates,
            detail=f"commands run as the runner's own user and can reach the host, {_limits()}",
        ),
    )


def _process_by_name(spec: SandboxSpec) -> SandboxBackend:
    if spec.isolation is Isolation.REQUIRED:
        raise UsageError(
            "the sandbox back end 'process' does not isolate, which the task requires",
            hint="Set isolation: preferred, or leave the back end out.",
        )
    return ProcessBackend()


def _limits() -> str:
    places = control_groups()
    if places.memory is None:
        return "memory held by a watchdog"
    return f"memory held by cgroup v{places.version}"
