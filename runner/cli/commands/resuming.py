"""What ``runner resume`` does with its flags."""

from __future__ import annotations

from runner.cli.commands.running import Announce, run_to_end
from runner.cli.exit_codes import ExitCode
from runner.cli.ledger_address import ledger_address
from runner.cli.money_flag import read_budget
from runner.cli.settings import read_settings
from runner.engine.clock import SystemClock
from runner.engine.resume import Resumed, ResumeRequest, plan_resume, resume
from runner.engine.run import Equipment
from runner.ledger import SweepSummary


def resume_request(
    sweep: str | None,
    *,
    repeats: int | None,
    max_in_flight: int | None,
    budget_usd: str | None,
    max_infra: int | None,
    only_unchanged: bool,
) -> ResumeRequest:
    """Put the flags together.

    Raises:
        UsageError: If the budget is no amount of money.
    """
    return ResumeRequest(
        sweep=sweep,
        repeats=repeats,
        max_in_flight=max_in_flight,
        budget_nusd=read_budget(budget_usd),
        most_infra_errors=max_infra,
        only_unchanged=only_unchanged,
    )


def run_resume(request: ResumeRequest, *, ledger: str | None, as_json: bool) -> ExitCode:
    """Go on with a sweep to its end, or to a stop."""
    address, settings = ledger_address(ledger), read_settings()
    planned = plan_resume(request, address, now_us=SystemClock().now_us())

    async def start(equipment: Equipment, announce: Announce) -> SweepSummary:
        return await resume(
            planned,
            equipment=equipment,
            announce=lambda resumed: announce(planned.summary, _first_lines(resumed)),
        )

    return run_to_end(start, address=address, settings=settings, as_json=as_json)


def _first_lines(resumed: Resumed) -> str:
    planned, found = resumed.planned, resumed.reopened
    what = f"{found.missing} missing, {found.interrupted} interrupted, {found.infra} infra"
    lines = [f"resuming {planned.summary.name}: {found.kept} kept, {found.to_run} to run ({what})"]
    lines += [
        f"{trials} more are held by process {pid} on {host}" for host, pid, trials in found.held
    ]
    left_out = [*planned.without.tasks, *planned.without.configs]
    lines += [f"left open, since changed: {', '.join(left_out)}"] if left_out else []
    if planned.file_is_gone:
        lines.append(f"{planned.summary.suite_path} is gone; the ledger's copy is used")
    lines += resumed.warnings
    if not found.to_run:
        lines.append("nothing to run")
    return "\n".join(lines)
