"""What an agent leaves behind, and what graders say of it."""

from __future__ import annotations

from dataclasses import dataclass

from runner.domain.files import FileContent
from runner.domain.outcome import Reason


@dataclass(frozen=True, slots=True, kw_only=True)
class AgentEnd:
    """How an agent stopped; its answer went through the assignment before.

    Attributes:
        reason: ``completed`` or one of the agent's own limits; infrastructure errors are raised.
        detail: A sentence for people, or None.
    """

    reason: Reason
    detail: str | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class WorkProduct:
    """The state that is graded.

    Attributes:
        answer: The last answer submitted, or None if none was.
        files: The working directory's regular files; None where no sandbox was used.
        left_out: Paths that were not taken (links, special files, over the cap), each with why.
    """

    answer: str | None
    files: tuple[FileContent, ...] | None = None
    left_out: tuple[tuple[str, str], ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class Verdict:
    """A grader's judgement.

    Attributes:
        grader: The grader's kind, with a number where a task has two of a kind.
        passed: Its truth value.
        score: Within [0, 1].
        explanation: For people: what was compared with what.
        reason: A reason of the grader's own (``test_timeout``, ``tampered``), or None.
    """

    grader: str
    passed: bool
    score: float
    explanation: str
    reason: Reason | None = None
