"""Writing down a launch: suite, tasks, configurations, sweep and plan; all of it idempotent.

Launch, resume and added repeats go through the same code: what is there already stays as it is.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import count, islice

from sqlalchemy import Connection, Table, select, update
from sqlalchemy.dialects import postgresql, sqlite
from sqlalchemy.dialects.postgresql import Insert as PostgresInsert
from sqlalchemy.dialects.sqlite import Insert as SqliteInsert

from runner.domain import Config, JsonObject, PlannedTrial, Suite, Task, canonical_json, expand
from runner.errors import UsageError
from runner.ledger.schema.tables import configs, suites, sweeps, tasks, trials
from runner.ledger.store.blobs import Blobs

_ROWS_AT_ONCE = 5_000


@dataclass(frozen=True, slots=True, kw_only=True)
class Launch:
    """What a new sweep is made of.

    Attributes:
        name: Unique in the ledger; None for the suite's name with the next free number.
        suite: As selected; its configurations are the ones that run.
        document: The suite as JSON, from which a resume can go on without the file.
        suite_path: The file's absolute path, for people and for resume's comparison.
        environment: Versions, host, kernel and the like.
    """

    name: str | None
    suite: Suite
    document: JsonObject
    suite_path: str
    environment: JsonObject
    created_us: int


def record_launch(connection: Connection, launch: Launch) -> int:
    """Write a new sweep with all its pending trials; give the sweep's id.

    Raises:
        UsageError: If the name is taken.
    """
    blobs = Blobs()
    document = blobs.add(canonical_json(launch.document))
    blobs.insert(connection)
    suite = launch.suite
    values = {
        "suite_id": _suite_id(connection, suite),
        "document_digest": document,
        "suite_path": launch.suite_path,
        "state": "open",
        "repeats": suite.repeats,
        "seed": suite.seed,
        "max_in_flight": suite.max_in_flight,
        "infra_attempts": suite.infra_attempts,
        "budget_nusd": suite.budget_nusd,
        "spent_nusd": 0,
        "reserved_nusd": 0,
        "exposed_nusd": 0,
        "priced_calls": 0,
        "unpriced_calls": 0,
        "environment": canonical_json(launch.environment).decode(),
        "created_us": launch.created_us,
    }
    sweep = _named_sweep(connection, launch, values)
    record_plan(connection, sweep, suite, repeats=suite.repeats)
    return sweep


def record_plan(
    connection: Connection, sweep: int, suite: Suite, *, repeats: int, first_repeat: int = 1
) -> None:
    """Write the trials of these repeats that are not there yet, all pending."""
    task_ids = _task_ids(connection, suite.tasks)
    config_ids = _config_ids(connection, suite.configs)
    plan = expand(
        tasks=list(task_ids),
        configs=list(config_ids),
        repeats=repeats,
        seed=suite.seed,
        first_repeat=first_repeat,
    )
    rows = (_trial_row(sweep, task_ids, config_ids, planned) for planned in plan)
    statement = _insert(connection, trials).on_conflict_do_nothing()
    while chunk := list(islice(rows, _ROWS_AT_ONCE)):
        connection.execute(statement, chunk)


def raise_repeats(connection: Connection, sweep: int, suite: Suite, *, repeats: int) -> int:
    """Add repeats to a sweep; give how many there were. Fewer than before deletes nothing."""
    before: int = connection.scalars(select(sweeps.c.repeats).where(sweeps.c.id == sweep)).one()
    if repeats > before:
        record_plan(connection, sweep, suite, repeats=repeats, first_repeat=before + 1)
        lower = (sweeps.c.id == sweep) & (sweeps.c.repeats < repeats)
        connection.execute(update(sweeps).where(lower).values(repeats=repeats))
    return before


def record_contents(connection: Connection, contents: Sequence[bytes]) -> None:
    """Keep the suite's files, so that a resume needs none of them on disk."""
    blobs = Blobs()
    for data in contents:
        blobs.add(data)
    blobs.insert(connection)


def _named_sweep(connection: Connection, launch: Launch, values: Mapping[str, object]) -> int:
    """Write the sweep's row under a name that is free, also of other launches at this moment."""
    statement = _insert(connection, sweeps).on_conflict_do_nothing().returning(sweeps.c.id)
    names = iter([launch.name]) if launch.name else (f"{launch.suite.name}-{n}" for n in count(1))
    for name in names:
        sweep: int | None = connection.scalar(statement, {**values, "name": name})
        if sweep is not None:
            return sweep
    raise UsageError(
        f"there is a sweep named {launch.name!r} already",
        hint=f"Go on with `runner resume {launch.name}` or choose another --name.",
    )


def _trial_row(
    sweep: int, task_ids: Mapping[str, int], config_ids: Mapping[str, int], planned: PlannedTrial
) -> dict[str, object]:
    return {
        "sweep_id": sweep,
        "config_id": config_ids[planned.config],
        "task_id": task_ids[planned.task],
        "repeat": planned.repeat,
        "position": planned.position,
        "state": "pending",
    }


def _suite_id(connection: Connection, suite: Suite) -> int:
    row = {"name": suite.name, "digest": suite.digest}
    connection.execute(_insert(connection, suites).on_conflict_do_nothing(), row)
    same = (suites.c.name == suite.name) & (suites.c.digest == suite.digest)
    return int(connection.scalars(select(suites.c.id).where(same)).one())


def _task_ids(connection: Connection, wanted: Sequence[Task]) -> dict[str, int]:
    """Write each task's version and give the row ids by task name."""
    statement = _insert(connection, tasks)
    upsert = statement.on_conflict_do_update(
        index_elements=["name", "digest"], set_={"tags": statement.excluded.tags}
    )
    digests = {task.id: task.digest for task in wanted}
    rows = [
        {"name": task.id, "digest": digests[task.id], "tags": canonical_json(task.tags).decode()}
        for task in wanted
    ]
    for chunk in _chunks(rows):
        connection.execute(upsert, chunk)
    return _ids_by_name(connection, tasks, digests)


def _config_ids(connection: Connection, wanted: Sequence[Config]) -> dict[str, int]:
    digests = {config.name: config.digest for config in wanted}
    rows = [
        {
            "name": config.name,
            "agent": config.agent,
            "model": config.model,
            "spec": canonical_json(config.canonical()).decode(),
            "digest": digests[config.name],
        }
        for config in wanted
    ]
    connection.execute(_insert(connection, configs).on_conflict_do_nothing(), rows)
    return _ids_by_name(connection, configs, digests)


def _ids_by_name(
    connection: Connection, table: Table, digests: Mapping[str, str]
) -> dict[str, int]:
    """Look up row ids by name and digest, in the order of ``digests``."""
    found: dict[str, int] = {}
    names = list(digests)
    for start in range(0, len(names), 500):
        chunk = names[start : start + 500]
        rows = connection.execute(
            select(table.c.id, table.c.name, table.c.digest).where(table.c.name.in_(chunk))
        )
        found.update({row.name: row.id for row in rows if digests[row.name] == row.digest})
    return {name: found[name] for name in names}


def _chunks(rows: list[dict[str, str]]) -> Iterator[list[dict[str, str]]]:
    for start in range(0, len(rows), _ROWS_AT_ONCE):
        yield rows[start : start + _ROWS_AT_ONCE]


def _insert(connection: Connection, table: Table) -> SqliteInsert | PostgresInsert:
    if connection.dialect.name == "sqlite":
        return sqlite.insert(table)
    return postgresql.insert(table)
