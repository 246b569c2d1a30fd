"""Whether agents have a sandbox wherever they run commands."""

from __future__ import annotations

from collections.abc import Iterable

from runner.domain import Isolation, Task
from runner.suites.parts.config_keys import ReadConfig
from runner.suites.text.mistakes import Mistakes


def check_isolation(read: ReadConfig, tasks: Iterable[Task], *, mistakes: Mistakes) -> None:
    """Refuse an agent that runs commands where a task gives it no sandbox."""
    open_task = next((t for t in tasks if t.sandbox.isolation is Isolation.NONE), None)
    if read.runs_commands and open_task is not None:
        mistakes.add(
            read.mark,
            f"the configuration {read.config.name!r} runs commands, but the task"
            f" {open_task.id!r} has isolation: none",
            hint="Write isolation: required or preferred for the task, or give the agent no tools.",
        )
