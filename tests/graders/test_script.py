"""The grader ``script`` in real sandboxes: what its ending, its reward and its tricks mean."""

from __future__ import annotations

import json
import time
from collections.abc import Mapping
from contextlib import AbstractAsyncContextManager
from dataclasses import dataclass
from types import MappingProxyType
from typing import Protocol

import pytest
from pydantic import ValidationError

from graders.script.grader import ScriptGrader
from graders.script.settings import ScriptSettings
from runner.domain import FileContent, Isolation, Reason, SandboxSpec, Task, Verdict, WorkProduct
from runner.errors import GraderError
from runner.sandbox import Sandbox, SandboxBackend, choose_backend


@dataclass(frozen=True)
class Bench:
    backend: SandboxBackend
    spec: SandboxSpec
    files: tuple[FileContent, ...]

    def open(self) -> AbstractAsyncContextManager[Sandbox]:
        return self.backend.open(self.spec, label="grading")

    def tests(self) -> tuple[FileContent, ...]:
        return self.files


TASK = Task(id="t/1 ü", instruction="Write it.", graders=(), expect="42")
NOTHING = WorkProduct(answer=None)


class Judge(Protocol):
    """Grades with a shell script that lies among the hidden tests."""

    async def __call__(
        self,
        script: str,
        *,
        work: WorkProduct = ...,
        tests: Mapping[str, str] = ...,
        task: Task = ...,
        settings: Mapping[str, object] = ...,
    ) -> Verdict: ...


@pytest.fixture(
    params=["process", pytest.param("bubblewrap", marks=pytest.mark.bubblewrap)], scope="session"
)
def backend(request: pytest.FixtureRequest) -> SandboxBackend:
    return choose_backend(SandboxSpec(isolation=Isolation.PREFERRED, backend=request.param))


@pytest.fixture
def judge(backend: SandboxBackend) -> Judge:
    async def grade(
        script: str,
        *,
        work: WorkProduct = NOTHING,
        tests: Mapping[str, str] = MappingProxyType({}),
        task: Task = TASK,
        settings: Mapping[str, object] = MappingProxyType({}),
    ) -> Verdict:
        files = {"grade.sh": script, **tests}
        bench = Bench(
            backend,
            task.sandbox,
            tuple(FileContent(path=path, data=text.encode()) for path, text in files.items()),
        )
        made = ScriptSettings.model_validate({"run": ["sh", "grade.sh"], **settings})
        return await ScriptGrader("script", made).grade(task, work, bench)

    return grade


@pytest.mark.parametrize(
    ("script", "passed", "score"),
    [
        ("exit 0", True, 1.0),
        ("exit 1", False, 0.0),
        ("echo 1 > $RUNNER_REWARD", True, 1.0),
        ("echo 0 > $RUNNER_REWARD", False, 0.0),
        ("printf 0.25 > $RUNNER_REWARD", False, 0.25),
        ("printf .5 > $RUNNER_REWARD", False, 0.5),
        ("printf 0.9999999 > $RUNNER_REWARD", True, 0.9999999),
        ("printf 1e-3 > $RUNNER_REWARD", False, 0.001),
        ("printf ' 1.0 \n' > $RUNNER_REWARD", True, 1.0),
        ("echo 0 > $RUNNER_REWARD; exit 1", False, 0.0),
        ("echo 1 > $RUNNER_REWARD; rm $RUNNER_REWARD; exit 1", False, 0.0),
    ],
)
async def test_script_ending_and_reward_give_the_verdict(
    judge: Judge, script: str, passed: bool, score: float
) -> None:
    verdict = await judge(script)

    assert (verdict.passed, verdict.score, verdict.reason) == (passed, score, None)


@pytest.mark.parametrize("content", ["nan", "", "1" * 100_000])
async def test_reward_that_is_no_number_within_0_and_1_is_a_bad_reward(
    judge: Judge, content: str
) -> None:
    with pytest.raises(GraderError) as caught:
        await judge("cat reward.txt > $RUNNER_REWARD", tests={"reward.txt": content})

    assert caught.value.reason == Reason.BAD_REWARD


@pytest.mark.parametrize("ending", ["exit 1", "exit 2", "exit 127", "kill -SEGV $$"])
async def test_reward_with_a_failing_exit_status_is_a_contradiction(
    judge: Judge, ending: str
) -> None:
    with pytest.raises(GraderError) as caught:
        await judge(f"echo 1 > $RUNNER_REWARD; {ending}")

    assert caught.value.reason == Reason.BAD_REWARD


