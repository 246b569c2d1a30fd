"""What an agent is given and what it promises."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Protocol

from runner.domain import AgentEnd, Clock, Journal, Limits
from runner.sandbox import Sandbox


@dataclass(slots=True, kw_only=True)
class Submission:
    """Where an agent's answer lands; it stays when a limit stops the agent afterwards."""

    answer: str | None = None

    def submit(self, answer: str) -> None:
        """Hand in an answer; the last one counts."""
        self.answer = answer


@dataclass(frozen=True, slots=True, kw_only=True)
class Assignment:
    """One attempt's work, as the agent sees it.

    Attributes:
        trial: A name for this trial, unique in the ledger, to tell parallel trials apart.
        instruction: Stands verbatim in the first user message.
        sandbox: Where tools run; None where the task has no isolation, and then no tool runs.
        limits: The task's limits with the configuration's over them. The engine ends the agent at
            ``agent_seconds``; steps, tokens and cost are the agent's own to keep.
    """

    trial: str
    instruction: str
    sandbox: Sandbox | None
    limits: Limits
    journal: Journal
    clock: Clock
    submission: Submission = field(default_factory=Submission)


class Agent(Protocol):
    """Whatever acts: made anew for each attempt, used once."""

    async def work(self, assignment: Assignment) -> AgentEnd:
        """Work until done or until a limit of its own; hand the answer to ``submission``.

        Raises:
            ProviderError: If a model's service failed for good (retried, never counted).
            BreakerError: If every further call would fail alike.
            BudgetReachedError: If the sweep's money is used up.
            SandboxError: If the sandbox broke.
        """
        ...
