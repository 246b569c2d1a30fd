"""What a grader is given and what it promises."""

from __future__ import annotations

from contextlib import AbstractAsyncContextManager
from typing import Protocol

from runner.domain import FileContent, Task, Verdict, WorkProduct
from runner.sandbox import Sandbox


class GradingBench(Protocol):
    """Clean places to judge in, opened only by graders that need one."""

    def open(self) -> AbstractAsyncContextManager[Sandbox]:
        """Open a second, clean sandbox with nothing in it, the agent's processes being dead."""
        ...

    def tests(self) -> tuple[FileContent, ...]:
        """Read the task's hidden test files."""
        ...


class Grader(Protocol):
    """Code that judges a work product."""

    async def grade(self, task: Task, work: WorkProduct, bench: GradingBench) -> Verdict:
        """Judge; the same work gives the same verdict.

        Raises:
            GraderError: If the grader crashed (``grader_error``), was killed for memory
                (``grader_oom``) or contradicts itself (``bad_reward``): never a fail.
        """
        ...
