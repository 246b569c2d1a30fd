"""All that the ledger holds about one trial, as values."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from sqlalchemy import Row

from runner.errors import NotFoundError
from runner.ledger.reads.reader import LedgerReader
from runner.ledger.reads.trial_records import (
    AttemptRecord,
    GradeRecord,
    ModelCallRecord,
    ToolCallRecord,
    TrialRecord,
)
from runner.ledger.store.rows import row_id


def find_trial(reader: LedgerReader, name: str) -> int:
    """Give a trial's number.

    Args:
        reader: The open ledger.
        name: Its number, or ``SWEEP/CONFIG/REPEAT/TASK``; the task may hold slashes.

    Raises:
        NotFoundError: If there is none such.
    """
    number = row_id(name)
    if number is None:
        found = _by_parts(reader, name)
    else:
        found = reader.rows("SELECT id FROM trials WHERE id = :id", {"id": number})
    if not found:
        raise NotFoundError(
            f"there is no trial {name!r} in the ledger {reader.address}",
            hint='Name it by its number (`runner sql "SELECT trial, config, repeat, task FROM '
            'results"` lists them) or as SWEEP/CONFIG/REPEAT/TASK.',
        )
    return int(found[0].id)


def read_trial(reader: LedgerReader, trial: int) -> TrialRecord:
    """Read one trial with all its attempts, oldest first."""
    row = reader.rows(_TRIAL, {"trial": trial})[0]
    values = {"trial": trial}
    calls = reader.rows(_MODEL_CALLS, values)
    tools = reader.rows(_TOOL_CALLS, values)
    grades = reader.rows(_GRADES, values)
    return TrialRecord(
        id=row.id,
        sweep=row.sweep,
        config=row.config,
        task=row.task,
        repeat=row.repeat,
        state=row.state,
        outcome=row.outcome,
        reason=row.reason,
        score=row.score,
        timed_out=bool(row.timed_out),
        cost_nusd=row.cost_nusd,
        unpriced_calls=row.unpriced_calls,
        attempts=tuple(
            _attempt(attempt, calls=calls, tools=tools, grades=grades)
            for attempt in reader.rows(_ATTEMPTS, values)
        ),
    )


def _by_parts(reader: LedgerReader, name: str) -> Sequence[Row[Any]]:
    """Compare the whole name, since sweeps and configurations may hold slashes as well."""
    return reader.rows(_BY_NAME, {"name": name}) or reader.rows(_BY_SWEEP_NUMBER, {"name": name})


def _attempt(
    row: Row[Any],
    *,
    calls: Sequence[Row[Any]],
    tools: Sequence[Row[Any]],
    grades: Sequence[Row[Any]],
) -> AttemptRecord:
    own = row.id
    return AttemptRecord(
        number=row.number,
        ending=row.ending,
        reason=row.reason,
        detail=row.detail,
        flags=tuple(row.flags.split()),
        host=row.host,
        pid=row.pid,
        started_us=row.started_us,
        ended_us=row.ended_us,
        setup_seconds=row.setup_seconds,
        agent_seconds=row.agent_seconds,
        waiting_seconds=row.waiting_seconds,
        grading_seconds=row.grading_seconds,
        isolation=row.isolation,
        answer_digest=row.answer_digest,
        files_digest=row.files_digest,
        model_calls=tuple(_model_call(call) for call in calls if call.attempt_id == own),
        tool_calls=tuple(_tool_call(tool) for tool in tools if tool.attempt_id == own),
        grades=tuple(_grade(grade) for grade in grades if grade.attempt_id == own),
    )


def _model_call(row: Row[Any]) -> ModelCallRecord:
    return ModelCallRecord(
        id=row.id,
        number=row.number,
        role=row.role,
        model=row.model,
        endpoint=row.endpoint,
        state=row.state,
        parameters_digest=row.parameters_digest,
        messages_kept=row.messages_kept,
        messages=row.messages,
        response_digest=row.response_digest,
        stop_reason=row.stop_reason,
        reason=row.reason,
        detail=row.detail,
        http_status=row.http_status,
        input_tokens=row.input_tokens,
        output_tokens=row.output_tokens,
        cache_read_tokens=row.cache_read_tokens,
        cache_write_5m_tokens=row.cache_write_5m_tokens,
        cache_write_1h_tokens=row.cache_write_1h_tokens,
        thinking_tokens=row.thinking_tokens,
        cost_nusd=row.cost_nusd,
        reserved_nusd=row.reserved_nusd,
        seconds=row.seconds,
    )


def _tool_call(row: Row[Any]) -> ToolCallRecord:
    return ToolCallRecord(
        number=row.number,
        model_call=row.model_call_id,
        name=row.name,
        state=row.state,
        input_digest=row.input_digest,
        exit=row.exit,
        seconds=row.seconds,
        output_digest=row.output_digest,
        cut_bytes=row.cut_bytes,
        error=row.error,
    )


def _grade(row: Row[Any]) -> GradeRecord:
    return GradeRecord(
        grader=row.grader,
        round=row.round,
        passed=bool(row.passed),
        score=row.score,
        explanation=row.explanation,
    )


_NAME = "'/' || c.name || '/' || CAST(t.repeat AS TEXT) || '/' || k.name"
_NAMED = """
FROM trials t
JOIN sweeps s ON s.id = t.sweep_id
JOIN configs c ON c.id = t.config_id
JOIN tasks k ON k.id = t.task_id
WHERE"""
_BY_NAME = f"SELECT t.id {_NAMED} s.name || {_NAME} = :name"
_BY_SWEEP_NUMBER = f"SELECT t.id {_NAMED} CAST(s.id AS TEXT) || {_NAME} = :name"
_TRIAL = f"""
SELECT t.id, s.name AS sweep, c.name AS config, k.name AS task, t.repeat, t.state, t.outcome,
       t.reason, t.score, t.timed_out, t.cost_nusd, t.unpriced_calls {_NAMED} t.id = :trial"""
_ATTEMPTS = """
SELECT a.*, w.host, w.pid FROM attempts a JOIN workers w ON w.id = a.worker_id
WHERE a.trial_id = :trial ORDER BY a.number"""
_OF_TRIAL = "IN (SELECT id FROM attempts WHERE trial_id = :trial)"
_MODEL_CALLS = f"SELECT * FROM model_calls WHERE attempt_id {_OF_TRIAL} ORDER BY number"  # noqa: S608 - as above
_TOOL_CALLS = f"SELECT * FROM tool_calls WHERE attempt_id {_OF_TRIAL} ORDER BY number"  # noqa: S608 - as above
_GRADES = f"SELECT * FROM grades WHERE attempt_id {_OF_TRIAL} ORDER BY round, id"  # noqa: S608 - as above
