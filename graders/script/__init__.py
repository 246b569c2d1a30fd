"""The grader ``script``: runs a program of the task's author on what the agent left."""

from graders.script.grader import ScriptGrader
from graders.script.settings import ScriptSettings

__all__ = ["ScriptGrader", "ScriptSettings"]
