"""One attempt's life, without a sandbox: what each ending means, and what is kept of it."""

from __future__ import annotations

import math
from collections.abc import Awaitable, Callable
from dataclasses import dataclass, field, replace

import anyio
import pytest

from graders import Grader, GradingBench, make_graders
from runner.agents import Assignment
from runner.domain import (
    AgentEnd,
    AttemptReport,
    Config,
    Ending,
    GraderSpec,
    Isolation,
    Journal,
    JsonObject,
    Limits,
    Outcome,
    Reason,
    SandboxSpec,
    Task,
    Verdict,
    WorkProduct,
)
from runner.engine.clock import SystemClock
from runner.engine.trial import TrialWork, carry_out
from runner.errors import (
    BreakerError,
    BudgetReachedError,
    GraderError,
    LedgerError,
    OwnershipLostError,
    ProviderError,
    SandboxError,
)
from runner.testing.recording_journal import RecordingJournal

NO_LIMITS = Limits()
DONE = AgentEnd(reason=Reason.COMPLETED)


@dataclass
class Acts:
    """An agent that does what it is made with."""

    act: Callable[[Assignment], Awaitable[AgentEnd]]

    async def work(self, assignment: Assignment) -> AgentEnd:
        return await self.act(assignment)


@dataclass
class Says:
    """A grader that says what it is made with and notes what it saw."""

    passed: bool = True
    score: float = 1.0
    reason: Reason | None = None
    name: str = "says"
    seen: list[WorkProduct] = field(default_factory=list)

    async def grade(self, task: Task, work: WorkProduct, bench: GradingBench) -> Verdict:
        self.seen.append(work)
        return Verdict(
            grader=self.name,
            passed=self.passed,
            score=self.score,
            explanation="as told",
            reason=self.reason,
        )


@dataclass
class Raises:
    """A grader that raises."""

    error: Exception

    async def grade(self, task: Task, work: WorkProduct, bench: GradingBench) -> Verdict:
        raise self.error


class OpensSandbox:
    """A grader that wants a clean place."""

    async def grade(self, task: Task, work: WorkProduct, bench: GradingBench) -> Verdict:
        async with bench.open():
            raise AssertionError("there is no sandbox to open")


class NoBlobs:
    def read(self, digest: str) -> bytes:
        raise KeyError(digest)


async def carry(
    act: Callable[[Assignment], Awaitable[AgentEnd]],
    *graders: Grader,
    expect: str | None = None,
    only_these: bool = False,
    limits: Limits = NO_LIMITS,
    config_limits: JsonObject | None = None,
    journal: Journal | None = None,
) -> AttemptReport:
    answer = GraderSpec(kind="answer", settings={"expect": expect})
    task = Task(
        id="t",
        instruction="Do it.\n",
        graders=() if expect is None else (answer,),
        limits=limits,
        sandbox=SandboxSpec(isolation=Isolation.NONE),
    )
    trial = TrialWork(
        task=task,
        config=Config(name="c", agent="test", limits=config_limits or {}),
        label="trial 7",
        make_agent=lambda: Acts(act),
        graders=graders if only_these else [*graders, *make_graders(task)] or [Says()],
        backend=None,
        files=NoBlobs(),
    )
    return await carry_out(trial, journal=journal or RecordingJournal(), clock=SystemClock())


async def completes(assignment: Assignment) -> AgentEnd:
    return DONE


def answering(
    answer: str, reason: Reason = Reason.COMPLETED
) -> Callable[[Assignment], Awaitable[AgentEnd]]:
    async def act(assignment: Assignment) -> AgentEnd:
        assignment.submission.submit(answer)
        return AgentEnd(reason=reason, detail="as told")

    return act


def ending(reason: Reason) -> Callable[[Assignment], Awaitable[AgentEnd]]:
    async def act(assignment: Assignment) -> AgentEnd:
        return AgentEnd(reason=reason)

    return act


