"""The durable record: the only SQL in runner."""

from runner.ledger.ledger import Ledger, open_ledger
from runner.ledger.life.claims import Claim, Unclaimable
from runner.ledger.life.record import Launch
from runner.ledger.life.sweeps import Reopened
from runner.ledger.reads.cell_counts import CellCount, read_cell_counts
from runner.ledger.reads.query import Answer, run_query
from runner.ledger.reads.reader import LedgerReader, read_ledger
from runner.ledger.reads.reason_counts import ReasonCount, read_reason_counts
from runner.ledger.reads.summaries import SweepSummary
from runner.ledger.reads.trial_reads import find_trial, read_trial
from runner.ledger.reads.trial_records import (
    AttemptRecord,
    GradeRecord,
    ModelCallRecord,
    ToolCallRecord,
    TrialRecord,
)
from runner.ledger.schema.soundness import Soundness, check_ledger
from runner.ledger.schema.upgrading import Upgrade, upgrade_ledger
from runner.ledger.store.address import LedgerAddress, parse_address
from runner.ledger.store.content import LedgerBlobs

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
