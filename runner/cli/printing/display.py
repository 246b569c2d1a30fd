"""What a run shows on stderr while it goes on: a block on a terminal, plain lines elsewhere."""

from __future__ import annotations

import sys
from typing import Protocol

from runner.cli.printing.view import View
from runner.engine.progress import Watcher


class Display(Watcher, Protocol):
    """Shows a run's progress; never a reason for the run to fail."""

    async def show(self, view: View) -> None:
        """Show the run until cancelled."""
        ...

    def say(self, text: str) -> None:
        """Tell people something, above whatever is shown."""
        ...

    def restore(self) -> None:
        """Give the terminal back as it was."""
        ...


def make_display(*, plain: bool) -> Display:
    """Choose the display that stderr can show.

    Args:
        plain: Whether the environment asks for plain lines.
    """
    if plain or not sys.stderr.isatty():
        from runner.cli.printing.display_lines import LineDisplay  # noqa: PLC0415 - only one is needed

        return LineDisplay()
    from runner.cli.printing.display_live import LiveDisplay  # noqa: PLC0415 - rich is slow to load

    return LiveDisplay()
