"""What ``runner launch`` does with its flags."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from runner.cli.commands.running import Announce, run_to_end
from runner.cli.exit_codes import ExitCode
from runner.cli.ledger_address import ledger_address
from runner.cli.money_flag import read_budget
from runner.cli.printing.plan_output import print_planned, size_text
from runner.cli.settings import read_settings
from runner.engine.clock import SystemClock
from runner.engine.launch import LaunchRequest, PlannedLaunch, launch, plan_launch
from runner.engine.run import Equipment
from runner.engine.selection import Selection
from runner.errors import UsageError
from runner.ledger import SweepSummary
from runner.reports import usd
from runner.shipped import shipped


def selection(
    *,
    configs: Sequence[str] | None,
    tasks: Sequence[str] | None,
    tags: Sequence[str] | None,
    limit: int | None,
    model: str | None,
    settings: Sequence[str] | None,
) -> Selection:
    """Read the flags that pick from a suite or change it.

    Raises:
        UsageError: If a ``--set`` is not of its form.
    """
    return Selection(
        configs=tuple(configs or ()),
        tasks=tuple(tasks or ()),
        tags=tuple(tags or ()),
        limit=limit,
        model=model,
        settings=dict(_setting(text) for text in settings or ()),
    )


def launch_request(
    suite: Path,
    *,
    selection: Selection,
    name: str | None,
    repeats: int | None,
    max_in_flight: int | None,
    budget_usd: str | None,
    seed: int | None,
    max_infra: int | None,
) -> LaunchRequest:
    """Put the flags together.

    Raises:
        UsageError: If the budget is no amount of money.
    """
    return LaunchRequest(
        suite_path=_suite_path(suite),
        selection=selection,
        name=name,
        repeats=repeats,
        max_in_flight=max_in_flight,
        budget_nusd=read_budget(budget_usd),
        seed=seed,
        most_infra_errors=max_infra,
    )


def print_plan(request: LaunchRequest, *, as_json: bool) -> ExitCode:
    """Print what a launch would do."""
    clock = SystemClock()
    planned = plan_launch(request, now_us=clock.now_us())
    return print_planned(planned, now_us=clock.now_us(), as_json=as_json)


def run_launch(request: LaunchRequest, *, ledger: str | None, as_json: bool) -> ExitCode:
    """Launch a sweep and run it to its end, or to a stop."""
    address, settings = ledger_address(ledger), read_settings()
    planned = plan_launch(request, now_us=SystemClock().now_us())

    async def start(equipment: Equipment, announce: Announce) -> SweepSummary:
        return await launch(
            planned,
            equipment=equipment,
            announce=lambda summary, warnings: announce(
                summary, "\n".join([_first_line(planned, summary.name), *warnings])
            ),
        )

    return run_to_end(start, address=address, settings=settings, as_json=as_json)


def _suite_path(given: Path) -> Path:
    """Take a bare name that is no path here for the name of a suite that ships."""
    if given.exists() or len(given.parts) != 1:
        return given
    ships = shipped("tasks", given.name)
    return ships if (ships / "suite.yaml").is_file() else given


def _setting(text: str) -> tuple[str, str]:
    key, equals, value = text.partition("=")
    if not equals or "." not in key:
        raise UsageError(
            f"--set {text!r} is not of the form CONFIG.KEY=VALUE",
            hint="Write for instance --set haiku-low.effort=high.",
        )
    return key, value


def _first_line(planned: PlannedLaunch, name: str) -> str:
    suite = planned.suite
    budget = "" if suite.budget_nusd is None else f", budget {usd(suite.budget_nusd)}"
    once = "" if suite.repeats > 1 else "; one repeat tells nothing about chance: see --repeats"
    return (
        f"sweep {name}: {size_text(planned)}, at most {suite.max_in_flight} at once{budget}{once}"
    )
