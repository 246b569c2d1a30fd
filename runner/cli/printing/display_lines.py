"""Progress in plain lines, for logs and pipes: at most one a second, and a sign of life."""

from __future__ import annotations

import anyio
import anyio.to_thread

from runner.cli.printing.output import say
from runner.cli.printing.view import View, span
from runner.domain import AttemptReport
from runner.errors import RunnerError
from runner.ledger import Claim
from runner.printable import one_line

LINE_SECONDS = 1.0
SIGN_OF_LIFE_SECONDS = 30.0
_MOST_DETAIL = 200


class LineDisplay:
    """Writes a line when trials have ended; the newest ending stands for those since the last."""

    def __init__(self) -> None:
        self._newest: str | None = None

    def ended(self, claim: Claim, report: AttemptReport, *, retried: bool) -> None:
        """Take note of an attempt's end."""
        name = f"{claim.config}/{claim.repeat}/{claim.task}"
        self._newest = one_line(f"{name}: {_ending(report, retried=retried)}")

    async def show(self, view: View) -> None:
        """Write lines until cancelled."""
        silent = 0.0
        while True:
            await anyio.sleep(LINE_SECONDS)
            silent += LINE_SECONDS
            if self._newest is not None:
                newest, self._newest, silent = self._newest, None, 0.0
                await _refresh(view)
                say(f"{_standing(view)}; last: {newest}")
            elif silent >= SIGN_OF_LIFE_SECONDS:
                silent = 0.0
                say(f"{_standing(view)}; {_waiting(view)}")

    def say(self, text: str) -> None:
        """Write a line."""
        say(text)

    def restore(self) -> None:
        """Leave the terminal alone: nothing was changed."""


def _standing(view: View) -> str:
    progress = view.progress
    return (
        f"{progress.settled}/{progress.total} settled: {view.counts()}; {view.money()}; "
        f"{len(progress.in_flight)} in flight, {span(view.elapsed())}"
    )


def _waiting(view: View) -> str:
    slowest = [f"{one_line(name)} for {span(age)}" for name, age in view.slowest(1)]
    return f"slowest: {slowest[0]}" if slowest else "waiting to try again"


def _ending(report: AttemptReport, *, retried: bool) -> str:
    if report.outcome is None or retried or report.outcome == "infra_error":
        again = ", to be tried again" if retried else ""
        detail = (
            "" if report.detail is None else f": {report.detail.splitlines()[0][:_MOST_DETAIL]}"
        )
        return f"{report.ending} ({report.reason}){again}{detail}"
    return f"{report.outcome} ({report.reason})"


async def _refresh(view: View) -> None:
    """Read the money; a ledger that cannot be read is the run's matter, not the display's."""
    try:
        await anyio.to_thread.run_sync(view.refresh)
    except RunnerError:
        return
