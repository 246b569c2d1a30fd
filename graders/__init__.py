"""Code graders."""

from graders.protocol import Grader, GradingBench

__all__ = ["Grader", "GradingBench"]
