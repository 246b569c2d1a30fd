"""Printing the answer to a query: as a table, JSON or CSV."""

from __future__ import annotations

import csv
import io
import json
import sys
from collections import Counter
from collections.abc import Sequence

from runner.cli.ledger_address import ledger_address
from runner.cli.printing.output import say, write_json, write_text
from runner.domain import Json
from runner.ledger import Answer, run_query
from runner.printable import printable
from runner.reports import table_text


def print_query(statement: str, *, ledger: str | None, as_json: bool, as_csv: bool) -> None:
    """Run a query and print what it gives."""
    answer = run_query(ledger_address(ledger), statement)
    names = _distinct(answer.columns)
    if as_json:
        write_json([dict(zip(names, row, strict=True)) for row in answer.rows])
    elif as_csv:
        _write_csv(answer, names)
    else:
        rows = [[_cell(value, null="NULL") for value in row] for row in answer.rows]
        write_text(table_text(names, rows, right=_numeric(answer)))
        say(f"({len(rows)} row{'' if len(rows) == 1 else 's'})")


def _distinct(columns: Sequence[str]) -> list[str]:
    """Number the columns that share a name, so that none is lost in an object."""
    seen: Counter[str] = Counter()
    names = []
    for column in columns:
        seen[column] += 1
        names.append(column if seen[column] == 1 else f"{column}_{seen[column]}")
    return names


def _write_csv(answer: Answer, names: Sequence[str]) -> None:
    text = io.StringIO()
    writer = csv.writer(text, lineterminator="\n")
    writer.writerow(names)
    writer.writerows([_cell(value, null="") for value in row] for row in answer.rows)
    write_text(printable(text.getvalue()) if sys.stdout.isatty() else text.getvalue())


def _cell(value: Json, *, null: str) -> str:
    if value is None:
        return null
    return value if isinstance(value, str) else json.dumps(value)


def _numeric(answer: Answer) -> frozenset[int]:
    """Tell which columns hold numbers and nothing else."""
    kinds: list[set[type]] = [set() for _ in answer.columns]
    for row in answer.rows:
        for kind, value in zip(kinds, row, strict=True):
            if value is not None:
                kind.add(type(value))
    return frozenset(n for n, kind in enumerate(kinds) if kind and kind <= {int, float})
