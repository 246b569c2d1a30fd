"""The reference of the ledger, made from its own schema; ``docs/ledger.md`` is its output.

python -m runner.ledger.schema.reference > docs/ledger.md
"""

from __future__ import annotations

import sys
from collections.abc import Iterator

from sqlalchemy import Column, Table

from runner.ledger.schema.tables import metadata

INTRODUCTION = """\
# The ledger

Everything that happens is a row in one database: SQLite in `./ledger.db`, or PostgreSQL. The
tables and views below have the same names, columns and answers on both, and `runner sql` runs any
one SELECT on them without ever writing:

    runner sql "SELECT config, task, n, c FROM task_scores ORDER BY 1, 2"

Name another ledger with `--ledger FILE`, `--ledger postgresql://user@host/database`, or the
environment variable `RUNNER_LEDGER`. Any other SQL client may read it too, also while sweeps run.

Beside `ledger.db`, SQLite keeps `ledger.db-wal` and `ledger.db-shm`: they belong to it, so copy a
ledger with `sqlite3 ledger.db ".backup copy.db"`, or all three files while nothing runs. The folder
`ledger.db-workers` holds a lock file for each process that runs a sweep; the system frees the lock
when the process dies, which is how others know.

In tables, money is whole nano-dollars and time is microseconds since 1970 UTC; in views, money is
dollars and time is ISO text. NULL means unknown and never nothing. Infrastructure errors have an
outcome of their own and are in no rate; they stand in a column beside it.
"""

VIEWS = """\
## Views

| view | one row for each | columns |
|---|---|---|
| `results` | trial | `trial`, `sweep`, `suite`, `config`, `model`, `task`, `repeat`, `state`, \
`outcome`, `passed` (1, 0 or NULL), `score`, `reason`, `cost_usd`, `unpriced_calls`, \
`input_tokens`, `output_tokens`, `seconds`, `attempts`, `settled_at` |
| `task_scores` | sweep, configuration, task | `task_digest`, `trials`, `n` graded, `c` of \
them passed, `infra` errors, `open`, `pass_rate`, `mean_score` |
| `repeat_scores` | sweep, configuration, repeat | the same |
| `config_scores` | sweep, configuration | the same, and `tasks`, `spend_usd`, \
`unpriced_calls`, `cost_per_solve_usd` (all spend, lost attempts too, for each pass) |
| `spend` | sweep, configuration, role, model, state, fate | `calls`, `unpriced_calls`, \
`cost_usd`, `exposure_usd` (the most that calls of unknown fate can have cost) |

`cost_usd` is the known part; where `unpriced_calls` is above 0, the whole is at least that.
"""

EXAMPLES: tuple[tuple[str, str], ...] = (
    (
        "How often is each task solved, the flaky ones first?",
        """\
SELECT config, task, c, n, infra
FROM task_scores
ORDER BY CASE WHEN c > 0 AND c < n THEN 0 ELSE 1 END, config, task""",
    ),
    (
        "What does a solved task cost?",
        """\
SELECT sweep, config, c, n, spend_usd, unpriced_calls, cost_per_solve_usd
FROM config_scores
ORDER BY sweep, config""",
    ),
    (
        "Where did the money go, and what of it bought nothing?",
        """\
SELECT sweep, config, role, state, fate, calls, cost_usd, exposure_usd
FROM spend
ORDER BY sweep, config, role, state, fate""",
    ),
    (
        "Why did attempts end without a verdict?",
        """\
SELECT s.name AS sweep, a.ending, a.reason, count(*) AS attempts
FROM attempts a
JOIN trials t ON t.id = a.trial_id
JOIN sweeps s ON s.id = t.sweep_id
WHERE a.ending <> 'finished'
GROUP BY s.name, a.ending, a.reason
ORDER BY 4 DESC, 1, 2, 3""",
    ),
    (
        "Which tasks does one configuration solve more often than another?",
        """\
SELECT a.sweep, a.task, a.config, a.c, a.n, b.config AS other, b.c AS other_c, b.n AS other_n
FROM task_scores a
JOIN task_scores b ON b.sweep = a.sweep AND b.task = a.task AND b.config > a.config
WHERE a.c <> b.c
ORDER BY a.sweep, a.c - b.c DESC, a.task""",
    ),
)


def ledger_reference() -> str:
    """Give the whole page as Markdown."""
    return "\n".join([INTRODUCTION, *_examples(), VIEWS, "## Tables\n", *_tables()])


def _examples() -> Iterator[str]:
    yield "## Five questions\n"
    for question, statement in EXAMPLES:
        yield f"{question}\n\n```sql\n{statement};\n```\n"


def _tables() -> Iterator[str]:
    for table in metadata.sorted_tables:
        yield _table(table)


def _table(table: Table) -> str:
    lines = [f"### `{table.name}`", "", "| column | type | |", "|---|---|---|"]
    lines += [
        f"| `{column.name}` | {_type(column)} | {_remark(column)} |" for column in table.columns
    ]
    return "\n".join([*lines, ""])


def _type(column: Column[object]) -> str:
    names = {"bigint": "integer", "float": "number", "blob": "bytes"}
    name = str(column.type).lower()
    return names.get(name, name) + ("" if column.nullable else ", never NULL")


def _remark(column: Column[object]) -> str:
    keys = [f"→ `{key.target_fullname}`" for key in column.foreign_keys]
    return "; ".join([*keys, *([column.comment] if column.comment else [])])


if __name__ == "__main__":
    sys.stdout.write(ledger_reference())
