"""The user's own agent: loading it, and the runner's safety from its mistakes."""

from __future__ import annotations

import sys
import textwrap
import traceback
from pathlib import Path

import anyio
import pytest

from runner.agents import AGENTS, Agent, AgentServices, Assignment, Turn, make_agent
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
from runner.errors import NotFoundError, UsageError
from runner.testing.manual_clock import ManualClock
from runner.testing.recording_journal import RecordingJournal

GOOD = """
from dataclasses import dataclass

from runner.domain import AgentEnd, Reason

MADE = []


@dataclass
class Greets:
    greeting: str = "hello"
    times: int = 1
    model: str | None = None

    def __post_init__(self):
        MADE.append(self)

    async def work(self, assignment):
        words = [self.greeting] * self.times
        assignment.submission.submit(f"{' '.join(words)} {self.model} {len(MADE)}")
        return AgentEnd(reason=Reason.COMPLETED)
"""


class OneBlob:
    def __init__(self, data: bytes) -> None:
        self.data = data

    def read(self, digest: str) -> bytes:
        return self.data


def make(
    source: str,
    target: str = "agents/mine.py:Agent",
    *,
    keys: JsonObject | None = None,
    model: str | None = None,
) -> Agent:
    data = textwrap.dedent(source).encode()
    kind = AGENTS["python"].settings
    settings = kind.model_validate({**(keys or {}), "target": target})
    config = Config(
        name="own",
        agent=f"python:{target}",
        model=model,
        settings=dict(settings.model_dump(mode="json")),
        files=tree_of([FileContent(path="agents/mine.py", data=data)]),
    )
    return make_agent(
        config,
        Task(id="t", instruction="", graders=()),
        turn=Turn(repeat=1, attempt=1),
        files=OneBlob(data),
        services=AgentServices(),
    )


def make_assignment() -> Assignment:
    return Assignment(
        trial="s/own/1/t",
        instruction="",
        sandbox=None,
        limits=Limits(),
        journal=RecordingJournal(),
        clock=ManualClock(),
    )


async def work(source: str) -> tuple[AgentEnd, str | None]:
    assignment = make_assignment()
    end = await make(source).work(assignment)
    return end, assignment.submission.answer


def agent(body: str) -> str:
    lines = textwrap.indent(textwrap.dedent(body), " " * 8)
    return f"""
import anyio
from runner.domain import AgentEnd, Reason

class Agent:
    async def work(self, assignment):
{lines}
"""


async def test_python_agent_is_made_with_the_configurations_own_keys_anew_for_each_attempt() -> (
    None
):
    answers = []
    for _ in range(2):
        assignment = make_assignment()
        own = make(
            GOOD, "agents/mine.py:Greets", keys={"greeting": "hi", "times": 2}, model="some-model"
        )
        assert await own.work(assignment) == AgentEnd(reason=Reason.COMPLETED)
        answers.append(assignment.submission.answer)

    assert answers == ["hi hi some-model 1", "hi hi some-model 2"]


def test_python_agent_leaves_no_copy_of_its_file_behind(tmp_path: Path) -> None:
    make(agent("return AgentEnd(reason=Reason.COMPLETED)  # once"))

    left = [m.__file__ for n, m in sys.modules.items() if n.startswith("runner_agent_")]
    assert left
    assert not any(file and Path(file).parent.exists() for file in left)


def test_python_agent_settings_know_the_file_that_must_be_shipped() -> None:
    settings = AGENTS["python"].settings.model_validate({"target": "my_agents.py:Agent", "x": 1})

    assert settings.model_dump() == {
        "target": "my_agents.py:Agent",
        "python_file": "my_agents.py",
        "x": 1,
    }


@pytest.mark.parametrize(
    "target", ["", "mine.py", "mine.py:", "mine.txt:Agent", ":Agent", "a.py:b c"]
)
def test_python_agent_with_a_target_that_is_none_is_refused(target: str) -> None:
    with pytest.raises(ValueError, match=r"python:FILE\.py:Class"):
        AGENTS["python"].settings.model_validate({"target": target})


def test_python_agent_without_the_class_says_which_classes_there_are() -> None:
    with pytest.raises(UsageError, match=r"mine\.py has no class Agent; it has Greets") as caught:
        make(GOOD)

    assert caught.value.hint is not None


