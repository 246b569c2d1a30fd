"""Compute every answer a second time and compare it with the key.

Usage: python prove.py; prints one line a task and ends with 1 if any differs. Nothing here shares
code with ``solution/``.
"""

from __future__ import annotations

import json
import sys
from pathlib import Path

import by_query
import riddles
import ways
from tables import database

SUITE = Path(__file__).resolve().parent.parent


def main() -> int:
    """Compare and print."""
    data = SUITE / "data"
    db = database(data)
    found = {**by_query.answers(db), **ways.answers(db, data), **riddles.answers(db, data)}
    lines = (SUITE / "questions.jsonl").read_text("utf-8").splitlines()
    key = {task["id"]: task["expect"] for task in map(json.loads, lines)}
    for task in sorted(key.keys() | found.keys()):
        same = "same" if key.get(task) == found.get(task) else "DIFFERENT"
        print(f"{same}\t{task}\t{key.get(task)}\t{found.get(task)}")
    return 0 if found == key else 1


if __name__ == "__main__":
    sys.exit(main())
