"""A transcript as JSON."""

from __future__ import annotations

from dataclasses import fields

from runner.domain import Json, JsonObject
from runner.ledger import AttemptRecord, GradeRecord, ModelCallRecord, ToolCallRecord, TrialRecord
from runner.reports.money import dollars
from runner.reports.sweep_json import iso
from runner.reports.transcript import AttemptTranscript, ModelTurn, ToolUse, Transcript


def transcript_json(transcript: Transcript) -> JsonObject:
    """Give the whole transcript."""
    trial = transcript.trial
    return {
        "trial": trial.id,
        **_plain(trial, without=("id", "attempts", "cost_nusd")),
        "cost_usd": dollars(trial.cost_nusd),
        "attempts": [_attempt(attempt) for attempt in transcript.attempts],
    }


def _attempt(attempt: AttemptTranscript) -> JsonObject:
    record = attempt.record
    return {
        **_plain(record, without=_ELSEWHERE),
        "started_at": iso(record.started_us),
        "ended_at": None if record.ended_us is None else iso(record.ended_us),
        "steps": [_step(step) for step in attempt.steps],
        "answer": attempt.answer,
        "files": None if attempt.files is None else attempt.files.model_dump(mode="json"),
        "grades": [_plain(grade) for grade in record.grades],
    }


_ELSEWHERE = (
    "started_us",
    "ended_us",
    "model_calls",
    "tool_calls",
    "grades",
    "answer_digest",
    "files_digest",
)


def _step(step: ModelTurn | ToolUse) -> JsonObject:
    match step:
        case ModelTurn():
            return {
                "kind": "model_call",
                **_plain(step.call, without=_CALL_ELSEWHERE),
                "cost_usd": dollars(step.call.cost_nusd),
                "reserved_usd": dollars(step.call.reserved_nusd),
                "parameters": step.parameters,
                "said": list(step.said),
                "answer": step.answer,
            }
        case ToolUse():
            return {
                "kind": "tool_call",
                **_plain(step.call, without=("input_digest", "output_digest")),
                "input": step.given,
                "output": step.output,
            }


_CALL_ELSEWHERE = (
    "parameters_digest",
    "messages_kept",
    "messages",
    "response_digest",
    "cost_nusd",
    "reserved_nusd",
)
_Record = TrialRecord | AttemptRecord | ModelCallRecord | ToolCallRecord | GradeRecord


def _plain(record: _Record, *, without: tuple[str, ...] = ()) -> dict[str, Json]:
    """Give a record's own fields, but for those that are said in another way."""
    return {
        field.name: _value(getattr(record, field.name))
        for field in fields(record)
        if field.name not in without
    }


def _value(value: Json) -> Json:
    return list(value) if isinstance(value, tuple) else value