def raising(error: BaseException) -> Callable[[Assignment], Awaitable[AgentEnd]]:
    async def act(assignment: Assignment) -> AgentEnd:
        raise error

    return act


# What is graded


async def test_trial_completed_takes_the_graders_verdict() -> None:
    grader = Says(passed=True, score=1.0)

    report = await carry(answering("42"), grader)

    assert (report.ending, report.outcome, report.reason) == (
        Ending.FINISHED,
        Outcome.PASS,
        Reason.COMPLETED,
    )
    assert report.score == 1.0
    assert report.work == WorkProduct(answer="42") == grader.seen[0]
    assert report.verdicts[0].explanation == "as told"
    assert report.isolation == "none"
    assert report.flags == ()


async def test_trial_passes_only_if_all_graders_pass_and_scores_their_mean() -> None:
    report = await carry(
        answering("x"), Says(score=1.0), Says(passed=False, score=0.25), Says(score=1.0)
    )

    assert report.outcome is Outcome.FAIL
    assert report.score == 0.75
    assert len(report.verdicts) == 3


OWN_LIMITS = [r for r in Reason if r.graded and r is not Reason.COMPLETED]


@pytest.mark.parametrize("reason", OWN_LIMITS)
async def test_trial_ended_by_a_limit_of_the_agents_own_is_judged_by_graders_of_the_state(
    reason: Reason,
) -> None:
    report = await carry(ending(reason), Says(passed=True))

    assert (report.ending, report.outcome, report.reason) == (
        Ending.FINISHED,
        Outcome.PASS,
        reason,
    )


@pytest.mark.parametrize("reason", OWN_LIMITS)
async def test_trial_ended_by_a_limit_without_an_answer_fails_its_answer_grader(
    reason: Reason,
) -> None:
    report = await carry(ending(reason), expect="42")

    assert (report.outcome, report.reason, report.score) == (Outcome.FAIL, reason, 0.0)
    assert report.verdicts[0].grader == "answer"


async def test_trial_ended_by_a_limit_after_an_answer_lets_the_answer_count() -> None:
    report = await carry(answering("42", Reason.MAX_STEPS), expect="42")

    assert (report.outcome, report.reason) == (Outcome.PASS, Reason.MAX_STEPS)
    assert report.detail == "as told"


@pytest.mark.parametrize("answer", ["", " ", "\n\t ", "\u00a0\u2003", "."])
async def test_trial_with_an_empty_answer_is_no_response_and_fails(answer: str) -> None:
    report = await carry(answering(answer), expect="42")

    assert (report.outcome, report.reason) == (Outcome.FAIL, Reason.NO_RESPONSE)


async def test_trial_without_any_answer_is_no_response() -> None:
    report = await carry(completes, expect="42")

    assert (report.outcome, report.reason) == (Outcome.FAIL, Reason.NO_RESPONSE)


async def test_trial_without_any_answer_fails_though_its_grader_may_like_silence() -> None:
    report = await carry(completes, Says(passed=True), expect="42", only_these=True)

    assert (report.outcome, report.reason) == (Outcome.FAIL, Reason.NO_RESPONSE)


async def test_trial_without_an_answer_where_none_is_asked_for_is_complete() -> None:
    report = await carry(completes, Says(passed=True))

    assert (report.outcome, report.reason) == (Outcome.PASS, Reason.COMPLETED)


async def test_trial_without_an_answer_still_lets_graders_of_the_state_judge() -> None:
    state = Says(passed=True)

    report = await carry(completes, state, expect="42")

    assert (report.outcome, report.reason) == (Outcome.FAIL, Reason.NO_RESPONSE)
    assert [v.passed for v in report.verdicts] == [True, False]
    assert len(state.seen) == 1


