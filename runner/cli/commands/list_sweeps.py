"""``runner list``: the sweeps of a ledger."""

from __future__ import annotations

from runner.cli.flags import AsJson, Ledger


def list_sweeps(ledger: Ledger = None, as_json: AsJson = False) -> None:
    """List the sweeps of a ledger, newest first."""
    from runner.cli.printing import sweep_output  # noqa: PLC0415 - heavy: kept out of --help

    sweep_output.print_list(ledger=ledger, as_json=as_json)
