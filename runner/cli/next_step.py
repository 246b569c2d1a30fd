"""The command that goes on from here."""

from __future__ import annotations

import shlex

from runner.cli.settings import read_settings
from runner.ledger import LedgerAddress, SweepSummary, parse_address
from runner.printable import one_line


def next_command(summary: SweepSummary, address: LedgerAddress) -> str:
    """Give the command line that goes on with a sweep, fit to be pasted into a shell."""
    left = summary.open or summary.infra_error
    words = ["runner", "resume" if left else "status", _name(summary)]
    if address != parse_address(read_settings().ledger):
        words += ["--ledger", str(address)]
    return shlex.join(words)


def _name(summary: SweepSummary) -> str:
    """Give the name, or the id where the name would steer the terminal or be read as a flag."""
    name = summary.name
    fit = one_line(name) == name and not name.startswith("-")
    return name if fit else str(summary.id)
