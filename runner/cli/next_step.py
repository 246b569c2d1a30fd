"""The command that goes on from here."""

from __future__ import annotations

import shlex

from runner.cli.settings import read_settings
from runner.ledger import LedgerAddress, SweepSummary, parse_address
from runner.printable import one_line


def next_command(summary: SweepSummary, address: LedgerAddress) -> str:
    """Give the command line that goes on with a sweep, fit to be pasted into a shell."""
    left = summary.open or summary.infra_error
    # A name that could steer the terminal would do so, also between quotes.
    name = summary.name if one_line(summary.name) == summary.name else str(summary.id)
    words = ["runner", "resume" if left else "status", name]
    if address != parse_address(read_settings().ledger):
        words += ["--ledger", str(address)]
    return shlex.join(words)
