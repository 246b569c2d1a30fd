"""From a work product to a verdict, in clean places, after the agent is gone."""

from __future__ import annotations

import math
from collections.abc import AsyncIterator, Sequence
from contextlib import asynccontextmanager
from dataclasses import dataclass

import anyio

from graders import Grader, combine, is_empty, needs_answer
from runner.domain import (
    AgentEnd,
    FileContent,
    Outcome,
    Reason,
    SandboxSpec,
    Task,
    Verdict,
    WorkProduct,
)
from runner.errors import GraderError, SandboxError
from runner.sandbox import Sandbox, SandboxBackend


@dataclass(frozen=True, slots=True, kw_only=True)
class Judgement:
    """What all graders say together."""

    outcome: Outcome
    reason: Reason
    score: float
    verdicts: tuple[Verdict, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class CleanBench:
    """A ``GradingBench`` whose sandboxes are made like the agent's, and hold nothing of it."""

    backend: SandboxBackend | None
    spec: SandboxSpec
    label: str
    hidden: tuple[FileContent, ...]

    @asynccontextmanager
    async def open(self) -> AsyncIterator[Sandbox]:
        """Open a clean sandbox.

        Raises:
            SandboxError: If it does not start, or not in time.
            GraderError: If the task has no sandbox, or this one broke for lack of memory.
        """
        if self.backend is None:
            msg = "a grader asks for a sandbox, and the task says `isolation: none`"
            raise GraderError(msg, reason=Reason.GRADER_ERROR, hint="Set `isolation: required`.")
        with anyio.move_on_after(self.spec.setup_seconds) as setup:
            async with self.backend.open(self.spec, label=self.label) as sandbox:
                setup.deadline = math.inf
                try:
                    yield sandbox
                except SandboxError as error:
                    if not sandbox.oom_kills:
                        raise
                    raise GraderError(error.message, reason=Reason.GRADER_OOM) from error
        if setup.cancelled_caught:
            raise setup_timeout(self.spec)

    def tests(self) -> tuple[FileContent, ...]:
        """Give the task's hidden test files."""
        return self.hidden


async def judge(
    task: Task, work: WorkProduct, *, end: AgentEnd, graders: Sequence[Grader], bench: CleanBench
) -> Judgement:
    """Let every grader judge; all must pass, the score is their mean.

    Where an answer is asked for and an agent ends by itself without one, that is a fail for the
    reason ``no_response``, whatever the graders say.

    Raises:
        GraderError: If a grader crashed or its verdict is none.
        SandboxError: If a clean place could not be had.
    """
    if not graders:
        raise GraderError(f"task {task.id} has no grader", reason=Reason.GRADER_ERROR)
    verdicts = tuple([await grader.grade(task, work, bench) for grader in graders])
    combined = combine(verdicts, task.pass_at)
    mute = needs_answer(task) and is_empty(work.answer)
    own = Reason.NO_RESPONSE if mute and end.reason is Reason.COMPLETED else end.reason
    passed = combined.passed and combined.reason is None and not mute
    return Judgement(
        outcome=Outcome.PASS if passed else Outcome.FAIL,
        reason=combined.reason or own,
        score=combined.score,
        verdicts=verdicts,
    )


def setup_timeout(spec: SandboxSpec) -> SandboxError:
    """Give the error of a sandbox that was not ready in time."""
    return SandboxError(
        f"the sandbox was not ready after {spec.setup_seconds:g} s",
        reason=Reason.SETUP_TIMEOUT,
        hint="Raise `sandbox.setup_seconds`, or run fewer trials at once.",
    )
