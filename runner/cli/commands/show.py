"""``runner show``: one trial's transcript."""

from __future__ import annotations

from typing import Annotated

import typer

from runner.cli.flags import AsJson, Ledger


def show(
    trial: Annotated[
        str,
        typer.Argument(
            metavar="TRIAL",
            help="A trial's number, or SWEEP/CONFIG/REPEAT/TASK.",
            show_default=False,
        ),
    ],
    files: Annotated[
        bool, typer.Option("--files", help="List the files that each attempt left.")
    ] = False,
    ledger: Ledger = None,
    as_json: AsJson = False,
) -> None:
    """Show what was said and done in a trial.

    Every attempt, model call, command and grade in order; calls whose answer was discarded or
    whose fate is unknown are marked.
    """
    from runner.cli.printing import trial_output  # noqa: PLC0415 - heavy: kept out of --help

    trial_output.print_trial(trial, files=files, ledger=ledger, as_json=as_json)
