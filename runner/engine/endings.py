"""What an error means for the attempt that it ended."""

from __future__ import annotations

import traceback

from runner.domain import AttemptReport, Ending, OnOom, Outcome, Reason, Task
from runner.errors import (
    BreakerError,
    BudgetReachedError,
    InfrastructureError,
    LedgerError,
    RunnerError,
)

_FRAMES = 4
_MOST_DETAIL = 8_000


def foremost(error: Exception) -> Exception:
    """Pick the error that decides, out of a group as parallel tasks raise it.

    A ledger that lost the trial outranks a dead key, that outranks the budget, that any
    infrastructure error, and that whatever nobody foresaw.
    """
    leaves = _leaves(error)
    kinds = (LedgerError, BreakerError, BudgetReachedError, InfrastructureError, RunnerError)
    for kind in kinds:
        for leaf in leaves:
            if isinstance(leaf, kind):
                return leaf
    return leaves[0] if len(leaves) == 1 else error


def report_of(error: Exception) -> AttemptReport:
    """Say how an attempt ended that met an error, be it foreseen or not."""
    match error:
        case BreakerError():
            return AttemptReport(
                ending=Ending.INTERRUPTED, reason=Reason(error.reason), detail=_words(error)
            )
        case BudgetReachedError():
            return AttemptReport(
                ending=Ending.INTERRUPTED, reason=Reason.BUDGET, detail=_words(error)
            )
        case InfrastructureError():
            return _infra_error(Reason(error.reason), _words(error))
        case _:
            return _infra_error(Reason.UNFORESEEN, _unforeseen(error))


def out_of_memory(task: Task, *, kills: int) -> AttemptReport:
    """Say how an attempt ended in which the kernel or the watchdog killed for memory."""
    failed = task.on_oom is OnOom.FAIL
    ceiling = task.sandbox.memory_ceiling_bytes / (1 << 20)
    return AttemptReport(
        ending=Ending.FINISHED if failed else Ending.INFRA_ERROR,
        reason=Reason.OOM,
        outcome=Outcome.FAIL if failed else Outcome.INFRA_ERROR,
        score=0.0 if failed else None,
        detail=f"Killed for memory {kills} times; the sandbox's ceiling is {ceiling:g} MiB.",
    )


def _infra_error(reason: Reason, detail: str) -> AttemptReport:
    return AttemptReport(
        ending=Ending.INFRA_ERROR, reason=reason, outcome=Outcome.INFRA_ERROR, detail=detail
    )


def _leaves(error: Exception) -> list[Exception]:
    if isinstance(error, ExceptionGroup):
        return [leaf for part in error.exceptions for leaf in _leaves(part)]
    return [error]


def _words(error: RunnerError) -> str:
    message = error.message if error.hint is None else f"{error.message} ({error.hint})"
    return "\n".join([message, *getattr(error, "__notes__", ())])


def _unforeseen(error: Exception) -> str:
    lines = traceback.format_exception(error, limit=-_FRAMES)
    head = f"{type(error).__name__}: {error}"
    return f"{head[: _MOST_DETAIL // 2]}\n{''.join(lines)[-_MOST_DETAIL // 2 :]}"
