"""The scripted agent: its language, and what each step does where there is no sandbox."""

from __future__ import annotations

import json
from collections.abc import Mapping

import pytest

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
from runner.errors import BreakerError, InfrastructureError, NotFoundError, SuiteFileError
from runner.testing.manual_clock import ManualClock
from runner.testing.recording_journal import RecordingJournal

FIRST = Turn(repeat=1, attempt=1)


class Blobs:
    def __init__(self, *files: FileContent) -> None:
        self.tree = tree_of(files)
        self.data: Mapping[str, bytes] = {
            entry.digest: file.data
            for file in files
            for entry in self.tree.entries
            if entry.path == file.path
        }

    def read(self, digest: str) -> bytes:
        return self.data[digest]


async def follow(
    script: str, *, task: str = "t", turn: Turn = FIRST
) -> tuple[AgentEnd, Assignment, RecordingJournal, ManualClock]:
    blobs = Blobs(FileContent(path="steps.yaml", data=script.encode()))
    config = Config(
        name="replay", agent="scripted", settings={"script": "steps.yaml"}, files=blobs.tree
    )
    problem = Task(id=task, instruction="", graders=(GraderSpec(kind="answer"),))
    agent = make_agent(config, problem, turn=turn, files=blobs, services=AgentServices())
    journal, clock = RecordingJournal(), ManualClock()
    assignment = Assignment(
        trial="s/c/1/t",
        instruction="",
        sandbox=None,
        limits=Limits(),
        journal=journal,
        clock=clock,
    )
    return await agent.work(assignment), assignment, journal, clock


async def answer_of(script: str, *, task: str = "t", turn: Turn = FIRST) -> str | None:
    _, assignment, _, _ = await follow(script, task=task, turn=turn)
    return assignment.submission.answer


async def test_script_takes_its_steps_in_order_and_then_is_done() -> None:
    end, assignment, journal, clock = await follow(
        """
        steps:
          - say: Let me think.
          - wait: 2.5
          - submit: first
          - submit: "-3"
        """
    )

    assert end == AgentEnd(reason=Reason.COMPLETED)
    assert assignment.submission.answer == "-3"
    assert clock.sleeps == [2.5]
    assert [tool.request.name for tool in journal.tools] == ["say", "submit", "submit"]
    assert json.loads(journal.tools[0].request.input) == {"text": "Let me think."}
    assert journal.calls == []


@pytest.mark.parametrize(
    ("written", "read"),
    [
        ("42", "42"),
        ("1.10", "1.10"),
        ("007", "007"),
        ("NO", "NO"),
        ("true", "true"),
        ('""', ""),
        ('"a\\0b"', "a\0b"),
        ("'multi word'", "multi word"),
    ],
)
async def test_script_submits_an_answer_as_it_is_written(written: str, read: str) -> None:
    assert await answer_of(f"steps: [{{submit: {written}}}]") == read


async def test_script_in_json_is_a_script() -> None:
    assert await answer_of(json.dumps({"steps": [{"submit": "4"}]})) == "4"


async def test_script_takes_the_first_case_that_fits() -> None:
    script = """
        cases:
          - {task: sums/1, repeat: 2, attempt: 1, steps: [{submit: second}]}
          - {task: sums/1, attempt: 2, steps: [{submit: again}]}
          - {task: "sums/*", steps: [{submit: any sum}]}
        steps: [{submit: else}]
        """

    assert await answer_of(script, task="sums/1") == "any sum"
    assert await answer_of(script, task="sums/1", turn=Turn(repeat=2, attempt=1)) == "second"
    assert await answer_of(script, task="sums/1", turn=Turn(repeat=2, attempt=2)) == "again"
    assert await answer_of(script, task="sums/9") == "any sum"
    assert await answer_of(script, task="words/1") == "else"


async def test_script_case_with_the_exact_id_fits_where_the_id_holds_pattern_signs() -> None:
    assert await answer_of("cases: [{task: 'a[1]', steps: [{submit: x}]}]", task="a[1]") == "x"


async def test_script_that_says_nothing_of_an_attempt_is_an_infrastructure_error() -> None:
    with pytest.raises(InfrastructureError, match="no steps for s/c/1/t") as caught:
        await follow("cases: [{task: other, steps: []}]")

    assert caught.value.reason == Reason.AGENT_REPORTED_ERROR


