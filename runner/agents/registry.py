"""All kinds of agents, and how one is made for an attempt.

What a kind needs to act (an SDK, a script's text, a user's class) is loaded when its first agent is
made, and an agent that cannot be made is a ``UsageError``: making each configuration's agent once
before anything starts finds what the suite's author has to correct.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from runner.agents.claude import CLAUDE, make_claude_agent
from runner.agents.nop import NOP, NopAgent
from runner.agents.oracle import ORACLE, OracleAgent
from runner.agents.protocol import Agent
from runner.agents.python_file import PYTHON_FILE, make_python_agent
from runner.agents.scripted import SCRIPTED, make_scripted_agent
from runner.agents.turn import Turn
from runner.domain import BlobSource, Config, Kind, Task
from runner.errors import NotFoundError

AGENTS: Mapping[str, Kind] = {
    "claude": CLAUDE,
    "nop": NOP,
    "oracle": ORACLE,
    "python": PYTHON_FILE,
    "scripted": SCRIPTED,
}


@dataclass(frozen=True, slots=True, kw_only=True)
class AgentServices:
    """What agents get from the process that runs them.

    Attributes:
        api_key: The model service's key; it is sent and nothing else.
        local_url: Where runner serves a model on this machine, if it does.
    """

    api_key: str | None = None
    local_url: str | None = None


def make_agent(
    config: Config, task: Task, *, turn: Turn, files: BlobSource, services: AgentServices
) -> Agent:
    """Make a new agent, for one attempt.

    Args:
        config: Validated by the suite loader.
        task: What the agent is for; ``oracle`` looks at its solution, no other agent does.
        turn: Which go it is; only ``scripted`` cares.
        files: The bytes of the configuration's files and the task's solution.
        services: What the process has for agents.

    Raises:
        UsageError: If the configuration cannot act: its file or class is missing, a key is.
    """
    match config.agent.partition(":")[0]:
        case "claude":
            return make_claude_agent(config, api_key=services.api_key, local_url=services.local_url)
        case "nop":
            return NopAgent()
        case "oracle":
            return OracleAgent(task=task, files=files)
        case "python":
            return make_python_agent(config, files=files)
        case "scripted":
            return make_scripted_agent(config, task, turn=turn, files=files)
        case unknown:
            raise NotFoundError(
                f"configuration {config.name}: there is no agent {unknown!r}",
                hint=f"Choose from: {', '.join(AGENTS)}.",
            )
