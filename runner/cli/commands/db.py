"""``runner db``: looking after the ledger itself."""

from __future__ import annotations

import typer

from runner.cli.exit_codes import ExitCode
from runner.cli.flags import AsJson, Ledger


def make_app() -> typer.Typer:
    """Put the sub-commands together."""
    app = typer.Typer(rich_markup_mode=None, help="Look after the ledger itself.")
    app.command("path")(path)
    app.command("check")(check)
    app.command("upgrade")(upgrade)
    return app


def path(ledger: Ledger = None, as_json: AsJson = False) -> None:
    """Say which ledger is used here, whether or not it exists yet."""
    from runner.cli.printing import ledger_output  # noqa: PLC0415 - heavy: kept out of --help

    ledger_output.print_path(ledger, as_json=as_json)


def check(ledger: Ledger = None, as_json: AsJson = False) -> ExitCode:
    """Prove that the ledger is sound: its file, references, sums, and each stored content.

    Reads only. Ends with exit code 3 if anything is wrong.
    """
    from runner.cli.printing import ledger_output  # noqa: PLC0415 - heavy: kept out of --help

    return ledger_output.print_check(ledger, as_json=as_json)


def upgrade(ledger: Ledger = None, as_json: AsJson = False) -> None:
    """Bring the ledger to the schema of this runner, wholly or not at all; loses nothing."""
    from runner.cli.printing import ledger_output  # noqa: PLC0415 - heavy: kept out of --help

    ledger_output.print_upgrade(ledger, as_json=as_json)
