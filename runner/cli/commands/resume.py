"""``runner resume``: go on with a sweep."""

from __future__ import annotations

from typing import Annotated

import typer

from runner.cli.flags import (
    MOST_REPEATS,
    AsJson,
    Ledger,
    MaxInFlight,
    MaxInfra,
    NewBudgetUsd,
    SweepArgument,
)


def resume(
    sweep: SweepArgument = None,
    repeats: Annotated[
        int | None,
        typer.Option(
            min=1, max=MOST_REPEATS, metavar="N", help="Add repeats up to N; fewer delete nothing."
        ),
    ] = None,
    max_in_flight: MaxInFlight = None,
    max_infra: MaxInfra = None,
    budget_usd: NewBudgetUsd = None,
    only_unchanged: Annotated[
        bool,
        typer.Option(
            "--only-unchanged", help="Leave out what has changed in the suite since the launch."
        ),
    ] = False,
    ledger: Ledger = None,
    as_json: AsJson = False,
) -> int:
    """Go on with a sweep.

    Runs what is missing, what was interrupted and what infrastructure errors spoilt. Trials that
    passed or failed never change. Several resumes of one sweep share its trials.
    """
    from runner.cli.commands import resuming  # noqa: PLC0415 - heavy: kept out of --help

    request = resuming.resume_request(
        sweep,
        repeats=repeats,
        max_in_flight=max_in_flight,
        budget_usd=budget_usd,
        max_infra=max_infra,
        only_unchanged=only_unchanged,
    )
    return resuming.run_resume(request, ledger=ledger, as_json=as_json)
