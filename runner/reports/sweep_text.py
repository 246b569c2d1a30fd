"""A sweep for people: counts, not rates, since a rate without its interval says too much."""

from __future__ import annotations

from runner.domain import Reason
from runner.ledger import SweepSummary
from runner.printable import one_line
from runner.reports.money import at_most_text, spend_text, usd
from runner.reports.sweep_json import iso
from runner.reports.sweep_report import ConfigReport, SweepReport, TaskReport
from runner.reports.table import table_text

#: Above this, only the tasks that say something beyond "all passed" and "all failed" are listed.
MOST_TASKS = 40


def sweep_text(report: SweepReport) -> str:
    """Lay out the whole report: facts, configurations, tasks, legend."""
    blocks = [
        "\n".join([*_facts(report.summary), *_reasons(report)]),
        _config_table(report.configs),
        _task_table(report.configs),
    ]
    return "\n\n".join(block for block in blocks if block)


def _facts(summary: SweepSummary) -> list[str]:
    name, suite = one_line(summary.name), one_line(summary.suite)
    return [
        f"sweep {name} (id {summary.id}) of suite {suite}: {_state(summary)}",
        f"started  {iso(summary.created_us)} from {one_line(summary.suite_path)}",
        f"trials   {_trials(summary)}",
        f"spend    {_spend(summary)}",
    ]


def _reasons(report: SweepReport) -> list[str]:
    """Say why trials failed or could not be graded, where that is more than a wrong answer."""
    telling = [
        f"{found.trials} {found.outcome} by {found.reason}"
        for found in report.reasons
        if found.reason != Reason.COMPLETED
    ]
    return [f"reasons  {', '.join(telling)}"] if telling else []


def _state(summary: SweepSummary) -> str:
    reason = "" if summary.stop_reason is None else f" ({one_line(summary.stop_reason)})"
    return f"{summary.state}{reason}"


def _trials(summary: SweepSummary) -> str:
    settled = (
        f"{summary.settled} of {summary.total} settled: {summary.passed} passed, "
        f"{summary.failed} failed, {summary.infra_error} infra_error"
    )
    if not summary.open:
        return settled
    alive = summary.running - summary.interrupted
    parts = [f"{alive} running"] if alive else []
    parts += [f"{summary.interrupted} interrupted"] if summary.interrupted else []
    detail = f" ({', '.join(parts)})" if parts else ""
    return f"{settled}; {summary.open} open{detail}"


def _spend(summary: SweepSummary) -> str:
    text = spend_text(summary.spent_nusd, summary.unpriced_calls)
    if summary.budget_nusd is not None:
        text += f" of a budget of {usd(summary.budget_nusd)}"
    if summary.in_flight_nusd:
        text += f"; {at_most_text(summary.in_flight_nusd)} more for calls in flight"
    if summary.exposed_nusd:
        text += f"; {at_most_text(summary.exposed_nusd)} more for calls whose fate is unknown"
    return text


def _config_table(configs: tuple[ConfigReport, ...]) -> str:
    rows = [
        [
            config.name,
            config.model or "-",
            f"{config.passed}/{config.passed + config.failed}",
            str(config.infra_error),
            str(config.open),
            str(config.flaky),
        ]
        for config in configs
    ]
    header = ["configuration", "model", "passed/graded", "infra_error", "open", "flaky tasks"]
    return table_text(header, rows, right=frozenset({2, 3, 4, 5})) if rows else ""


def _task_table(configs: tuple[ConfigReport, ...]) -> str:
    cells = {(task.task, config.name): task for config in configs for task in config.tasks}
    names = list(dict.fromkeys(task.task for config in configs for task in config.tasks))
    telling = [n for n in names if any(_tells(cells.get((n, c.name))) for c in configs)]
    shown = names if len(names) <= MOST_TASKS else telling[:MOST_TASKS]
    if not shown:
        return ""
    rows = [
        [name, *(_cell(cells.get((name, config.name))) for config in configs)] for name in shown
    ]
    table = table_text(["task", *(config.name for config in configs)], rows)
    rest = len(names) - len(shown)
    more = f"\n… and {rest} tasks more (see the view task_scores)" if rest else ""
    return f"{table}{more}\n{_LEGEND}"


_LEGEND = "passed/graded, * flaky: some passed and some failed; not graded: infra, open"


def _tells(task: TaskReport | None) -> bool:
    return task is not None and (task.flaky or task.infra_error > 0 or task.open > 0)


def _cell(task: TaskReport | None) -> str:
    if task is None:
        return "-"
    parts = [f"{task.passed}/{task.graded}{'*' if task.flaky else ''}"]
    parts += [f"{task.infra_error} infra"] if task.infra_error else []
    parts += [f"{task.open} open"] if task.open else []
    return ", ".join(parts)
