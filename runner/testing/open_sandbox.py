"""A small runner to be killed: ``python -m runner.testing.open_sandbox BACKEND TOKEN``.

It writes one line and opens a sandbox in which processes with TOKEN on their command line sleep.
"""

from __future__ import annotations

import sys

import anyio

from runner.domain import SandboxSpec
from runner.sandbox import Command
from runner.testing.sandbox_backends import make_backend


async def main() -> None:
    """Open the sandbox and wait to be killed."""
    backend_name, token = sys.argv[1:]
    backend = make_backend(backend_name)
    sys.stdout.write("opening\n")
    sys.stdout.flush()
    # The label is on the command line of bwrap itself.
    async with backend.open(SandboxSpec(), label=token) as sandbox:
        script = f"(setsid sleep {token} &); sleep {token} & sleep {token}"
        await sandbox.run(Command(argv=["sh", "-c", script], seconds=300))


if __name__ == "__main__":
    anyio.run(main)
