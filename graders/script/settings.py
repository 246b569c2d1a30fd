"""What may stand in a suite file for a grader of the kind ``script``."""

from __future__ import annotations

from typing import Annotated, Literal

from pydantic import BaseModel, ConfigDict, Field, field_validator

from runner.domain import SuiteFile


class ScriptSettings(BaseModel):
    """The settings of a ``script`` grader.

    Attributes:
        run: The program and its arguments; it starts in the directory of the hidden tests.
        seconds: When these are over its whole process tree is killed and the trial fails.
        files: Hidden files for it besides the task's own tests, relative to the suite file.
        reward: ``required`` where only the reward file gives the verdict, so that a script which
            crashes with exit status 1 (an exception in Python) is never taken for a fail.
    """

    model_config = ConfigDict(extra="forbid", frozen=True)

    run: tuple[str, ...]
    seconds: Annotated[float, Field(gt=0, le=86_400, allow_inf_nan=False)] = 60.0
    files: tuple[SuiteFile, ...] = ()
    reward: Literal["optional", "required"] = "optional"

    @field_validator("run")
    @classmethod
    def _check_command(cls, run: tuple[str, ...]) -> tuple[str, ...]:
        if not run or not run[0]:
            raise ValueError("no program is named; write [python, grade.py]")
        if any("\0" in word for word in run):
            raise ValueError("a word of the command holds a NUL character")
        return run