@pytest.mark.parametrize("answer", ["a\0b", "\ud800 half", "é" * 10_000_000, "[red]\x1b[31m"])
async def test_trial_keeps_any_text_as_it_was_submitted(answer: str) -> None:
    report = await carry(answering(answer), expect="42")

    assert (report.ending, report.outcome) == (Ending.FINISHED, Outcome.FAIL)
    assert report.work is not None
    assert report.work.answer == answer


async def test_trial_counts_the_last_answer() -> None:
    async def act(assignment: Assignment) -> AgentEnd:
        assignment.submission.submit("first")
        assignment.submission.submit("second")
        return DONE

    report = await carry(act)

    assert report.work == WorkProduct(answer="second")


@pytest.mark.parametrize("reason", [Reason.TAMPERED, Reason.TEST_TIMEOUT])
async def test_trial_that_a_grader_fails_out_of_hand_has_the_graders_reason(
    reason: Reason,
) -> None:
    report = await carry(completes, Says(passed=True, reason=reason))

    assert (report.outcome, report.reason) == (Outcome.FAIL, reason)


# What the agent is given


async def test_trial_gives_the_agent_its_task_and_the_configurations_limits_over_the_tasks() -> (
    None
):
    given: list[Assignment] = []

    async def act(assignment: Assignment) -> AgentEnd:
        given.append(assignment)
        return DONE

    await carry(
        act,
        limits=Limits(steps=30, output_tokens=4000, agent_seconds=60.0),
        config_limits={"steps": 10, "agent_seconds": 5, "output_tokens": None},
    )

    assert given[0].instruction == "Do it.\n"
    assert given[0].trial == "trial 7"
    assert given[0].sandbox is None
    assert given[0].limits == Limits(steps=10, output_tokens=None, agent_seconds=5.0)


# Time


async def test_trial_over_its_time_is_stopped_and_the_answer_of_before_counts() -> None:
    async def act(assignment: Assignment) -> AgentEnd:
        assignment.submission.submit("42")
        await anyio.sleep_forever()
        raise AssertionError("unreachable")

    with anyio.fail_after(10):
        report = await carry(act, expect="42", limits=Limits(agent_seconds=0.05))

    assert (report.ending, report.outcome, report.reason) == (
        Ending.FINISHED,
        Outcome.PASS,
        Reason.TIME_LIMIT,
    )
    assert report.flags == ("timed_out",)
    assert report.detail == "The agent was stopped after 0.05 s of work."
    assert report.seconds.agent == pytest.approx(0.05, abs=0.5)


async def test_trial_over_its_time_is_over_also_where_the_agent_makes_light_of_it() -> None:
    async def act(assignment: Assignment) -> AgentEnd:
        try:
            await anyio.sleep_forever()
        except anyio.get_cancelled_exc_class():
            return DONE
        raise AssertionError("unreachable")

    report = await carry(act, limits=Limits(agent_seconds=0.05))

    assert report.reason is Reason.TIME_LIMIT


async def test_trial_that_says_itself_that_time_is_up_is_flagged_too() -> None:
    report = await carry(ending(Reason.TIME_LIMIT))

    assert report.flags == ("timed_out",)


async def test_trial_tells_its_seconds_by_phase() -> None:
    report = await carry(completes)

    seconds = report.seconds
    assert seconds.setup is not None
    assert seconds.agent is not None
    assert seconds.waiting == 0.0
    assert seconds.grading is not None


async def test_trial_that_broke_off_has_no_seconds_for_what_it_did_not_reach() -> None:
    report = await carry(raising(ProviderError("gone", reason="api_error")))

    assert report.seconds.agent is not None
    assert report.seconds.grading is None


# Infrastructure errors, breakers, budgets


