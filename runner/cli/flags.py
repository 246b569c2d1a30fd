"""Flags that several commands share."""

from __future__ import annotations

from typing import Annotated

import typer

MOST_REPEATS = 100_000

Ledger = Annotated[
    str | None,
    typer.Option(
        metavar="URL",
        envvar="RUNNER_LEDGER",
        show_envvar=True,
        help="The ledger: a file, or postgresql://user@host/database. [default: ledger.db]",
    ),
]
AsJson = Annotated[bool, typer.Option("--json", help="Print JSON.")]
MaxInFlight = Annotated[
    int | None,
    typer.Option(
        min=1,
        max=10_000,
        metavar="N",
        envvar="RUNNER_MAX_IN_FLIGHT",
        show_envvar=True,
        help="Most trials at once.",
    ),
]
MaxInfra = Annotated[
    int | None,
    typer.Option(
        min=1,
        metavar="N",
        envvar="RUNNER_MAX_INFRA",
        show_envvar=True,
        help="Stop after so many infrastructure errors.",
    ),
]
SweepArgument = Annotated[
    str | None,
    typer.Argument(metavar="SWEEP", help="A sweep's name or id. [default: the newest open one]"),
]
BudgetUsd = Annotated[
    str | None,
    typer.Option(
        metavar="X",
        envvar="RUNNER_BUDGET_USD",
        show_envvar=True,
        help="Most dollars that the sweep may spend, over all its runs.",
    ),
]
#: Without the environment: a sweep keeps the budget it was launched with until somebody says so.
NewBudgetUsd = Annotated[
    str | None,
    typer.Option(
        metavar="X",
        help="Another budget: most dollars that the sweep may spend, over all its runs.",
    ),
]
