"""Printing sweeps: one, or all of a ledger."""

from __future__ import annotations

from runner.cli.ledger_address import ledger_address
from runner.cli.next_step import next_command
from runner.cli.printing.output import say, write_json, write_text
from runner.domain import Json
from runner.ledger import LedgerAddress, SweepSummary, read_ledger
from runner.reports import (
    SweepReport,
    read_sweep_report,
    spend_text,
    summary_json,
    sweep_json,
    sweep_text,
    table_text,
)


def print_status(sweep: str | None, *, ledger: str | None, as_json: bool) -> None:
    """Print one sweep, and on stderr the command that goes on if something is left to run."""
    address = ledger_address(ledger)
    with read_ledger(address) as reader:
        report = read_sweep_report(reader, sweep)
    if as_json:
        write_json(status_json(report, address))
        return
    write_text(sweep_text(report))
    if not report.finished:
        say(f"next: {next_command(report.summary, address)}")


def status_json(report: SweepReport, address: LedgerAddress) -> dict[str, Json]:
    """Give a sweep's report with the command that goes on."""
    return {**sweep_json(report), "next": next_command(report.summary, address)}


def print_list(*, ledger: str | None, as_json: bool) -> None:
    """Print all sweeps of a ledger, newest first."""
    address = ledger_address(ledger)
    with read_ledger(address) as reader:
        summaries = reader.summaries()
    if as_json:
        write_json([{**summary_json(s), "next": next_command(s, address)} for s in summaries])
    elif summaries:
        write_text(table_text(_HEADER, [_row(s) for s in summaries], right=frozenset({0, 4, 5, 6})))
    else:
        say(f"the ledger {address} holds no sweep yet; `runner launch SUITE` makes one")


_HEADER = ("id", "name", "suite", "state", "settled", "passed/graded", "infra_error", "spend")


def _row(summary: SweepSummary) -> tuple[str, ...]:
    return (
        str(summary.id),
        summary.name,
        summary.suite,
        summary.state,
        f"{summary.settled}/{summary.total}",
        f"{summary.passed}/{summary.passed + summary.failed}",
        str(summary.infra_error),
        spend_text(summary.spent_nusd, summary.unpriced_calls),
    )
