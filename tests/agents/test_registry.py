"""The registry: every kind that a suite may name can be made."""

from __future__ import annotations

import subprocess
import sys

import pytest

from runner.agents import AGENTS, AgentServices, Turn, make_agent
from runner.domain import Config, Task
from runner.errors import NotFoundError, UsageError

TASK = Task(id="t", instruction="", graders=())


class NoBlobs:
    def read(self, digest: str) -> bytes:
        raise KeyError(digest)


def make(config: Config) -> None:
    make_agent(
        config,
        TASK,
        turn=Turn(repeat=1, attempt=1),
        files=NoBlobs(),
        services=AgentServices(),
    )


@pytest.mark.parametrize("kind", ["nop", "oracle"])
def test_registry_makes_an_agent_that_needs_nothing(kind: str) -> None:
    make(Config(name="c", agent=kind))


@pytest.mark.parametrize("kind", sorted(set(AGENTS) - {"nop", "oracle"}))
def test_registry_without_what_a_kind_needs_says_so_before_anything_runs(kind: str) -> None:
    with pytest.raises(UsageError, match="configuration c") as caught:
        make(Config(name="c", agent=kind))

    assert caught.value.hint is not None


def test_registry_without_such_an_agent_names_those_there_are() -> None:
    with pytest.raises(NotFoundError, match="configuration c: there is no agent 'clod'") as caught:
        make(Config(name="c", agent="clod"))

    assert caught.value.hint is not None
    assert "claude" in caught.value.hint


def test_registry_loads_no_heavy_library() -> None:
    heavy = ["anthropic", "httpx", "genai_prices", "ruamel.yaml", "sqlalchemy"]
    code = f"import sys, runner.agents as _; print([m for m in {heavy} if m in sys.modules])"

    result = subprocess.run(
        [sys.executable, "-c", code], capture_output=True, text=True, check=True
    )

    assert result.stdout.strip() == "[]"
