"""Which ledger a command works on."""

from __future__ import annotations

from runner.cli.settings import read_settings
from runner.ledger import LedgerAddress, parse_address


def ledger_address(flag: str | None) -> LedgerAddress:
    """Take the flag, else the environment, else ``ledger.db`` in the current directory.

    Raises:
        UsageError: If that is no address.
    """
    return parse_address(read_settings().ledger if flag is None else flag)
