"""What each exit code of ``runner`` means."""

from __future__ import annotations

from enum import IntEnum


class ExitCode(IntEnum):
    """How a command ended, for scripts."""

    DONE = 0
    MISUSE = 2
    BROKEN = 3
    INCOMPLETE = 4
    BUDGET = 5
    OUR_FAULT = 70
    INTERRUPTED = 130
    TERMINATED = 143


#: The leading ``\b`` keeps typer from filling the lines into one paragraph.
TABLE = """\b
Exit codes:
    0  done
    2  misuse, or a bad suite file: correct the input
    3  the ledger, the machine or a service failed
    4  incomplete: trials are open, or settled as infrastructure errors
    5  the budget is reached
   70  a fault of runner itself; the traceback is kept in a file
  130  interrupted (Ctrl-C); `runner resume` goes on
  143  terminated; `runner resume` goes on
"""
