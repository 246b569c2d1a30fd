"""What the tests of the claude agent share."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field
from typing import Any

from runner.agents import Agent, Assignment
from runner.agents.claude import ClaudeSettings, make_claude_agent
from runner.domain import AgentEnd, Config, Limits
from runner.sandbox import Sandbox
from runner.testing.manual_clock import ManualClock
from runner.testing.messages_server import MessagesServer, serve
from runner.testing.recording_journal import RecordingJournal

MODEL = "claude-sonnet-4-5"
INSTRUCTION = "What is 2 + 2?\n  Say  it — plainly."


def tool(name: str, given: Mapping[str, object] | None = None, **more: object) -> dict[str, object]:
    return {"type": "tool_use", "name": name, "input": given or {}, **more}


def bash(command: str) -> dict[str, object]:
    return tool("bash", {"command": command})


def calls(*blocks: dict[str, object], **more: object) -> dict[str, object]:
    return {"content": list(blocks), **more}


def submit(answer: object = "4") -> dict[str, object]:
    return calls(tool("submit", {"answer": answer}))


def config(**settings: object) -> Config:
    whole = ClaudeSettings.model_validate(settings)
    return Config(name="c", agent="claude", model=MODEL, settings=whole.model_dump(mode="json"))


@dataclass
class Trial:
    """One attempt against a scripted server, and all that can be seen of it."""

    server: MessagesServer
    sandbox: Sandbox | None
    limits: Limits
    journal: RecordingJournal = field(default_factory=RecordingJournal)
    clock: ManualClock = field(default_factory=ManualClock)
    answer: str | None = None

    async def run(self, **settings: object) -> AgentEnd:
        whole = config(base_url=self.server.url, **settings)
        return await self.work(make_claude_agent(whole, api_key=None))

    async def work(self, agent: Agent) -> AgentEnd:
        task = Assignment(
            trial="sweep/c/1/task",
            instruction=INSTRUCTION,
            sandbox=self.sandbox,
            limits=self.limits,
            journal=self.journal,
            clock=self.clock,
        )
        try:
            return await agent.work(task)
        finally:
            self.answer = task.submission.answer

    @property
    def requests(self) -> list[dict[str, Any]]:
        return [json.loads(request.raw) for request in self.server.requests]

    def results(self) -> list[dict[str, Any]]:
        """Give the tool results in the last request's last message."""
        content: list[dict[str, Any]] = self.requests[-1]["messages"][-1]["content"]
        assert all(block["type"] == "tool_result" for block in content)
        return content


@contextmanager
def trial(
    *replies: dict[str, object],
    sandbox: Sandbox | None = None,
    limits: Limits = Limits(),  # noqa: B008 - frozen
) -> Iterator[Trial]:
    with serve({"replies": list(replies)}) as server:
        yield Trial(server, sandbox=sandbox, limits=limits)
