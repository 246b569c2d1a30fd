"""The language of a script: which steps a scripted agent takes in which attempt."""

from __future__ import annotations

from collections.abc import Mapping
from fnmatch import fnmatchcase
from typing import Self

from pydantic import (
    BaseModel,
    ConfigDict,
    NonNegativeFloat,
    PositiveFloat,
    PositiveInt,
    field_validator,
    model_validator,
)

from runner.domain import Reason

#: What a step can do, each with the keys that may stand beside it.
ACTIONS: Mapping[str, frozenset[str]] = {
    "run": frozenset({"seconds"}),
    "argv": frozenset({"seconds"}),
    "write": frozenset({"text", "executable"}),
    "submit": frozenset(),
    "say": frozenset(),
    "wait": frozenset(),
    "fail": frozenset({"message"}),
    "end": frozenset({"message"}),
}


class Step(BaseModel):
    """One step: exactly one of the actions, and what belongs to it.

    Attributes:
        run: A line for ``sh``.
        argv: A program and its arguments, run without a shell.
        seconds: When these are over, the command is stopped, and the script goes on.
        write: The path of a file in the working directory; ``text`` is its content.
        submit: An answer; the last one counts.
        say: A text for the transcript.
        wait: Seconds of working time to let pass.
        fail: The reason of an infrastructure error, or of one that leaves the trial open.
        end: ``completed``, or the limit of the agent's own that is reached here.
    """

    model_config = ConfigDict(extra="forbid", frozen=True)

    run: str | None = None
    argv: tuple[str, ...] | None = None
    seconds: PositiveFloat = 120.0
    write: str | None = None
    text: str = ""
    executable: bool = False
    submit: str | None = None
    say: str | None = None
    wait: NonNegativeFloat | None = None
    fail: Reason | None = None
    end: Reason | None = None
    message: str | None = None

    @field_validator("fail")
    @classmethod
    def _is_met_from_outside(cls, reason: Reason | None) -> Reason | None:
        return _one_of(reason, [r for r in Reason if r.retried or r.opens_breaker])

    @field_validator("end")
    @classmethod
    def _is_an_end_of_its_own(cls, reason: Reason | None) -> Reason | None:
        return _one_of(reason, [r for r in Reason if r.graded])

    @model_validator(mode="after")
    def _is_one_action(self) -> Self:
        done = [key for key in ACTIONS if key in self.model_fields_set]
        if len(done) != 1 or getattr(self, done[0]) in (None, ()):
            raise ValueError(f"a step does exactly one of {', '.join(ACTIONS)}")
        beside = self.model_fields_set - ACTIONS[done[0]] - {done[0]}
        if beside:
            raise ValueError(f"{', '.join(sorted(beside))} does not belong to {done[0]}")
        return self


class Case(BaseModel):
    """Steps for some attempts; what is not said fits all.

    Attributes:
        task: A task's id, or a pattern with ``*`` and ``?``.
        repeat: Counts from 1.
        attempt: The attempt at the trial, counts from 1.
    """

    model_config = ConfigDict(extra="forbid", frozen=True)

    task: str = "*"
    repeat: PositiveInt | None = None
    attempt: PositiveInt | None = None
    steps: tuple[Step, ...]

    def fits(self, *, task: str, repeat: int, attempt: int) -> bool:
        """Whether these steps are for this attempt."""
        return (
            (self.task == task or fnmatchcase(task, self.task))
            and self.repeat in (None, repeat)
            and self.attempt in (None, attempt)
        )


class Script(BaseModel):
    """What a scripted agent does: the first case that fits, else the steps for all the others."""

    model_config = ConfigDict(extra="forbid", frozen=True)

    cases: tuple[Case, ...] = ()
    steps: tuple[Step, ...] | None = None

    @model_validator(mode="after")
    def _says_something(self) -> Self:
        if not self.cases and self.steps is None:
            raise ValueError("a script has `steps`, `cases` or both")
        return self

    def steps_for(self, *, task: str, repeat: int, attempt: int) -> tuple[Step, ...] | None:
        """Give the steps of an attempt, or None where the script says nothing of it."""
        for case in self.cases:
            if case.fits(task=task, repeat=repeat, attempt=attempt):
                return case.steps
        return self.steps


def _one_of(reason: Reason | None, known: list[Reason]) -> Reason | None:
    if reason is not None and reason not in known:
        raise ValueError(f"{reason.value!r} cannot stand here; known are {', '.join(known)}")
    return reason
