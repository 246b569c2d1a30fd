"""``runner sql``: ask the ledger anything."""

from __future__ import annotations

from typing import Annotated

import typer

from runner.cli.flags import AsJson, Ledger


def sql(
    statement: Annotated[
        str,
        typer.Argument(
            metavar="QUERY",
            help="One statement, for instance 'SELECT * FROM results'.",
            show_default=False,
        ),
    ],
    ledger: Ledger = None,
    as_json: AsJson = False,
    as_csv: Annotated[
        bool, typer.Option("--csv", help="Print CSV; NULL is an empty cell.")
    ] = False,
) -> None:
    """Run one SELECT on the ledger.

    It can write nothing. The views are results (one row per trial), task_scores, repeat_scores,
    config_scores and spend.
    """
    if as_json and as_csv:
        raise typer.BadParameter("give one of --json and --csv", param_hint="--csv")
    from runner.cli.printing import query_output  # noqa: PLC0415 - heavy: kept out of --help

    query_output.print_query(statement, ledger=ledger, as_json=as_json, as_csv=as_csv)
