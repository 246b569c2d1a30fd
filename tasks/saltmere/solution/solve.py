"""Compute one answer from the papers in the current directory.

Usage: python3 solve.py TASK_ID; the answer is the last line of the output.
"""

from __future__ import annotations

import sys

sys.dont_write_bytecode = True  # what lies here is what the suite's digest covers

from aggregates import AGGREGATES  # noqa: E402
from lookups import LOOKUPS  # noqa: E402
from puzzles import PUZZLES  # noqa: E402
from routes import ROUTES  # noqa: E402

ANSWERS = {**LOOKUPS, **AGGREGATES, **ROUTES, **PUZZLES}


def main(arguments: list[str]) -> int:
    """Print the answer to the task that is named; 2 if there is no such task."""
    if len(arguments) != 1 or arguments[0] not in ANSWERS:
        print("usage: solve.py TASK_ID, one of:", *ANSWERS, sep="\n  ", file=sys.stderr)
        return 2
    print(ANSWERS[arguments[0]]())
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