@pytest.mark.parametrize(
    ("error", "reason"),
    [
        (ProviderError("429 for ever", reason="rate_limited"), Reason.RATE_LIMITED),
        (ProviderError("529", reason="overloaded"), Reason.OVERLOADED),
        (SandboxError("init died", reason="sandbox_start"), Reason.SANDBOX_START),
    ],
)
async def test_trial_met_by_an_infrastructure_error_is_none_of_the_agents_fault(
    error: Exception, reason: Reason
) -> None:
    grader = Says()

    report = await carry(raising(error), grader)

    assert (report.ending, report.outcome, report.reason) == (
        Ending.INFRA_ERROR,
        Outcome.INFRA_ERROR,
        reason,
    )
    assert report.score is None
    assert report.verdicts == ()
    assert report.detail == str(error)
    assert grader.seen == []


@pytest.mark.parametrize("reason", ["auth", "no_credit", "forbidden"])
async def test_trial_met_by_a_breaker_is_interrupted_and_stays_open(reason: str) -> None:
    report = await carry(raising(BreakerError("no", reason=reason, hint="Check the key.")))

    assert (report.ending, report.outcome, report.reason) == (
        Ending.INTERRUPTED,
        None,
        Reason(reason),
    )
    assert report.detail == "no (Check the key.)"


async def test_trial_that_the_budget_does_not_hold_is_interrupted() -> None:
    report = await carry(raising(BudgetReachedError("$0.10 is left", call_nusd=1)))

    assert (report.ending, report.outcome, report.reason) == (
        Ending.INTERRUPTED,
        None,
        Reason.BUDGET,
    )


async def test_trial_with_an_error_that_nobody_foresaw_is_ours_and_says_where() -> None:
    async def act(assignment: Assignment) -> AgentEnd:
        return {"completed": DONE}["compelted"]

    report = await carry(act)

    assert (report.ending, report.outcome, report.reason) == (
        Ending.INFRA_ERROR,
        Outcome.INFRA_ERROR,
        Reason.UNFORESEEN,
    )
    assert report.detail is not None
    assert report.detail.startswith("KeyError: 'compelted'\n")
    assert 'return {"completed": DONE}["compelted"]' in report.detail
    assert len(report.detail) < 10_000


async def test_trial_with_an_unforeseen_error_of_10_mb_keeps_a_short_detail() -> None:
    report = await carry(raising(RuntimeError("x" * 10_000_000)))

    assert report.reason is Reason.UNFORESEEN
    assert report.detail is not None
    assert len(report.detail) < 10_000


@pytest.mark.parametrize("reason", [r for r in Reason if not r.graded], ids=str)
async def test_trial_whose_agent_ends_with_a_reason_that_is_none_of_an_agents_is_unforeseen(
    reason: Reason,
) -> None:
    report = await carry(ending(reason))

    assert report.reason is Reason.UNFORESEEN
    assert report.detail is not None
    assert reason in report.detail


async def test_trial_with_errors_in_parallel_tasks_is_ended_by_the_gravest() -> None:
    errors = ExceptionGroup(
        "tools",
        [
            ValueError("a bug"),
            ExceptionGroup("deeper", [BreakerError("dead key", reason="auth")]),
            ProviderError("429", reason="rate_limited"),
        ],
    )

    report = await carry(raising(errors))

    assert (report.ending, report.reason) == (Ending.INTERRUPTED, Reason.AUTH)


async def test_trial_with_one_error_in_a_group_tells_that_error() -> None:
    report = await carry(raising(ExceptionGroup("tasks", [ValueError("a bug")])))

    assert report.detail is not None
    assert report.detail.startswith("ValueError: a bug\n")


# Graders that go wrong


async def test_trial_whose_grader_crashed_is_an_infrastructure_error_that_keeps_the_work() -> None:
    report = await carry(answering("42"), Raises(GraderError("SIGSEGV", reason="grader_error")))

    assert (report.ending, report.reason) == (Ending.INFRA_ERROR, Reason.GRADER_ERROR)
    assert report.work == WorkProduct(answer="42")
    assert report.seconds.grading is not None


async def test_trial_whose_grader_left_a_note_keeps_it() -> None:
    error = GraderError("exit 127", reason="grader_error", hint="Correct it.")
    error.add_note("stderr: not found")

    report = await carry(answering("42"), Raises(error))

    assert report.detail == "exit 127 (Correct it.)\nstderr: not found"


