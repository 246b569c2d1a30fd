"""How one try at a trial went: what the engine hands to the ledger, once."""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum

from runner.domain.outcome import Outcome, Reason
from runner.domain.work import Verdict, WorkProduct


class Ending(StrEnum):
    """What became of an attempt."""

    FINISHED = "finished"
    INFRA_ERROR = "infra_error"
    INTERRUPTED = "interrupted"
    SUPERSEDED = "superseded"


@dataclass(frozen=True, slots=True, kw_only=True)
class PhaseSeconds:
    """Where an attempt's time went, in seconds; None for a phase that was not reached.

    Attributes:
        agent: Working time, without waiting.
        waiting: Time spent waiting on a model's service, the union of its intervals.
    """

    setup: float | None = None
    agent: float | None = None
    waiting: float | None = None
    grading: float | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class AttemptReport:
    """One attempt's end.

    Attributes:
        outcome: ``pass`` or ``fail`` when finished, ``infra_error`` for that ending, else None.
        score: Within [0, 1]; None unless finished.
        verdicts: One for each grader that judged.
        work: What the agent left, kept so that it can be graded again; None if there is none.
        detail: For people: what went wrong, or how the agent ended.
        isolation: The sandbox back end's name, or ``none``.
        flags: Further facts in one word each (``timed_out``, ``oom``).
    """

    ending: Ending
    reason: Reason
    outcome: Outcome | None = None
    score: float | None = None
    verdicts: tuple[Verdict, ...] = ()
    work: WorkProduct | None = None
    detail: str | None = None
    seconds: PhaseSeconds = PhaseSeconds()
    isolation: str = "none"
    flags: tuple[str, ...] = ()
