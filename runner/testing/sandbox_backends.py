"""Sandbox back ends in each way that they can work, by name."""

from __future__ import annotations

from runner.sandbox import BubblewrapBackend, ProcessBackend, SandboxBackend
from runner.sandbox.backends.namespaces import Mode
from runner.sandbox.backends.probing import BrokenBubblewrap, find_bubblewrap
from runner.sandbox.host.cgroups import NO_CONTROL_GROUPS


def make_backend(name: str) -> SandboxBackend:
    """Make a back end.

    Args:
        name: ``bubblewrap`` or ``process`` as they are chosen on this machine; with ``-bare`` as
            they are on a machine without control groups, where bubblewrap also goes through a user
            namespace.
    """
    if name == "process":
        return ProcessBackend()
    if name == "process-bare":
        return ProcessBackend(groups=NO_CONTROL_GROUPS)
    found = find_bubblewrap()
    if isinstance(found, BrokenBubblewrap):
        raise RuntimeError(found.reason)  # noqa: TRY004 - the machine is at fault, not the type
    if name == "bubblewrap":
        return BubblewrapBackend(found.program, found.mode)
    if name == "bubblewrap-bare":
        return BubblewrapBackend(found.program, Mode.USER, groups=NO_CONTROL_GROUPS)
    raise ValueError(name)
