"""Every back end keeps the contract, in each way in which it can work."""

from __future__ import annotations

import os
import resource

import pytest

from runner.domain import SandboxSpec
from runner.errors import SandboxError
from runner.sandbox import SandboxBackend
from runner.testing.sandbox_backends import make_backend
from runner.testing.sandbox_contract import SandboxContract


@pytest.mark.bubblewrap
class TestBubblewrap(SandboxContract):
    opener = "bubblewrap"


@pytest.mark.bubblewrap
class TestBubblewrapWithoutRootAndControlGroups(SandboxContract):
    opener = "bubblewrap-bare"


class TestProcess(SandboxContract):
    opener = "process"


@pytest.mark.parametrize(
    "name", ["process", pytest.param("bubblewrap", marks=pytest.mark.bubblewrap)]
)
async def test_open_without_descriptors_left_is_a_sandbox_error_that_says_so(name: str) -> None:
    backend = make_backend(name)
    soft, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    lowest = os.dup(0)
    os.close(lowest)
    resource.setrlimit(resource.RLIMIT_NOFILE, (lowest + 2, hard))
    try:
        with pytest.raises(SandboxError, match="Too many open files") as caught:
            await open_and_close(backend)
    finally:
        resource.setrlimit(resource.RLIMIT_NOFILE, (soft, hard))

    assert caught.value.reason == "sandbox_start"
    assert "ulimit -n" in (caught.value.hint or "")


async def open_and_close(backend: SandboxBackend) -> None:
    async with backend.open(SandboxSpec(), label="no descriptors"):
        pass
