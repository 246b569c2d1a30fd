"""What a dead runner left is removed, what a living one needs is not."""

from __future__ import annotations

import os
import subprocess
import sys
from dataclasses import replace
from pathlib import Path

import anyio
import pytest

from runner.domain import SandboxSpec
from runner.sandbox import ProcessBackend, sweep_leftovers
from runner.sandbox.host.leftovers import temporary_directory
from runner.sandbox.host.limits import control_groups
from runner.sandbox.host.owner import Owner, parse_name, this_process
from runner.sandbox.inside.tree import MARKER_LIMIT
from runner.sandbox.outside.opening import new_marker
from runner.testing.sandbox_contract import living, new_token, shell, wait_until_living


@pytest.fixture
def dead_owner() -> Owner:
    with subprocess.Popen(["true"]) as process:
        process.wait()
    return replace(this_process(), pid=process.pid, started=1)


def test_sweep_removes_the_tree_of_a_dead_owner(dead_owner: Owner) -> None:
    tree = temporary_directory() / dead_owner.name(new_marker())
    (tree / "work" / "locked").mkdir(parents=True)
    (tree / "work" / "locked" / "file").write_text("x")
    (tree / "work" / "link").symlink_to("/etc")
    (tree / "work" / "locked").chmod(0)

    assert str(tree) in sweep_leftovers()
    assert not tree.exists()
    assert Path("/etc/hosts").exists()


def test_sweep_kills_the_processes_of_a_dead_owner(dead_owner: Owner) -> None:
    token, marker = new_token(), new_marker()
    tree = temporary_directory() / dead_owner.name(marker)
    tree.mkdir()
    code = (
        "import os, resource, sys\n"
        f"resource.setrlimit({MARKER_LIMIT}, ({marker + 7},) * 2)\n"
        f"os.execvp('sleep', ['sleep', '{token}'])\n"
    )
    with subprocess.Popen([sys.executable, "-c", code]) as process:
        anyio.run(wait_until_living, f"sleep\0{token}")

        sweep_leftovers()

        assert process.wait(10) == -9
    assert not living(token)


async def test_sweep_spares_what_a_living_runner_uses() -> None:
    async with ProcessBackend().open(SandboxSpec(), label="living") as sandbox:
        assert not [path for path in sweep_leftovers() if str(os.getpid()) in path]

        assert (await shell(sandbox, "pwd")).stdout.decode().strip() == sandbox.directory


@pytest.mark.control_groups
def test_sweep_removes_the_control_group_of_a_dead_owner(dead_owner: Owner) -> None:
    group = control_groups().directories[0] / dead_owner.name(new_marker())
    group.mkdir()
    with subprocess.Popen(["sleep", "300"]) as process:
        (group / "cgroup.procs").write_text(str(process.pid))

        removed = sweep_leftovers()

        assert process.wait(10) == -9
    assert str(group) in removed
    assert not group.exists()


def test_owner_reads_its_own_name_back() -> None:
    owner = this_process()

    assert parse_name(owner.name(0xABC00000)) == (owner, 0xABC00000)
    assert parse_name("sandbox-of-somebody-else") is None


def test_owner_is_gone_only_where_that_is_proven() -> None:
    owner = this_process()

    assert not owner.gone
    assert replace(owner, started=owner.started + 1).gone
    assert replace(owner, boot="00000000").gone
    assert not replace(owner, host="00000000", boot="00000000").gone
    assert not replace(owner, space=1, started=1).gone
