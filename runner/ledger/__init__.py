"""The durable record: the only SQL in runner."""

from runner.ledger.address import LedgerAddress, parse_address
from runner.ledger.cell_counts import CellCount, read_cell_counts
from runner.ledger.claims import Claim, Unclaimable
from runner.ledger.content import LedgerBlobs
from runner.ledger.ledger import Ledger, open_ledger
from runner.ledger.query import Answer, run_query
from runner.ledger.reads import LedgerReader, read_ledger
from runner.ledger.reason_counts import ReasonCount, read_reason_counts
from runner.ledger.record import Launch
from runner.ledger.soundness import Soundness, check_ledger
from runner.ledger.summaries import SweepSummary
from runner.ledger.sweeps import Reopened
from runner.ledger.trial_reads import find_trial, read_trial
from runner.ledger.trial_records import (
    AttemptRecord,
    GradeRecord,
    ModelCallRecord,
    ToolCallRecord,
    TrialRecord,
)
from runner.ledger.upgrading import Upgrade, upgrade_ledger

__all__ = [
    "Answer",
    "AttemptRecord",
    "CellCount",
    "Claim",
    "GradeRecord",
    "Launch",
    "Ledger",
    "LedgerAddress",
    "LedgerBlobs",
    "LedgerReader",
    "ModelCallRecord",
    "ReasonCount",
    "Reopened",
    "Soundness",
    "SweepSummary",
    "ToolCallRecord",
    "TrialRecord",
    "Unclaimable",
    "Upgrade",
    "check_ledger",
    "find_trial",
    "open_ledger",
    "parse_address",
    "read_cell_counts",
    "read_ledger",
    "read_reason_counts",
    "read_trial",
    "run_query",
    "upgrade_ledger",
]
