"""How several verdicts become one."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import NamedTuple

from runner.domain import Reason, Verdict
from runner.errors import GraderError

#: A score this much below a bar still reaches it: 0.9999999 is a rounded 1.
TOLERANCE = 1e-6


class Combined(NamedTuple):
    """All verdicts of one trial together.

    Attributes:
        score: The mean of the scores, within [0, 1].
        reason: The reason of the first verdict that has one of its own, or None.
    """

    passed: bool
    score: float
    reason: Reason | None


def reaches(score: float, bar: float) -> bool:
    """Tell whether a score counts as passed."""
    return score >= bar - TOLERANCE


def combine(verdicts: Sequence[Verdict], pass_at: float) -> Combined:
    """Combine: passed if every grader passed and the mean score reaches the bar.

    Raises:
        GraderError: ``bad_reward`` if a score is no number within [0, 1].
        ValueError: If there is no verdict.
    """
    if not verdicts:
        raise ValueError("no verdict to combine")
    for verdict in verdicts:
        if not 0.0 <= verdict.score <= 1.0:
            raise GraderError(
                f"grader {verdict.grader} gave the score {verdict.score}, outside [0, 1]",
                reason=Reason.BAD_REWARD,
                hint="Correct the grader so that its score lies within [0, 1].",
            )
    score = math.fsum(verdict.score for verdict in verdicts) / len(verdicts)
    return Combined(
        passed=all(verdict.passed for verdict in verdicts) and reaches(score, pass_at),
        score=score,
        reason=next((verdict.reason for verdict in verdicts if verdict.reason), None),
    )
