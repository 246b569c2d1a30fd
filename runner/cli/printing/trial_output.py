"""Printing one trial."""

from __future__ import annotations

from runner.cli.ledger_address import ledger_address
from runner.cli.printing.output import write_json, write_text
from runner.ledger import read_ledger
from runner.reports import read_transcript, transcript_json, transcript_text


def print_trial(trial: str, *, files: bool, ledger: str | None, as_json: bool) -> None:
    """Print a trial's transcript, or the files that its attempts left."""
    with read_ledger(ledger_address(ledger)) as reader:
        transcript = read_transcript(reader, trial)
    if as_json:
        write_json(transcript_json(transcript))
    else:
        write_text(transcript_text(transcript, files=files))
