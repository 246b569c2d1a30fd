"""A task's graders and how their verdicts become one."""

from __future__ import annotations

from contextlib import AbstractAsyncContextManager

import pytest
from hypothesis import given
from hypothesis import strategies as st

from graders import GRADERS, combine, make_graders, needs_answer
from runner.domain import FileContent, GraderSpec, Reason, Task, Verdict, WorkProduct
from runner.errors import GraderError, UsageError
from runner.sandbox import Sandbox


def verdict(score: float, passed: bool | None = None, reason: Reason | None = None) -> Verdict:
    return Verdict(
        grader="g",
        passed=score >= 1 if passed is None else passed,
        score=score,
        explanation="e",
        reason=reason,
    )


class NoBench:
    """Refuses to open a sandbox: no grader here may want one."""

    def open(self) -> AbstractAsyncContextManager[Sandbox]:
        raise AssertionError("a sandbox was opened")

    def tests(self) -> tuple[FileContent, ...]:
        raise AssertionError("hidden tests were read")


def make_task(*graders: GraderSpec, expect: str | None = None) -> Task:
    return Task(id="t", instruction="i", graders=graders, expect=expect)


def test_all_must_pass_and_the_score_is_the_mean() -> None:
    assert combine([verdict(1), verdict(1)], 1.0) == (True, 1.0, None)
    assert combine([verdict(1), verdict(0)], 1.0) == (False, 0.5, None)
    assert combine([verdict(1), verdict(0)], 0.5) == (False, 0.5, None)


def test_halves_never_add_up_to_a_success() -> None:
    trials = [combine([verdict(score, score > 0.99)], 1.0) for score in (0.5, 0.5, 1.0, 0.9999999)]

    assert sum(trial.passed for trial in trials) == 2
    assert sum(trial.score for trial in trials) / 4 == pytest.approx(0.75)


def test_own_reason_of_the_first_grader_that_has_one_is_kept() -> None:
    verdicts = [verdict(1), verdict(0, reason=Reason.TEST_TIMEOUT), verdict(0)]

    assert combine(verdicts, 1.0).reason is Reason.TEST_TIMEOUT


@pytest.mark.parametrize("score", [float("nan"), float("inf"), -0.1, 1.1])
def test_score_that_is_no_number_within_0_and_1_is_a_bad_reward(score: float) -> None:
    with pytest.raises(GraderError) as caught:
        combine([verdict(1), verdict(score)], 1.0)

    assert caught.value.reason == Reason.BAD_REWARD


def test_no_verdict_cannot_be_combined() -> None:
    with pytest.raises(ValueError, match="no verdict"):
        combine([], 1.0)


@given(
    st.lists(st.floats(0, 1), min_size=1, max_size=9),
    st.floats(0, 1),
)
def test_combined_score_lies_between_the_lowest_and_the_highest(
    scores: list[float], bar: float
) -> None:
    combined = combine([verdict(score, score >= bar) for score in scores], bar)

    assert min(scores) - 1e-12 <= combined.score <= max(scores) + 1e-12
    assert combined.passed == all(score >= bar for score in scores)


async def test_task_with_several_graders_gets_each_under_a_name_of_its_own() -> None:
    task = make_task(
        GraderSpec(kind="answer", settings={"expect": "5", "match": "number"}),
        GraderSpec(kind="answer", settings={"expect": "five", "match": "exact"}),
        GraderSpec(kind="answer", settings={"expect": "5"}),
    )

    graders = make_graders(task)
    verdicts = [await g.grade(task, WorkProduct(answer="5"), NoBench()) for g in graders]

    assert [(v.grader, v.passed) for v in verdicts] == [
        ("answer", True),
        ("answer-2", False),
        ("answer-3", True),
    ]


def test_unknown_kind_is_refused_with_the_kinds_that_there_are() -> None:
    with pytest.raises(UsageError) as caught:
        make_graders(make_task(GraderSpec(kind="oracle")))

    assert "'oracle'" in caught.value.message
    assert caught.value.hint == "Use one of answer, script."


def test_settings_that_this_version_does_not_know_are_refused() -> None:
    with pytest.raises(UsageError) as caught:
        make_graders(make_task(GraderSpec(kind="answer", settings={"expect": "5", "fuzzy": True})))

    assert "fuzzy" in caught.value.message


def test_only_tasks_with_an_answer_grader_need_an_answer() -> None:
    script = GraderSpec(kind="script", settings={"run": ["true"]})
    answer = GraderSpec(kind="answer", settings={"expect": "5"})

    assert needs_answer(make_task(script, answer))
    assert not needs_answer(make_task(script))


def test_only_graders_that_run_commands_say_so() -> None:
    settings = {
        "answer": {"expect": "5"},
        "script": {"run": ["true"]},
    }

    told = {
        name: kind.runs_commands(kind.settings.model_validate(settings[name]))
        for name, kind in GRADERS.items()
    }

    assert told == {"answer": False, "script": True}
