"""``runner launch``: begin a sweep."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from runner.cli.flags import MOST_REPEATS, AsJson, BudgetUsd, Ledger, MaxInFlight, MaxInfra

SUITE_HELP = "A suite file, a folder with a suite.yaml, or a shipped suite (warmup, saltmere)."


def launch(  # noqa: PLR0917 - typer takes its flags from the arguments
    suite: Annotated[Path, typer.Argument(metavar="SUITE", help=SUITE_HELP, show_default=False)],
    repeats: Annotated[
        int | None,
        typer.Option(
            min=1,
            max=MOST_REPEATS,
            metavar="N",
            envvar="RUNNER_REPEATS",
            show_envvar=True,
            help="How often each task is run under each configuration.",
        ),
    ] = None,
    config: Annotated[
        list[str] | None,
        typer.Option(metavar="NAME", help="Only this configuration; may be given again."),
    ] = None,
    model: Annotated[
        str | None,
        typer.Option(
            metavar="M",
            envvar="RUNNER_MODEL",
            show_envvar=True,
            help="Another model for all configurations that have one.",
        ),
    ] = None,
    settings: Annotated[
        list[str] | None,
        typer.Option(
            "--set", metavar="CONFIG.KEY=VALUE", help="Another setting; may be given again."
        ),
    ] = None,
    task: Annotated[
        list[str] | None,
        typer.Option(metavar="GLOB", help="Only tasks that match; may be given again."),
    ] = None,
    tag: Annotated[
        list[str] | None,
        typer.Option(metavar="T", help="Only tasks with this tag; may be given again."),
    ] = None,
    limit: Annotated[
        int | None, typer.Option(min=1, metavar="N", help="Only the first N of those tasks.")
    ] = None,
    max_in_flight: MaxInFlight = None,
    max_infra: MaxInfra = None,
    budget_usd: BudgetUsd = None,
    name: Annotated[
        str | None,
        typer.Option(metavar="S", help="The sweep's name. [default: the suite's with a number]"),
    ] = None,
    seed: Annotated[
        int | None,
        typer.Option(
            min=0,
            max=2**31 - 1,
            metavar="N",
            envvar="RUNNER_SEED",
            show_envvar=True,
            help="Seeds the tasks' order.",
        ),
    ] = None,
    ledger: Ledger = None,
    dry_run: Annotated[
        bool, typer.Option("--dry-run", help="Print the plan; record and spend nothing.")
    ] = False,
    as_json: AsJson = False,
) -> int:
    """Launch a sweep of a suite.

    Runs every task under every configuration, as many times as there are repeats.

    Flags win over the environment, that over the suite file. The key of the model's service comes
    from ANTHROPIC_API_KEY. Everything is recorded as it happens: however a launch ends,
    `runner resume` goes on, and no recorded answer is paid twice.
    """
    from runner.cli.commands import launching  # noqa: PLC0415 - heavy: kept out of --help

    request = launching.launch_request(
        suite,
        selection=launching.selection(
            configs=config, tasks=task, tags=tag, limit=limit, model=model, settings=settings
        ),
        name=name,
        repeats=repeats,
        max_in_flight=max_in_flight,
        budget_usd=budget_usd,
        seed=seed,
        max_infra=max_infra,
    )
    if dry_run:
        return launching.print_plan(request, as_json=as_json)
    return launching.run_launch(request, ledger=ledger, as_json=as_json)
