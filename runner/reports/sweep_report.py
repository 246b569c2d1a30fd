"""A sweep as one value: what was planned, what came of it, what it cost."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from itertools import groupby

from runner.ledger import (
    CellCount,
    LedgerReader,
    ReasonCount,
    SweepSummary,
    read_cell_counts,
    read_reason_counts,
)


@dataclass(frozen=True, slots=True, kw_only=True)
class TaskReport:
    """One task under one configuration; infrastructure errors and open trials are not graded."""

    task: str
    passed: int
    failed: int
    infra_error: int
    open: int

    @property
    def graded(self) -> int:
        """Count the trials with a verdict."""
        return self.passed + self.failed

    @property
    def flaky(self) -> bool:
        """Whether some of the graded trials passed and some failed."""
        return self.passed > 0 and self.failed > 0


@dataclass(frozen=True, slots=True, kw_only=True)
class ConfigReport:
    """One configuration and its tasks, both in the order of the plan."""

    name: str
    model: str | None
    tasks: tuple[TaskReport, ...]

    @property
    def passed(self) -> int:
        """Count the passed trials."""
        return sum(task.passed for task in self.tasks)

    @property
    def failed(self) -> int:
        """Count the failed trials."""
        return sum(task.failed for task in self.tasks)

    @property
    def infra_error(self) -> int:
        """Count the trials that settled as infrastructure errors."""
        return sum(task.infra_error for task in self.tasks)

    @property
    def open(self) -> int:
        """Count the trials that are not settled."""
        return sum(task.open for task in self.tasks)

    @property
    def flaky(self) -> int:
        """Count the flaky tasks."""
        return sum(task.flaky for task in self.tasks)


@dataclass(frozen=True, slots=True, kw_only=True)
class SweepReport:
    """One sweep with its counts by configuration and task, and by reason."""

    summary: SweepSummary
    configs: tuple[ConfigReport, ...]
    reasons: tuple[ReasonCount, ...]

    @property
    def finished(self) -> bool:
        """Whether nothing is left that a resume would run."""
        return not self.summary.open and not self.summary.infra_error


def read_sweep_report(reader: LedgerReader, sweep: str | None) -> SweepReport:
    """Report on a sweep.

    Args:
        reader: The open ledger.
        sweep: Its name or id; None for the newest that is not complete, else the newest.

    Raises:
        NotFoundError: If there is none such.
    """
    summary = reader.summary(sweep)
    cells = read_cell_counts(reader, summary.id)
    return SweepReport(
        summary=summary,
        configs=tuple(_configs(cells)),
        reasons=tuple(read_reason_counts(reader, summary.id)),
    )


def _configs(cells: Iterable[CellCount]) -> Iterable[ConfigReport]:
    for (name, model), own in groupby(cells, key=lambda cell: (cell.config, cell.model)):
        yield ConfigReport(name=name, model=model, tasks=tuple(_task(cell) for cell in own))


def _task(cell: CellCount) -> TaskReport:
    return TaskReport(
        task=cell.task,
        passed=cell.passed,
        failed=cell.failed,
        infra_error=cell.infra_error,
        open=cell.open,
    )
