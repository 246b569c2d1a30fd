"""``runner status``: how a sweep stands."""

from __future__ import annotations

from runner.cli.flags import AsJson, Ledger, SweepArgument


def status(sweep: SweepArgument = None, ledger: Ledger = None, as_json: AsJson = False) -> None:
    """Say how a sweep stands.

    Gives counts by configuration and task, the spend and the command that goes on. Reads only; a
    sweep that another process runs is not disturbed.
    """
    from runner.cli.printing import sweep_output  # noqa: PLC0415 - heavy: kept out of --help

    sweep_output.print_status(sweep, ledger=ledger, as_json=as_json)