@pytest.mark.parametrize(
    "ending",
    [
        "exit 127",
        "exit 126",
        "exit 2",
        "exit 255",
        "kill -SEGV $$",
        "kill -KILL $$",
        "echo 0 > $RUNNER_REWARD; exit 2",
        "echo 0 > $RUNNER_REWARD; kill -SEGV $$",
    ],
)
async def test_script_that_crashes_is_a_grader_error_and_never_a_fail(
    judge: Judge, ending: str
) -> None:
    with pytest.raises(GraderError) as caught:
        await judge(f"echo some words; {ending}")

    assert caught.value.reason == Reason.GRADER_ERROR
    assert "some words" in caught.value.message


async def test_program_that_is_not_there_is_a_grader_error(judge: Judge) -> None:
    with pytest.raises(GraderError) as caught:
        await judge("", settings={"run": ["no-such-program"]})

    assert caught.value.reason == Reason.GRADER_ERROR


@pytest.mark.parametrize("status", [0, 1])
async def test_script_that_must_write_a_reward_and_does_not_is_a_grader_error(
    judge: Judge, status: int
) -> None:
    with pytest.raises(GraderError) as caught:
        await judge(f"exit {status}", settings={"reward": "required"})

    assert caught.value.reason == Reason.GRADER_ERROR


@pytest.mark.parametrize(
    "trick",
    [
        "mkfifo $RUNNER_REWARD",
        "mkdir $RUNNER_REWARD",
        "ln -s /etc/passwd $RUNNER_REWARD",
        "ln -s $RUNNER_WORK/reward $RUNNER_REWARD",
        "ln -s nowhere $RUNNER_REWARD",
        "ln $RUNNER_WORK/reward $RUNNER_REWARD",
        "echo 0 > $RUNNER_REWARD.json",
        "echo 0 > $RUNNER_REWARD.json; echo 1 > $RUNNER_REWARD",
        "rm -r $(dirname $RUNNER_REWARD)",
        "rm -r $(dirname $RUNNER_REWARD); ln -s $RUNNER_WORK $(dirname $RUNNER_REWARD)",
        "rm -r $(dirname $RUNNER_REWARD); mkfifo $(dirname $RUNNER_REWARD)",
        'echo 1 > "$(dirname $RUNNER_REWARD)/a\nb"',
    ],
)
async def test_reward_that_is_no_plain_file_of_its_own_is_refused_without_hanging(
    judge: Judge,
    trick: str,
) -> None:
    work = WorkProduct(answer=None, files=(FileContent(path="reward", data=b"1"),))

    with pytest.raises(GraderError) as caught:
        await judge(f"{trick}; exit 0", work=work)

    assert caught.value.reason == Reason.BAD_REWARD


@pytest.mark.parametrize("path", ["reward", "reward.txt", "reward.json", "reward/reward"])
async def test_reward_planted_by_the_agent_is_never_read(judge: Judge, path: str) -> None:
    work = WorkProduct(answer="1", files=(FileContent(path=path, data=b"1"),))

    verdict = await judge("exit 1", work=work)

    assert (verdict.passed, verdict.score) == (False, 0.0)


async def test_script_finds_the_work_the_tests_the_answer_and_the_task_by_the_environment(
    judge: Judge,
) -> None:
    script = """
        cmp work.expected "$RUNNER_WORK/sub/made.txt" || exit 2
        cmp grade.sh "$RUNNER_TESTS/grade.sh" || exit 2
        [ "$(cat "$RUNNER_ANSWER")" = "forty-two é" ] || exit 2
        grep -q '"id": "t/1' "$RUNNER_TASK" || exit 2
        grep -q '"expect": "42"' "$RUNNER_TASK" || exit 2
        [ -x "$RUNNER_WORK/tool" ] && [ ! -x "$RUNNER_WORK/sub/made.txt" ] || exit 2
        [ -z "$(ls -A "$(dirname "$RUNNER_REWARD")")" ] || exit 2
    """
    work = WorkProduct(
        answer="forty-two é",
        files=(
            FileContent(path="sub/made.txt", data=b"made"),
            FileContent(path="tool", data=b"#!/bin/sh", executable=True),
        ),
    )

    verdict = await judge(script, work=work, tests={"work.expected": "made"})

    assert verdict.passed


