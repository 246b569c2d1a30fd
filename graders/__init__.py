"""Code graders: a task's kinds of judgement, and how their verdicts become one."""

from graders.answer import is_empty
from graders.protocol import Grader, GradingBench
from graders.registry import GRADERS, make_graders, needs_answer
from graders.verdicts import Combined, combine

__all__ = [
    "GRADERS",
    "Combined",
    "Grader",
    "GradingBench",
    "combine",
    "is_empty",
    "make_graders",
    "needs_answer",
]
