"""From the ledger to frozen report values, and from those to text and JSON."""

from runner.reports.money import dollars, spend_text, usd
from runner.reports.sweep_json import summary_json, sweep_json
from runner.reports.sweep_report import ConfigReport, SweepReport, TaskReport, read_sweep_report
from runner.reports.sweep_text import sweep_text
from runner.reports.table import table_text
from runner.reports.transcript import Transcript, read_transcript
from runner.reports.transcript_json import transcript_json
from runner.reports.transcript_text import transcript_text

__all__ = [
    "ConfigReport",
    "SweepReport",
    "TaskReport",
    "Transcript",
    "dollars",
    "read_sweep_report",
    "read_transcript",
    "spend_text",
    "summary_json",
    "sweep_json",
    "sweep_text",
    "table_text",
    "transcript_json",
    "transcript_text",
    "usd",
]
