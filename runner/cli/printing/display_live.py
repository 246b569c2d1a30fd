"""Progress on a terminal: a small block that is drawn anew in place."""

from __future__ import annotations

import sys

import anyio
import anyio.to_thread
from rich.console import Console
from rich.live import Live
from rich.text import Text

from runner.cli.printing.output import say
from runner.cli.printing.view import View, span
from runner.domain import AttemptReport
from runner.errors import RunnerError
from runner.ledger import Claim
from runner.printable import one_line

DRAW_SECONDS = 0.25
MONEY_SECONDS = 2.0
BAR_COLUMNS = 24
MOST_SLOWEST = 4
_SHOW_CURSOR = "\x1b[?25h"


class LiveDisplay:
    """Draws bar, counts, money and the slowest trials in flight; gone when the run has ended."""

    def __init__(self) -> None:
        self._console = Console(stderr=True, markup=False, highlight=False, emoji=False)
        self._live: Live | None = None

    def ended(self, claim: Claim, report: AttemptReport, *, retried: bool) -> None:
        """Take no notice: the counts say it."""

    async def show(self, view: View) -> None:
        """Draw until cancelled, or until the terminal is gone."""
        live = Live(
            console=self._console,
            auto_refresh=False,
            transient=True,
            redirect_stdout=False,
            redirect_stderr=False,
        )
        try:
            with live:
                self._live = live
                async with anyio.create_task_group() as tasks:
                    tasks.start_soon(_keep_money, view)
                    while True:
                        live.update(_block(view), refresh=True)
                        await anyio.sleep(DRAW_SECONDS)
        except* OSError:
            pass  # the terminal was closed; the run goes on or is stopped by its hang-up
        finally:
            self._live = None

    def say(self, text: str) -> None:
        """Print a line above the block."""
        if self._live is None:
            say(text)
        else:
            self._console.print(Text(text), soft_wrap=True)

    def restore(self) -> None:
        """Show the cursor again."""
        if self._live is not None:
            sys.stderr.write(f"\n{_SHOW_CURSOR}")
            sys.stderr.flush()


async def _keep_money(view: View) -> None:
    while True:
        await anyio.sleep(MONEY_SECONDS)
        try:
            await anyio.to_thread.run_sync(view.refresh)
        except RunnerError:
            continue  # a ledger that cannot be read is the run's matter


def _block(view: View) -> Text:
    progress = view.progress
    done = progress.settled / progress.total if progress.total else 0.0
    full = int(done * BAR_COLUMNS)
    lines = [
        f"{'█' * full}{'░' * (BAR_COLUMNS - full)} {progress.settled}/{progress.total} settled",
        view.counts(),
        f"{view.money()} · {len(progress.in_flight)} in flight · {span(view.elapsed())}",
        *(f"  {span(age):>7} {one_line(name)}" for name, age in view.slowest(MOST_SLOWEST)),
    ]
    block = Text("\n".join(lines), no_wrap=True, overflow="ellipsis")
    block.stylize("green", 0, full)
    return block