async def test_work_without_answer_and_files_is_laid_out_empty(judge: Judge) -> None:
    script = '[ -z "${RUNNER_ANSWER+set}" ] && [ -z "$(ls -A "$RUNNER_WORK")" ] || exit 2'

    verdict = await judge(script, work=WorkProduct(answer=None, files=None))

    assert verdict.passed


async def test_files_that_the_agent_names_like_hidden_tests_replace_nothing(judge: Judge) -> None:
    work = WorkProduct(
        answer=None,
        files=(
            FileContent(path="grade.sh", data=b"exit 0"),
            FileContent(path="tests/grade.sh", data=b"exit 0"),
            FileContent(path="sh", data=b"#!/bin/sh\nexit 0", executable=True),
        ),
    )

    verdict = await judge("exit 1", work=work)

    assert not verdict.passed


async def test_script_that_runs_too_long_is_killed_and_the_trial_fails(judge: Judge) -> None:
    started = time.monotonic()

    verdict = await judge(
        "echo begun; echo 1 > $RUNNER_REWARD; sleep 999", settings={"seconds": 0.5}
    )

    assert (verdict.passed, verdict.score) == (False, 0.0)
    assert verdict.reason is Reason.TEST_TIMEOUT
    assert "begun" in verdict.explanation
    assert time.monotonic() - started < 20


async def test_background_child_holds_nothing_up(judge: Judge) -> None:
    started = time.monotonic()

    verdict = await judge("sleep 999 & echo 1 > $RUNNER_REWARD")

    assert verdict.passed
    assert time.monotonic() - started < 20


async def test_ten_megabytes_of_output_leave_their_end_in_the_explanation(judge: Judge) -> None:
    script = "head -c 10000000 /dev/zero | tr '\\0' x >&2; echo >&2; echo the end >&2; exit 1"

    verdict = await judge(script)

    assert not verdict.passed
    assert verdict.explanation.endswith("xxx\nthe end")
    assert len(verdict.explanation) < 10_000


async def test_explanation_names_the_command_its_ending_and_what_was_left_out(judge: Judge) -> None:
    work = WorkProduct(answer=None, files=(), left_out=(("link", "a symbolic link"),))

    verdict = await judge("echo seen; echo wrong >&2; exit 1", work=work)

    assert verdict.explanation == (
        "sh grade.sh ended with 1; score 0, passes at 1\n"
        "1 paths of the work were left out, first 'link' (a symbolic link)\n"
        "--- stdout ---\nseen\n--- stderr ---\nwrong"
    )


async def test_script_whose_memory_runs_out_gives_no_verdict_whatever_it_ends_with(
    judge: Judge,
) -> None:
    task = Task(
        id="t",
        instruction="i",
        graders=(),
        sandbox=SandboxSpec(memory_bytes=64 << 20, memory_ceiling_bytes=128 << 20),
    )

    with pytest.raises(GraderError) as caught:
        await judge("head -c 600000000 /dev/zero | tail -c 500000000 | wc -c; exit 0", task=task)

    assert caught.value.reason == Reason.GRADER_OOM


async def test_pass_at_decides_what_a_partial_reward_is(judge: Judge) -> None:
    task = Task(id="t", instruction="i", graders=(), pass_at=0.6)

    assert (await judge("echo 0.6 > $RUNNER_REWARD", task=task)).passed
    assert not (await judge("echo 0.59 > $RUNNER_REWARD", task=task)).passed


async def test_same_work_gives_the_same_verdict(judge: Judge) -> None:
    script = "echo here; echo 0.5 > $RUNNER_REWARD"

    assert await judge(script) == await judge(script)


@pytest.mark.parametrize(
    "settings",
    [
        {},
        {"run": []},
        {"run": "sh grade.sh"},
        {"run": ["a\0b"]},
        {"run": ["sh"], "second": 5},
        {"run": ["sh"], "seconds": 0},
        {"run": ["sh"], "seconds": -1},
        {"run": ["sh"], "seconds": 1e9},
        {"run": ["sh"], "seconds": "x"},
        {"run": ["sh"], "reward": "maybe"},
    ],
)
def test_script_settings_that_cannot_be_are_refused(settings: dict[str, object]) -> None:
    with pytest.raises(ValidationError):
        ScriptSettings.model_validate_json(json.dumps(settings), strict=True)