@pytest.mark.parametrize("reason", [r for r in Reason if r.retried])
async def test_script_fails_with_the_infrastructure_error_that_it_names(reason: Reason) -> None:
    with pytest.raises(InfrastructureError, match="half past") as caught:
        await follow(f"steps: [{{fail: {reason}, message: half past}}]")

    assert caught.value.reason == reason


@pytest.mark.parametrize("reason", [r for r in Reason if r.opens_breaker])
async def test_script_fails_with_the_breaker_that_it_names(reason: Reason) -> None:
    with pytest.raises(BreakerError) as caught:
        await follow(f"steps: [{{fail: {reason}}}]")

    assert caught.value.reason == reason


@pytest.mark.parametrize("reason", [r for r in Reason if r.graded])
async def test_script_ends_at_the_limit_that_it_names_and_takes_no_step_after_it(
    reason: Reason,
) -> None:
    end, assignment, _, _ = await follow(
        f"steps: [{{submit: '1'}}, {{end: {reason}, message: so}}, {{submit: '2'}}]"
    )

    assert end == AgentEnd(reason=reason, detail="so")
    assert assignment.submission.answer == "1"


async def test_script_with_a_command_where_there_is_no_sandbox_says_so() -> None:
    with pytest.raises(InfrastructureError, match="no sandbox"):
        await follow("steps: [{run: echo hi}]")


@pytest.mark.parametrize(
    ("script", "told"),
    [
        ("steps:\n  - submt: 42", "steps.yaml:2: unknown key 'steps.0.submt'"),
        ("steps:\n  - {}", "steps.yaml:2: steps.0: a step does exactly one of"),
        ("steps:\n  - run: a\n    submit: b", "exactly one of"),
        ("steps:\n  - submit: ~", "exactly one of"),
        ("steps:\n  - argv: []", "exactly one of"),
        ("steps:\n  - write: a\n    seconds: 3", "seconds does not belong to write"),
        ("steps:\n\n  - fail: completed", "steps.yaml:3: steps.0.fail: 'completed' cannot stand"),
        ("steps:\n  - fail: budget", "'budget' cannot stand"),
        ("steps:\n  - end: rate_limited", "'rate_limited' cannot stand"),
        ("steps:\n  - end: done", "steps.yaml:2"),
        ("steps:\n  - wait: -1", "steps.yaml:2: steps.0.wait"),
        ("steps:\n  - run: a\n    seconds: 0", "steps.yaml:3: steps.0.seconds"),
        ("cases:\n  - {repeat: 0, steps: []}", "steps.yaml:2: cases.0.repeat"),
        ("cases: []", "a script has `steps`, `cases` or both"),
        ("- submit: x", "not a map"),
        ("", "empty"),
        ("steps: [", "steps.yaml:1"),
        ("steps: []\nsteps: []", "duplicate key 'steps'"),
    ],
)
async def test_script_with_a_mistake_is_refused_with_its_line(script: str, told: str) -> None:
    with pytest.raises(SuiteFileError) as caught:
        await follow(script)

    assert caught.value.message.startswith("steps.yaml:")
    assert told in caught.value.message


def test_script_that_is_no_text_is_refused() -> None:
    blobs = Blobs(FileContent(path="steps.yaml", data=b"\xff\xfe\0"))
    config = Config(
        name="replay", agent="scripted", settings={"script": "steps.yaml"}, files=blobs.tree
    )
    task = Task(id="t", instruction="", graders=())

    with pytest.raises(SuiteFileError, match=r"steps\.yaml is not UTF-8"):
        make_agent(config, task, turn=FIRST, files=blobs, services=AgentServices())


def test_script_that_was_not_shipped_is_not_found() -> None:
    config = Config(name="replay", agent="scripted", settings={"script": "steps.yaml"})
    task = Task(id="t", instruction="", graders=())

    with pytest.raises(NotFoundError, match=r"configuration replay: there is no file steps\.yaml"):
        make_agent(config, task, turn=FIRST, files=Blobs(), services=AgentServices())
