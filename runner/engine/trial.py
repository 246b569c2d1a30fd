"""One attempt's life: the only place that sees sandbox, agent and grader together."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field, replace

import anyio
import anyio.lowlevel
import anyio.to_thread
from pydantic import TypeAdapter

from graders import Grader
from runner.agents import Agent, Assignment, Submission
from runner.domain import (
    AgentEnd,
    AttemptReport,
    BlobSource,
    Clock,
    Config,
    Ending,
    FileContent,
    FileTree,
    Journal,
    Limits,
    PhaseSeconds,
    Reason,
    Task,
    WorkProduct,
    contents_of,
)
from runner.engine.agent_time import TimedJournal, agent_time
from runner.engine.endings import foremost, out_of_memory, report_of
from runner.engine.grading import CleanBench, judge, setup_timeout
from runner.errors import LedgerError, SandboxError
from runner.sandbox import Sandbox, SandboxBackend

#: What of an agent's working directory is kept; more is left out and named.
MOST_BYTES = 64 << 20
MOST_FILES = 10_000
_LIMITS = TypeAdapter(Limits)


@dataclass(frozen=True, slots=True, kw_only=True)
class TrialWork:
    """All that one attempt needs.

    Attributes:
        label: The trial's name, unique in the ledger.
        make_agent: Makes a new agent; called once.
        backend: Where sandboxes come from; None where the task has no isolation.
        files: The bytes of the task's files and hidden tests.
    """

    task: Task
    config: Config
    label: str
    make_agent: Callable[[], Agent]
    graders: Sequence[Grader]
    backend: SandboxBackend | None
    files: BlobSource


async def carry_out(trial: TrialWork, *, journal: Journal, clock: Clock) -> AttemptReport:
    """Carry one attempt out and say how it went; touches the ledger only through the journal.

    When it returns or raises, everything that it opened is closed.

    Raises:
        LedgerError: If the journal cannot record, or the trial belongs to another process now.
    """
    attempt = _Attempt(trial, journal, clock)
    try:
        report = await attempt.run()
    except Exception as error:  # noqa: BLE001 - an attempt's edge: what nobody foresaw is ours
        decisive = foremost(error)
        if isinstance(decisive, LedgerError):
            raise decisive from None
        # What breaks while the attempt is being stopped is no ending of its own.
        await anyio.lowlevel.checkpoint_if_cancelled()
        report = attempt.ended_by(decisive)
    return replace(
        report,
        work=attempt.work,
        seconds=attempt.seconds,
        isolation="none" if trial.backend is None else trial.backend.name,
        flags=tuple(sorted(attempt.flags)),
    )


@dataclass(slots=True)
class _Attempt:
    """An attempt under way, and what is known of it whenever it breaks off."""

    trial: TrialWork
    journal: Journal
    clock: Clock
    seconds: PhaseSeconds = field(default_factory=PhaseSeconds)
    flags: set[str] = field(default_factory=set)
    oom_kills: int = 0
    work: WorkProduct | None = None

    async def run(self) -> AttemptReport:
        end, work = await self._in_sandbox()
        self.work = work
        if end.reason is Reason.TIME_LIMIT:
            self.flags.add("timed_out")
        return self._out_of_memory() if self.oom_kills else await self._graded(end, work)

    def ended_by(self, error: Exception) -> AttemptReport:
        """Say how it ended; a sandbox that broke after a kill for memory was out of memory."""
        if self.oom_kills and isinstance(error, SandboxError):
            return self._out_of_memory()
        return report_of(error)

    async def _in_sandbox(self) -> tuple[AgentEnd, WorkProduct]:
        """Let the agent work and take what it leaves; afterwards nothing of it is alive."""
        task, start = self.trial.task, self.clock.monotonic()
        if self.trial.backend is None:
            return await self._agent_works(None, start)
        with anyio.move_on_after(task.sandbox.setup_seconds) as setup:
            async with self.trial.backend.open(task.sandbox, label=self.trial.label) as sandbox:
                await sandbox.put(await _contents(task.files, self.trial.files))
                setup.deadline = math.inf
                try:
                    return await self._agent_works(sandbox, start)
                finally:
                    self.oom_kills = sandbox.oom_kills
        raise setup_timeout(task.sandbox)

    async def _agent_works(
        self, sandbox: Sandbox | None, start: float
    ) -> tuple[AgentEnd, WorkProduct]:
        agent, limits, submission = self.trial.make_agent(), _limits(self.trial), Submission()
        self.seconds = replace(self.seconds, setup=self.clock.monotonic() - start)
        stopped = f"The agent was stopped after {limits.agent_seconds:g} s of work."
        end = AgentEnd(reason=Reason.TIME_LIMIT, detail=stopped)  # unless it ends in time
        with agent_time(limits.agent_seconds, clock=self.clock) as time:
            assignment = Assignment(
                trial=self.trial.label,
                instruction=self.trial.task.instruction,
                sandbox=sandbox,
                limits=limits,
                journal=TimedJournal(self.journal, time=time),
                clock=self.clock,
                submission=submission,
            )
            try:
                own = await agent.work(assignment)
            finally:
                self.seconds = replace(self.seconds, agent=time.worked(), waiting=time.waited())
            end = end if time.over else own
        if not end.reason.graded:
            raise ValueError(f"the agent ended with {end.reason}, which no agent ends with")
        return end, await _take(submission, sandbox)

    async def _graded(self, end: AgentEnd, work: WorkProduct) -> AttemptReport:
        task, start = self.trial.task, self.clock.monotonic()
        try:
            bench = CleanBench(
                backend=self.trial.backend,
                spec=task.sandbox,
                label=f"{self.trial.label}-grading",
                hidden=await _contents(task.tests, self.trial.files),
            )
            judgement = await judge(task, work, end=end, graders=self.trial.graders, bench=bench)
        finally:
            self.seconds = replace(self.seconds, grading=self.clock.monotonic() - start)
        return AttemptReport(
            ending=Ending.FINISHED,
            reason=judgement.reason,
            outcome=judgement.outcome,
            score=judgement.score,
            verdicts=judgement.verdicts,
            detail=end.detail,
        )

    def _out_of_memory(self) -> AttemptReport:
        self.flags.add("oom")
        return out_of_memory(self.trial.task, kills=self.oom_kills)


def _limits(trial: TrialWork) -> Limits:
    """Lay the configuration's limits over the task's."""
    return _LIMITS.validate_python({**trial.task.limits.canonical(), **trial.config.limits})


async def _contents(tree: FileTree, source: BlobSource) -> tuple[FileContent, ...]:
    """Read a tree's files, off the event loop."""
    return await anyio.to_thread.run_sync(contents_of, tree, source) if tree else ()


async def _take(submission: Submission, sandbox: Sandbox | None) -> WorkProduct:
    if sandbox is None:
        return WorkProduct(answer=submission.answer)
    taken = await sandbox.take(most_bytes=MOST_BYTES, most_files=MOST_FILES)
    return WorkProduct(answer=submission.answer, files=taken.files, left_out=taken.left_out)
