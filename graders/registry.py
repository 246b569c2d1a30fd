"""All kinds of graders by name, and a task's graders made from its settings."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Mapping
from dataclasses import dataclass

from pydantic import BaseModel, ValidationError

from graders.answer import AnswerGrader, AnswerSettings
from graders.protocol import Grader
from graders.script import ScriptGrader, ScriptSettings
from runner.domain import GraderSpec, Kind, Task
from runner.errors import UsageError


def make_graders(task: Task) -> list[Grader]:
    """Make a task's graders in their order; a second one of a kind is named ``answer-2``.

    Raises:
        UsageError: If the task names a kind or a setting that this version does not know.
    """
    count = Counter[str]()
    graders: list[Grader] = []
    for spec in task.graders:
        count[spec.kind] += 1
        number = count[spec.kind]
        name = spec.kind if number == 1 else f"{spec.kind}-{number}"
        graders.append(_make(spec, name, task))
    return graders


def needs_answer(task: Task) -> bool:
    """Tell whether a trial without an answer has failed, whatever else the agent left."""
    return any(spec.kind == ANSWER for spec in task.graders)


ANSWER = "answer"


@dataclass(frozen=True, slots=True, kw_only=True)
class _Maker:
    kind: Kind
    make: Callable[[str, Mapping[str, object]], Grader]


def _runs_no_command(settings: BaseModel) -> bool:  # noqa: ARG001 - the kind's
    return False


def _runs_commands(settings: BaseModel) -> bool:  # noqa: ARG001 - the kind's
    return True


_MAKERS = {
    ANSWER: _Maker(
        kind=Kind(settings=AnswerSettings, runs_commands=_runs_no_command),
        make=lambda name, given: AnswerGrader(name, AnswerSettings.model_validate(given)),
    ),
    "script": _Maker(
        kind=Kind(settings=ScriptSettings, runs_commands=_runs_commands),
        make=lambda name, given: ScriptGrader(name, ScriptSettings.model_validate(given)),
    ),
}

#: The kinds that a suite file may name.
GRADERS: Mapping[str, Kind] = {name: maker.kind for name, maker in _MAKERS.items()}


def _make(spec: GraderSpec, name: str, task: Task) -> Grader:
    maker = _MAKERS.get(spec.kind)
    if maker is None:
        raise UsageError(
            f"task {task.id!r}: unknown kind of grader {spec.kind!r}",
            hint=f"Use one of {', '.join(sorted(_MAKERS))}.",
        )
    try:
        return maker.make(name, dict(spec.settings))
    except ValidationError as error:
        first = error.errors(include_url=False)[0]
        where = ".".join(str(step) for step in first["loc"])
        raise UsageError(
            f"task {task.id!r}: grader {name}: {where + ': ' if where else ''}{first['msg']}",
            hint="Correct the task's grader in the suite file.",
        ) from error
