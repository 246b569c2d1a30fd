"""What may stand in a suite file for a grader of the kind ``script``."""

from __future__ import annotations

from typing import Annotated, Literal

from pydantic import BaseModel, ConfigDict, Field

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

    run: Annotated[tuple[Annotated[str, Field(pattern=r"^[^\x00]*$")], ...], Field(min_length=1)]
    seconds: Annotated[float, Field(gt=0, le=86_400, allow_inf_nan=False)] = 60.0
    files: tuple[SuiteFile, ...] = ()
    reward: Literal["optional", "required"] = "optional"
