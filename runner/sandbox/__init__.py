"""Fresh closed places to run commands in."""

from runner.sandbox.protocol import (
    Command,
    CommandResult,
    Sandbox,
    SandboxBackend,
    TakenFiles,
)

__all__ = ["Command", "CommandResult", "Sandbox", "SandboxBackend", "TakenFiles"]
