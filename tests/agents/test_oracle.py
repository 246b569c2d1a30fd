"""The oracle without a sandbox; with one, see the engine's tests of whole trials."""

from __future__ import annotations

import pytest

from graders.answer.grader import judge_answer
from graders.answer.settings import AnswerSettings
from runner.agents import AgentServices, Assignment, Turn, make_agent
from runner.domain import (
    AgentEnd,
    Config,
    FileContent,
    GraderSpec,
    Limits,
    Reason,
    Task,
    tree_of,
)
from runner.errors import InfrastructureError
from runner.testing.manual_clock import ManualClock
from runner.testing.recording_journal import RecordingJournal

SOLUTION = FileContent(path="solve.sh", data=b"echo 4\n")
ANSWER = GraderSpec(kind="answer", settings={"expect": "4"})


class OneBlob:
    def read(self, digest: str) -> bytes:
        return SOLUTION.data


async def apply(task: Task) -> tuple[AgentEnd, str | None]:
    agent = make_agent(
        Config(name="oracle", agent="oracle"),
        task,
        turn=Turn(repeat=1, attempt=1),
        files=OneBlob(),
        services=AgentServices(),
    )
    assignment = Assignment(
        trial="s/oracle/1/t",
        instruction="",
        sandbox=None,
        limits=Limits(),
        journal=RecordingJournal(),
        clock=ManualClock(),
    )
    return await agent.work(assignment), assignment.submission.answer


async def test_oracle_without_a_solution_submits_the_key() -> None:
    end, answer = await apply(Task(id="t", instruction="", graders=(ANSWER,), expect="4"))

    assert (end.reason, answer) == (Reason.COMPLETED, "4")


@pytest.mark.parametrize("match", ["set", "list"])
@pytest.mark.parametrize("key", [["Orle", "Two words", "-3"], ["one"], ["a, b", "c"]])
async def test_oracle_submits_a_key_of_several_items_so_that_it_passes(
    match: str, key: list[str]
) -> None:
    task = Task(
        id="t",
        instruction="",
        graders=(GraderSpec(kind="answer", settings={"expect": key, "match": match}),),
    )

    _, answer = await apply(task)

    passed, explanation = judge_answer(
        answer, AnswerSettings.model_validate({"expect": key, "match": match})
    )
    assert passed, explanation


async def test_oracle_without_solution_and_key_says_what_to_add() -> None:
    with pytest.raises(InfrastructureError, match="task t has neither a solution nor a key") as e:
        await apply(Task(id="t", instruction="", graders=()))

    assert e.value.reason == Reason.AGENT_REPORTED_ERROR
    assert e.value.hint is not None


async def test_oracle_with_a_solution_and_no_sandbox_is_an_error_and_not_the_key() -> None:
    task = Task(id="t", instruction="", graders=(ANSWER,), expect="4", solution=tree_of([SOLUTION]))

    with pytest.raises(InfrastructureError, match="no sandbox"):
        await apply(task)


async def test_nop_does_nothing_and_submits_nothing() -> None:
    agent = make_agent(
        Config(name="nop", agent="nop"),
        Task(id="t", instruction="", graders=(ANSWER,), expect="4"),
        turn=Turn(repeat=1, attempt=1),
        files=OneBlob(),
        services=AgentServices(),
    )
    journal = RecordingJournal()
    assignment = Assignment(
        trial="s/nop/1/t",
        instruction="",
        sandbox=None,
        limits=Limits(),
        journal=journal,
        clock=ManualClock(),
    )

    assert await agent.work(assignment) == AgentEnd(reason=Reason.COMPLETED)
    assert assignment.submission.answer is None
    assert journal.events == []
