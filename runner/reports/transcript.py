"""One trial's transcript as a value: all that was said and done, in order, attempt by attempt."""

from __future__ import annotations

import json
from collections.abc import Iterator
from dataclasses import dataclass

from runner.domain import Json
from runner.ledger import (
    AttemptRecord,
    LedgerReader,
    ModelCallRecord,
    ToolCallRecord,
    TrialRecord,
    find_trial,
    read_trial,
)
from runner.reports.kept_files import KeptFiles, read_kept_files


@dataclass(frozen=True, slots=True, kw_only=True)
class ModelTurn:
    """A request to a model and its answer.

    Attributes:
        parameters: The request without its messages; None where it is that of the turn before.
        said: The messages that the turn before had not sent yet, without that turn's own answer.
        answer: The answer's message, or what had come of it when it broke off.
    """

    call: ModelCallRecord
    parameters: Json
    said: tuple[Json, ...]
    answer: Json


@dataclass(frozen=True, slots=True, kw_only=True)
class ToolUse:
    """A command or an edit, what it was given and what it gave."""

    call: ToolCallRecord
    given: Json
    output: str | None


@dataclass(frozen=True, slots=True, kw_only=True)
class AttemptTranscript:
    """One attempt; its steps in the order in which they happened."""

    record: AttemptRecord
    steps: tuple[ModelTurn | ToolUse, ...]
    answer: str | None
    files: KeptFiles | None


@dataclass(frozen=True, slots=True, kw_only=True)
class Transcript:
    """A whole trial."""

    trial: TrialRecord
    attempts: tuple[AttemptTranscript, ...]


def read_transcript(reader: LedgerReader, trial: str) -> Transcript:
    """Read a trial's transcript.

    Args:
        reader: The open ledger.
        trial: Its number, or ``SWEEP/CONFIG/REPEAT/TASK``.

    Raises:
        NotFoundError: If there is none such.
    """
    record = read_trial(reader, find_trial(reader, trial))
    return Transcript(
        trial=record, attempts=tuple(_attempt(reader, attempt) for attempt in record.attempts)
    )


def _attempt(reader: LedgerReader, record: AttemptRecord) -> AttemptTranscript:
    return AttemptTranscript(
        record=record,
        steps=tuple(_steps(reader, record)),
        answer=_text(reader, record.answer_digest),
        files=read_kept_files(reader, record.files_digest),
    )


def _steps(reader: LedgerReader, record: AttemptRecord) -> Iterator[ModelTurn | ToolUse]:
    before: ModelCallRecord | None = None
    known = 0
    for call in record.model_calls:
        digests: list[str] = json.loads(call.messages)
        said = [_json(reader, digest) for digest in digests]
        if before is not None and before.response_digest and call.messages_kept == known:
            said = said[1:] if said and _role(said[0]) == "assistant" else said
        same = before is not None and before.parameters_digest == call.parameters_digest
        yield ModelTurn(
            call=call,
            parameters=None if same else _json(reader, call.parameters_digest),
            said=tuple(said),
            answer=_json(reader, call.response_digest),
        )
        yield from _tools(reader, record, call.id)
        before, known = call, call.messages_kept + len(digests)
    yield from _tools(reader, record, None)


def _tools(reader: LedgerReader, record: AttemptRecord, asked_by: int | None) -> Iterator[ToolUse]:
    for tool in record.tool_calls:
        if tool.model_call == asked_by:
            yield ToolUse(
                call=tool,
                given=_json(reader, tool.input_digest),
                output=_text(reader, tool.output_digest),
            )


def _role(message: Json) -> Json:
    return message.get("role") if isinstance(message, dict) else None


def _json(reader: LedgerReader, digest: str | None) -> Json:
    """Parse a content; what is no JSON stays text."""
    text = _text(reader, digest)
    if text is None:
        return None
    try:
        value: Json = json.loads(text)
    except ValueError:
        return text
    return value


def _text(reader: LedgerReader, digest: str | None) -> str | None:
    if digest is None:
        return None
    data = reader.read(digest)
    try:
        return data.decode("utf-8", "surrogatepass")
    except UnicodeDecodeError:
        return data.decode("utf-8", "backslashreplace")
