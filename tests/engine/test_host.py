"""What the host has, read from control groups as containers and service managers set them."""

from __future__ import annotations

import math
from pathlib import Path

import pytest

from runner.engine.host import ControlGroups, host_resources

GIB = 1 << 30


def write(root: Path, files: dict[str, str]) -> ControlGroups:
    for name, text in files.items():
        (root / name).parent.mkdir(parents=True, exist_ok=True)
        (root / name).write_text(text)
    return ControlGroups(root)


def test_host_resources_are_those_of_a_real_machine() -> None:
    host = host_resources()

    assert 0 < host.cpus <= 4096
    assert 64 << 20 < host.memory_bytes < 1 << 50


def test_host_in_a_container_of_the_second_version_has_what_it_was_given(tmp_path: Path) -> None:
    groups = write(
        tmp_path,
        {
            "proc/self/cgroup": "0::/\n",
            "sys/fs/cgroup/cpu.max": "150000 100000\n",
            "sys/fs/cgroup/memory.max": f"{2 * GIB}\n",
        },
    )

    assert (groups.cpus(), groups.memory_bytes()) == (1.5, 2 * GIB)


def test_host_limits_of_a_group_above_count_too(tmp_path: Path) -> None:
    groups = write(
        tmp_path,
        {
            "proc/self/cgroup": "0::/user.slice/session.scope\n",
            "sys/fs/cgroup/user.slice/cpu.max": "200000 100000\n",
            "sys/fs/cgroup/user.slice/session.scope/cpu.max": "max 100000\n",
            "sys/fs/cgroup/user.slice/memory.max": "max\n",
            "sys/fs/cgroup/user.slice/session.scope/memory.max": f"{GIB}\n",
        },
    )

    assert (groups.cpus(), groups.memory_bytes()) == (2.0, GIB)


def test_host_in_a_container_of_the_first_version_reads_its_mounts_tops(tmp_path: Path) -> None:
    groups = write(
        tmp_path,
        {
            "proc/self/cgroup": "4:memory:/docker/abc\n3:cpu,cpuacct:/docker/abc\n0::/\n",
            "sys/fs/cgroup/cpu,cpuacct/cpu.cfs_quota_us": "50000\n",
            "sys/fs/cgroup/cpu,cpuacct/cpu.cfs_period_us": "100000\n",
            "sys/fs/cgroup/memory/memory.limit_in_bytes": f"{GIB}\n",
        },
    )

    assert (groups.cpus(), groups.memory_bytes()) == (0.5, GIB)


@pytest.mark.parametrize(
    "files",
    [
        {},
        {"proc/self/cgroup": "0::/\n"},
        {
            "proc/self/cgroup": "3:cpu:/\n0::/\n",
            "sys/fs/cgroup/cpu/cpu.cfs_quota_us": "-1\n",
            "sys/fs/cgroup/cpu/cpu.cfs_period_us": "100000\n",
            "sys/fs/cgroup/memory.max": "max\n",
        },
    ],
)
def test_host_without_limits_is_bounded_by_the_machine_alone(
    tmp_path: Path, files: dict[str, str]
) -> None:
    groups = write(tmp_path, files)

    assert groups.cpus() == math.inf
    assert groups.memory_bytes() == math.inf
