"""What the page about agents shows is run as it stands there."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from runner.agents import AGENTS, AgentServices, Assignment, Turn, make_agent
from runner.agents.scripted_steps import Script
from runner.domain import (
    AgentEnd,
    Config,
    FileContent,
    JsonObject,
    Limits,
    Reason,
    Task,
    tree_of,
)
from runner.engine.clock import SystemClock
from runner.suites import read_document
from runner.testing.messages_server import serve
from runner.testing.recording_journal import RecordingJournal

PAGE = (Path(__file__).parents[2] / "docs" / "agents.md").read_text()


def block(language: str, mark: str) -> str:
    """Give the one block of code that holds a text."""
    found = [b for b in re.findall(rf"```{language}\n(.*?)```", PAGE, re.DOTALL) if mark in b]
    assert len(found) == 1
    return str(found[0])


class OneBlob:
    def __init__(self, data: bytes) -> None:
        self.data = data

    def read(self, digest: str) -> bytes:
        return self.data


async def work(
    class_name: str, keys: JsonObject, *, model: str | None = None
) -> tuple[AgentEnd, str | None, RecordingJournal]:
    data = block("python", f"class {class_name}:").encode()
    target = f"my_agents.py:{class_name}"
    settings = AGENTS["python"].settings.model_validate({"target": target, **keys})
    config = Config(
        name="own",
        agent=f"python:{target}",
        model=model,
        settings=dict(settings.model_dump(mode="json")),
        files=tree_of([FileContent(path="my_agents.py", data=data)]),
    )
    agent = make_agent(
        config,
        Task(id="t", instruction="What is 2 + 2?", graders=()),
        turn=Turn(repeat=1, attempt=1),
        files=OneBlob(data),
        services=AgentServices(),
    )
    journal = RecordingJournal()
    assignment = Assignment(
        trial="s/own/1/t",
        instruction="What is 2 + 2?",
        sandbox=None,
        limits=Limits(),
        journal=journal,
        clock=SystemClock(),
    )
    return await agent.work(assignment), assignment.submission.answer, journal


def test_page_names_every_setting_of_claude() -> None:
    assert [
        name for name in AGENTS["claude"].settings.model_fields if f"`{name}`" not in PAGE
    ] == []


async def test_page_first_agent_works() -> None:
    end, answer, _ = await work("Counts", {"suffix": "lines"})

    assert (end.reason, answer) == (Reason.COMPLETED, "no files, no lines")


async def test_page_agent_that_asks_a_model_has_its_call_in_the_journal() -> None:
    with serve({"replies": [{"text": "4"}]}) as server:
        end, answer, journal = await work("Asks", {"url": server.url}, model="claude-haiku-4-5")

    assert (end.reason, answer) == (Reason.COMPLETED, "4")
    assert len(server.bill) == len(journal.calls) == 1
    assert journal.calls[0].result.cost_nusd is not None


@pytest.mark.parametrize(
    ("task", "repeat", "first_step"),
    [("sums/1", 2, "fail"), ("sums/1", 1, "submit"), ("words", 1, "say")],
)
def test_page_script_is_a_script(task: str, repeat: int, first_step: str) -> None:
    script = read_document(block("yaml", "# steps.yaml"), Script, shown="steps.yaml")

    steps = script.steps_for(task=task, repeat=repeat, attempt=1)

    assert steps
    assert first_step in steps[0].model_fields_set
