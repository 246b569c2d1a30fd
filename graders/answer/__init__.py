"""The grader ``answer``: compares what the agent said with the task's key."""

from graders.answer.grader import AnswerGrader
from graders.answer.settings import AnswerSettings, Match
from graders.answer.spelling import is_empty

__all__ = ["AnswerGrader", "AnswerSettings", "Match", "is_empty"]
