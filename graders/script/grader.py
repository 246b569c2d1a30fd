"""Runs a task author's program on what the agent left, and reads its verdict."""

from __future__ import annotations

import shlex
from dataclasses import dataclass

from graders.protocol import GradingBench
from graders.script.layout import TESTS, Layout
from graders.script.reward import parse_reward, score_of
from graders.script.settings import ScriptSettings
from graders.verdicts import reaches
from runner.domain import Reason, Task, Verdict, WorkProduct
from runner.errors import GraderError
from runner.sandbox import Command, CommandResult, Sandbox

#: So much of the end of what a script wrote is kept in the explanation.
TAIL_CHARACTERS = 4000


@dataclass(frozen=True, slots=True)
class ScriptGrader:
    """Judges by the exit status and the reward file of a script in a sandbox of its own."""

    name: str
    settings: ScriptSettings

    async def grade(self, task: Task, work: WorkProduct, bench: GradingBench) -> Verdict:
        """Judge in a clean sandbox; what the agent left there is only data."""
        async with bench.open() as sandbox:
            layout = await Layout.make(sandbox, task=task, work=work, tests=bench.tests())
            kills = sandbox.oom_kills
            result = await self._run(sandbox, layout)
            if sandbox.oom_kills > kills:
                raise GraderError(
                    f"the grading script's memory ran out{_tail(result)}",
                    reason=Reason.GRADER_OOM,
                    hint="Raise the task's memory_ceiling, or let the script use less.",
                )
            if result.timed_out or result.exit is None:
                return self._timed_out(result)
            try:
                score = await self._score(sandbox, layout, result.exit)
            except GraderError as error:
                raise GraderError(
                    error.message + _tail(result), reason=error.reason, hint=error.hint
                ) from error
        return self._judged(score, result, bar=task.pass_at, left_out=work.left_out)

    async def _run(self, sandbox: Sandbox, layout: Layout) -> CommandResult:
        return await sandbox.run(
            Command(
                argv=self.settings.run,
                seconds=self.settings.seconds,
                environment=layout.environment(),
                directory=TESTS,
            )
        )

    async def _score(self, sandbox: Sandbox, layout: Layout, exit_status: int) -> float:
        data = await layout.read_reward(sandbox)
        reward = None if data is None else parse_reward(data)
        return score_of(exit_status, reward, required=self.settings.reward == "required")

    def _timed_out(self, result: CommandResult) -> Verdict:
        told = f"{self._command()} was still running after {self.settings.seconds:g} s"
        return Verdict(
            grader=self.name,
            passed=False,
            score=0.0,
            explanation=told + _tail(result),
            reason=Reason.TEST_TIMEOUT,
        )

    def _judged(
        self,
        score: float,
        result: CommandResult,
        *,
        bar: float,
        left_out: tuple[tuple[str, str], ...],
    ) -> Verdict:
        told = f"{self._command()} ended with {result.exit}; score {score:g}, passes at {bar:g}"
        if left_out:
            path, why = left_out[0]
            told += f"\n{len(left_out)} paths of the work were left out, first {path!r} ({why})"
        return Verdict(
            grader=self.name,
            passed=reaches(score, bar),
            score=score,
            explanation=told + _tail(result),
        )

    def _command(self) -> str:
        command = shlex.join(self.settings.run)
        return command if len(command) <= 200 else f"{command[:200]}…"


def _tail(result: CommandResult) -> str:
    """Give the end of what the script wrote, stderr last."""
    parts = [
        f"\n--- {name} ---\n{_end_of(output)}"
        for name, output in (("stdout", result.stdout), ("stderr", result.stderr))
        if output
    ]
    if result.cut_bytes:
        parts.append(f"\n({result.cut_bytes} more bytes of output were not kept)")
    return "".join(parts)


def _end_of(output: bytes) -> str:
    text = output[-4 * TAIL_CHARACTERS :].decode(errors="replace")[-TAIL_CHARACTERS:].rstrip("\n")
    return f"…{text}" if len(output) > len(text.encode()) + 1 else text
