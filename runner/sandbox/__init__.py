"""Fresh closed places to run commands in."""

from runner.sandbox.backends.bubblewrap import BubblewrapBackend
from runner.sandbox.backends.choosing import BackendDescription, choose_backend, describe_backends
from runner.sandbox.backends.process import ProcessBackend
from runner.sandbox.host.leftovers import sweep_leftovers
from runner.sandbox.protocol import (
    Command,
    CommandResult,
    Sandbox,
    SandboxBackend,
    TakenFiles,
)

__all__ = [
    "BackendDescription",
    "BubblewrapBackend",
    "Command",
    "CommandResult",
    "ProcessBackend",
    "Sandbox",
    "SandboxBackend",
    "TakenFiles",
    "choose_backend",
    "describe_backends",
    "sweep_leftovers",
]