@pytest.mark.parametrize(
    "source",
    [
        "class Agent: ...",
        "class Agent:\n    def work(self, assignment): ...",
        "class Agent:\n    work = 3",
    ],
)
def test_python_agent_without_an_async_work_is_refused(source: str) -> None:
    with pytest.raises(UsageError, match="has no `async def work"):
        make(source)


@pytest.mark.parametrize(
    ("source", "told"),
    [
        ("class Agent(", "SyntaxError"),
        ("import no_such_module_anywhere", "no_such_module_anywhere"),
        ("raise SystemExit(3)", "SystemExit"),
        ("1 / 0", "ZeroDivisionError"),
        ("x = '\udcff'", "Error"),
    ],
)
def test_python_agent_whose_file_does_not_run_is_refused(source: str, told: str) -> None:
    data = textwrap.dedent(source).encode(errors="surrogateescape")
    files = tree_of([FileContent(path="mine.py", data=data)])
    config = Config(
        name="own",
        agent="python:mine.py:Agent",
        settings={"target": "mine.py:Agent"},
        files=files,
    )

    with pytest.raises(UsageError, match=rf"mine\.py does not run: .*{told}"):
        make_agent(
            config,
            Task(id="t", instruction="", graders=()),
            turn=Turn(repeat=1, attempt=1),
            files=OneBlob(data),
            services=AgentServices(),
        )


def test_python_agent_that_does_not_take_a_key_names_it() -> None:
    with pytest.raises(UsageError, match="unexpected keyword argument 'greting'"):
        make(GOOD, "agents/mine.py:Greets", keys={"greting": "hi"})


def test_python_agent_whose_file_was_not_shipped_is_not_found() -> None:
    with pytest.raises(NotFoundError, match=r"there is no file other\.py"):
        make(GOOD, "other.py:Greets")


async def test_python_agent_may_end_at_a_limit_of_its_own() -> None:
    end, answer = await work(
        agent("""
            assignment.submission.submit("so far")
            return AgentEnd(reason=Reason.MAX_STEPS, detail="enough")
        """)
    )

    assert end == AgentEnd(reason=Reason.MAX_STEPS, detail="enough")
    assert answer == "so far"


async def test_python_agent_that_submits_no_text_is_an_error_that_keeps_nothing_of_it() -> None:
    assignment = make_assignment()

    with pytest.raises(TypeError, match=r"Agent in agents/mine\.py submitted int"):
        await make(
            agent("""
                assignment.submission.submit(42)
                return AgentEnd(reason=Reason.COMPLETED)
            """)
        ).work(assignment)

    assert assignment.submission.answer is None


async def test_python_agent_that_returns_nothing_is_told_what_to_return() -> None:
    with pytest.raises(TypeError, match=r"returned NoneType, and no AgentEnd"):
        await work(agent("pass"))


@pytest.mark.parametrize(
    "way_out", ["exit(3)", "raise KeyboardInterrupt", "import sys; sys.exit()"]
)
async def test_python_agent_cannot_end_the_process(way_out: str) -> None:
    with pytest.raises(RuntimeError, match="tried to end the process"):
        await work(agent(way_out))


async def test_python_agent_that_cancels_itself_does_not_vanish() -> None:
    with pytest.raises(RuntimeError, match="cancelled itself"):
        await work(agent("raise anyio.get_cancelled_exc_class()()"))


async def test_python_agent_is_stopped_from_outside_like_any_other() -> None:
    own = make(agent("await anyio.sleep_forever()"))

    with anyio.move_on_after(0.05) as scope:
        await own.work(make_assignment())

    assert scope.cancelled_caught


async def test_python_agent_with_a_bug_keeps_its_lines_for_the_traceback() -> None:
    with pytest.raises(ZeroDivisionError) as caught:
        await work(agent("return 1 / 0  # the bug"))

    assert "return 1 / 0  # the bug" in "".join(traceback.format_exception(caught.value))


async def test_python_agent_cannot_end_the_process_from_among_tasks_of_its_own() -> None:
    body = """
    async with anyio.create_task_group() as tasks:
        tasks.start_soon(anyio.sleep, 60)
        raise SystemExit(3)
    """
    with pytest.raises(RuntimeError, match="tried to end the process"):
        await work(agent(body))
