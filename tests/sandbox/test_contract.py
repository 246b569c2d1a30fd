"""Every back end keeps the contract, in each way in which it can work."""

from __future__ import annotations

import pytest

from runner.sandbox import SandboxBackend
from runner.testing.sandbox_backends import make_backend
from runner.testing.sandbox_contract import SandboxContract


@pytest.mark.bubblewrap
class TestBubblewrap(SandboxContract):
    opener = "bubblewrap"

    @pytest.fixture
    def backend(self) -> SandboxBackend:
        return make_backend(self.opener)


@pytest.mark.bubblewrap
class TestBubblewrapWithoutRootAndControlGroups(SandboxContract):
    opener = "bubblewrap-bare"

    @pytest.fixture
    def backend(self) -> SandboxBackend:
        return make_backend(self.opener)


class TestProcess(SandboxContract):
    opener = "process"

    @pytest.fixture
    def backend(self) -> SandboxBackend:
        return make_backend(self.opener)
