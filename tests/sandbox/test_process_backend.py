"""What is particular to the back end that encloses nothing."""

from __future__ import annotations

from pathlib import Path

import anyio
import pytest

from runner.domain import SandboxSpec
from runner.errors import SandboxError
from runner.sandbox import Command, ProcessBackend
from runner.testing.sandbox_backends import make_backend
from runner.testing.sandbox_contract import SOON, living, new_token, shell

MEMORY = 192 << 20


async def test_a_sandbox_leaves_no_directory() -> None:
    async with ProcessBackend().open(SandboxSpec(), label="gone") as sandbox:
        tree = Path(sandbox.directory).parent
        await shell(sandbox, "mkdir -p a/b; echo x > a/b/c; chmod 000 a/b; mkdir -p $HOME/.x/y")
        assert tree.is_dir()

    assert not tree.exists()


async def test_a_command_that_kills_init_breaks_the_sandbox_and_leaves_nothing() -> None:
    token = new_token()
    async with ProcessBackend().open(SandboxSpec(), label="suicidal") as sandbox:
        tree = Path(sandbox.directory).parent
        await shell(sandbox, f"(setsid sleep {token} &)")

        with pytest.raises(SandboxError, match="suicidal broke"):
            await shell(sandbox, "kill -9 $PPID; sleep 60")

    assert not living(token)
    assert not tree.exists()


async def test_the_watchdog_kills_a_memory_hog_and_counts_it() -> None:
    spec = SandboxSpec(memory_ceiling_bytes=MEMORY)
    async with make_backend("process-bare").open(spec, label="hog") as sandbox:
        script = f"x = b'1' * {3 * MEMORY // 2}; input()"

        result = await sandbox.run(Command(argv=["python3", "-c", script], seconds=30))

        assert result.exit == 137
        assert sandbox.oom_kills == 1


async def test_the_watchdog_counts_shared_pages_once() -> None:
    spec = SandboxSpec(memory_ceiling_bytes=MEMORY)
    script = (
        "import os, time\n"
        f"x = b'1' * {MEMORY // 2}\n"
        "for _ in range(5):\n"
        "    if os.fork() == 0: time.sleep(1); os._exit(0)\n"
        "print([os.wait()[1] for _ in range(5)])\n"
    )
    async with make_backend("process-bare").open(spec, label="workers") as sandbox:
        result = await sandbox.run(Command(argv=["python3", "-c", script], seconds=30))

        assert result.stdout == b"[0, 0, 0, 0, 0]\n"
        assert sandbox.oom_kills == 0


async def test_the_watchdog_holds_the_number_of_processes() -> None:
    token = new_token()
    spec = SandboxSpec(processes=10)
    async with make_backend("process-bare").open(spec, label="many") as sandbox:
        await shell(sandbox, f"for i in $(seq 18); do sleep {token} & done", seconds=SOON)

        with anyio.fail_after(SOON):
            while len(living(f"sleep\0{token}")) > spec.processes:  # noqa: ASYNC110 - a look is due
                await anyio.sleep(0.01)
        assert living(f"sleep\0{token}")
