"""Printing what is to be said of a ledger as a whole."""

from __future__ import annotations

from runner.cli.exit_codes import ExitCode
from runner.cli.ledger_address import ledger_address
from runner.cli.printing.output import say, write_json, write_text
from runner.ledger import check_ledger, upgrade_ledger
from runner.printable import one_line


def print_path(ledger: str | None, *, as_json: bool) -> None:
    """Print where the ledger is; a server's password is hidden."""
    address = ledger_address(ledger)
    place = str(address.file or address)
    exists = None if address.file is None else address.file.exists()
    if as_json:
        write_json({"ledger": place, "exists": exists})
        return
    write_text(one_line(place))
    if exists is False:
        say("(not there yet; `runner launch SUITE` makes it)")


def print_check(ledger: str | None, *, as_json: bool) -> ExitCode:
    """Print what a check of the ledger found."""
    address = ledger_address(ledger)
    found = check_ledger(address)
    if as_json:
        write_json(
            {
                "ledger": str(address),
                "schema": found.schema,
                "sweeps": found.sweeps,
                "trials": found.trials,
                "attempts": found.attempts,
                "blobs": found.blobs,
                "sound": not found.problems,
                "problems": list(found.problems),
            }
        )
    else:
        verdict = f"{len(found.problems)} problems" if found.problems else "sound"
        facts = (
            f"{one_line(str(address))}: schema {found.schema}, {found.sweeps} sweeps, "
            f"{found.trials} trials, {found.attempts} attempts, {found.blobs} blobs: {verdict}"
        )
        write_text("\n".join([facts, *(f"  {one_line(problem)}" for problem in found.problems)]))
    return ExitCode.BROKEN if found.problems else ExitCode.DONE


def print_upgrade(ledger: str | None, *, as_json: bool) -> None:
    """Upgrade the ledger and print from which schema to which."""
    address = ledger_address(ledger)
    done = upgrade_ledger(address)
    if as_json:
        write_json({"ledger": str(address), "before": done.before, "after": done.after})
    elif done.before == done.after:
        write_text(f"{one_line(str(address))} has schema {done.after} already")
    else:
        write_text(f"{one_line(str(address))}: schema {done.before or 'none'} → {done.after}")
