"""A small suite and a real ledger, to launch and resume in this process."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any

from runner.domain import AttemptReport
from runner.engine.clock import SystemClock
from runner.engine.launch import LaunchRequest, launch, plan_launch
from runner.engine.progress import Progress
from runner.engine.resume import Resumed, ResumeRequest, plan_resume, resume
from runner.engine.run import Equipment
from runner.engine.stopping import Stopper
from runner.ledger import Claim, SweepSummary, parse_address, run_query

SUITE = """\
suite: small
tasks:
  - {id: a, instruction: "Say 1.", expect: "1"}
  - {id: b, instruction: "Say 2.", expect: "2"}
  - {id: c, instruction: "Say 3.", expect: "3"}
defaults:
  sandbox: {isolation: none}
configs:
  script: {agent: scripted, script: script.yaml}
repeats: 2
max_in_flight: 2
"""
SCRIPT = """\
cases:
  - {task: a, steps: [{submit: "1"}]}
  - {task: b, steps: [{submit: "no"}]}
  - {task: c, steps: [{submit: "3"}]}
"""


class Bench:
    """A suite in a folder and a ledger beside it."""

    def __init__(self, folder: Path) -> None:
        """Write the suite; call it from within an event loop."""
        self.folder = folder
        self.suite = folder / "suite.yaml"
        self.script = folder / "script.yaml"
        self.suite.write_text(SUITE)
        self.script.write_text(SCRIPT)
        self.address = parse_address(str(folder / "ledger.db"))
        self.stopper = Stopper()
        self.on_end: Callable[[], None] = lambda: None
        self.ended_reports: list[AttemptReport] = []
        self.most_at_once = 0
        self.warnings: list[str] = []
        self.equipment = Equipment(
            address=self.address,
            api_key=None,
            cache=None,
            clock=SystemClock(),
            stopper=self.stopper,
            progress=Progress(),
            watcher=self,
        )

    def ended(self, claim: Claim, report: AttemptReport, *, retried: bool) -> None:  # noqa: ARG002 - the watcher's
        """Note an attempt's end."""
        self.most_at_once = max(self.most_at_once, len(self.equipment.progress.in_flight))
        self.ended_reports.append(report)
        self.on_end()

    async def launch(self, **request: Any) -> SweepSummary:
        """Launch with these fields of a ``LaunchRequest``."""
        planned = plan_launch(LaunchRequest(suite_path=self.suite, **request), now_us=0)
        return await launch(planned, equipment=self.equipment, announce=self._hear)

    def _hear(self, _summary: SweepSummary, warnings: list[str]) -> None:
        self.warnings = warnings

    async def resume(self, **request: Any) -> tuple[SweepSummary, Resumed]:
        """Resume with these fields of a ``ResumeRequest``; give what was announced too."""
        self.stopper = Stopper()
        equipment = replace(self.equipment, stopper=self.stopper, progress=Progress())
        told: list[Resumed] = []
        planned = plan_resume(ResumeRequest(**request), self.address, now_us=0)
        summary = await resume(planned, equipment=equipment, announce=told.append)
        return summary, told[0]

    def query(self, statement: str) -> list[tuple[Any, ...]]:
        """Ask the ledger in SQL."""
        return list(run_query(self.address, statement).rows)
