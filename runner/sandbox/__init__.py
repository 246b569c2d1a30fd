"""Fresh closed places to run commands in."""

from runner.sandbox.bubblewrap import BubblewrapBackend
from runner.sandbox.choosing import BackendDescription, choose_backend, describe_backends
from runner.sandbox.leftovers import sweep_leftovers
from runner.sandbox.process import ProcessBackend
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
