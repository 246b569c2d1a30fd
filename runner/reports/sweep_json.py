"""A sweep as JSON; the names are a public interface."""

from __future__ import annotations

from datetime import UTC, datetime

from runner.domain import JsonObject
from runner.ledger import SweepSummary
from runner.reports.money import dollars
from runner.reports.sweep_report import ConfigReport, SweepReport


def sweep_json(report: SweepReport) -> JsonObject:
    """Give the whole report."""
    return {
        **summary_json(report.summary),
        "configs": [_config(config) for config in report.configs],
        "reasons": [
            {"outcome": found.outcome, "reason": found.reason, "trials": found.trials}
            for found in report.reasons
        ],
    }


def summary_json(summary: SweepSummary) -> JsonObject:
    """Give a sweep's facts and counts without its configurations."""
    return {
        "sweep": summary.id,
        "name": summary.name,
        "suite": summary.suite,
        "state": summary.state,
        "stop_reason": summary.stop_reason,
        "trials": {
            "total": summary.total,
            "settled": summary.settled,
            "passed": summary.passed,
            "failed": summary.failed,
            "infra_error": summary.infra_error,
            "open": summary.open,
            "running": summary.running,
            "interrupted": summary.interrupted,
        },
        "spend_usd": dollars(summary.spent_nusd),
        "unpriced_calls": summary.unpriced_calls,
        "exposed_usd": dollars(summary.exposed_nusd),
        "in_flight_usd": dollars(summary.in_flight_nusd),
        "budget_usd": dollars(summary.budget_nusd),
        "repeats": summary.repeats,
        "seed": summary.seed,
        "suite_path": summary.suite_path,
        "created_at": iso(summary.created_us),
        "settled_at": None if summary.settled_us is None else iso(summary.settled_us),
    }


def iso(microseconds: int) -> str:
    """Spell a time in UTC, to the millisecond, as the ledger's views do."""
    seconds, rest = divmod(microseconds, 1_000_000)
    moment = datetime.fromtimestamp(seconds, UTC)
    return f"{moment:%Y-%m-%dT%H:%M:%S}.{rest // 1000:03d}Z"


def _config(config: ConfigReport) -> JsonObject:
    return {
        "name": config.name,
        "model": config.model,
        "passed": config.passed,
        "failed": config.failed,
        "infra_error": config.infra_error,
        "open": config.open,
        "flaky_tasks": config.flaky,
        "tasks": [
            {
                "task": task.task,
                "passed": task.passed,
                "failed": task.failed,
                "infra_error": task.infra_error,
                "open": task.open,
                "flaky": task.flaky,
            }
            for task in config.tasks
        ],
    }