async def test_trial_whose_grader_has_a_bug_is_no_fail() -> None:
    report = await carry(answering("42"), Raises(ZeroDivisionError("a bug")))

    assert (report.ending, report.reason) == (Ending.INFRA_ERROR, Reason.UNFORESEEN)


@pytest.mark.parametrize("score", [math.nan, math.inf, -0.1, 1.1])
async def test_trial_with_a_score_that_is_none_is_a_bad_reward(score: float) -> None:
    report = await carry(completes, Says(score=score))

    assert (report.ending, report.reason) == (Ending.INFRA_ERROR, Reason.BAD_REWARD)
    assert report.score is None


async def test_trial_whose_grader_wants_a_sandbox_where_there_is_none_is_a_grader_error() -> None:
    report = await carry(completes, OpensSandbox())

    assert report.reason is Reason.GRADER_ERROR
    assert report.detail is not None
    assert "isolation: none" in report.detail


# What goes through


@pytest.mark.parametrize("error", [OwnershipLostError("fence 3 < 4"), LedgerError("disk full")])
@pytest.mark.parametrize("wrapped", [False, True])
async def test_trial_whose_journal_cannot_record_raises_that(
    error: LedgerError, wrapped: bool
) -> None:
    raised = ExceptionGroup("tasks", [ValueError("a bug"), error]) if wrapped else error

    with pytest.raises(type(error)) as caught:
        await carry(raising(raised))

    assert caught.value is error


async def test_trial_cancelled_from_outside_gives_no_report() -> None:
    reports: list[AttemptReport] = []

    async def launch() -> None:
        reports.append(await carry(act))

    working = anyio.Event()

    async def act(assignment: Assignment) -> AgentEnd:
        working.set()
        await anyio.sleep_forever()
        return DONE

    async with anyio.create_task_group() as group:
        group.start_soon(launch)
        await working.wait()
        group.cancel_scope.cancel()

    assert reports == []


async def test_trial_that_breaks_while_it_is_stopped_gives_no_report() -> None:
    reports: list[AttemptReport] = []
    working = anyio.Event()

    async def act(assignment: Assignment) -> AgentEnd:
        try:
            working.set()
            await anyio.sleep_forever()
        finally:
            raise RuntimeError("a bug in the clean-up")

    async def launch() -> None:
        reports.append(await carry(act))

    async with anyio.create_task_group() as group:
        group.start_soon(launch)
        await working.wait()
        group.cancel_scope.cancel()

    assert reports == []


async def test_trial_makes_its_agent_once() -> None:
    made: list[Acts] = []

    def make() -> Acts:
        made.append(Acts(completes))
        return made[-1]

    task = Task(id="t", instruction="", graders=(), sandbox=SandboxSpec(isolation=Isolation.NONE))
    trial = TrialWork(
        task=task,
        config=Config(name="c", agent="test"),
        label="trial 1",
        make_agent=make,
        graders=(Says(),),
        backend=None,
        files=NoBlobs(),
    )

    await carry_out(trial, journal=RecordingJournal(), clock=SystemClock())
    await carry_out(replace(trial, graders=()), journal=RecordingJournal(), clock=SystemClock())

    assert len(made) == 2
    assert made[0] is not made[1]


async def test_trial_without_a_grader_never_passes() -> None:
    task = Task(id="t", instruction="", graders=(), sandbox=SandboxSpec(isolation=Isolation.NONE))
    trial = TrialWork(
        task=task,
        config=Config(name="c", agent="test"),
        label="trial 1",
        make_agent=lambda: Acts(completes),
        graders=(),
        backend=None,
        files=NoBlobs(),
    )

    report = await carry_out(trial, journal=RecordingJournal(), clock=SystemClock())

    assert report.reason is Reason.GRADER_ERROR
