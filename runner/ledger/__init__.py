"""The durable record: the only SQL in runner."""

from runner.ledger.address import LedgerAddress, parse_address
from runner.ledger.claims import Claim, Unclaimable
from runner.ledger.content import LedgerBlobs
from runner.ledger.ledger import Ledger, open_ledger
from runner.ledger.query import Answer, run_query
from runner.ledger.reads import LedgerReader, read_ledger
from runner.ledger.record import Launch
from runner.ledger.summaries import SweepSummary
from runner.ledger.sweeps import Reopened

__all__ = [
    "Answer",
    "Claim",
    "Launch",
    "Ledger",
    "LedgerAddress",
    "LedgerBlobs",
    "LedgerReader",
    "Reopened",
    "SweepSummary",
    "Unclaimable",
    "open_ledger",
    "parse_address",
    "read_ledger",
    "run_query",
]
