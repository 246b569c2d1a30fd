"""One trial's rows as values; contents stay behind their digests."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True, kw_only=True)
class GradeRecord:
    """A verdict; ``round`` 0 is the first grading."""

    grader: str
    round: int
    passed: bool
    score: float
    explanation: str


@dataclass(frozen=True, slots=True, kw_only=True)
class ToolCallRecord:
    """A command or an edit in the sandbox.

    Attributes:
        model_call: Row id of the model call that asked for it.
        exit: None for a tool that runs no command, or at a time limit.
    """

    number: int
    model_call: int | None
    name: str
    state: str
    input_digest: str
    exit: int | None
    seconds: float | None
    output_digest: str | None
    cut_bytes: int | None
    error: str | None


@dataclass(frozen=True, slots=True, kw_only=True)
class ModelCallRecord:
    """A request to a model and what came of it.

    Attributes:
        messages_kept: How many messages of the call before stand at the start of this one.
        messages: JSON list of the digests of the further ones.
        cost_nusd: None where it is unknown.
        reserved_nusd: The most it could cost; None where the price is unknown.
    """

    id: int
    number: int
    role: str
    model: str
    endpoint: str
    state: str
    parameters_digest: str
    messages_kept: int
    messages: str
    response_digest: str | None
    stop_reason: str | None
    reason: str | None
    detail: str | None
    http_status: int | None
    input_tokens: int | None
    output_tokens: int | None
    cache_read_tokens: int | None
    cache_write_5m_tokens: int | None
    cache_write_1h_tokens: int | None
    thinking_tokens: int | None
    cost_nusd: int | None
    reserved_nusd: int | None
    seconds: float | None


@dataclass(frozen=True, slots=True, kw_only=True)
class AttemptRecord:
    """One try at the trial.

    Attributes:
        ending: None while it runs.
        files_digest: Of the list of files that were kept.
    """

    number: int
    ending: str | None
    reason: str | None
    detail: str | None
    flags: tuple[str, ...]
    host: str
    pid: int
    started_us: int
    ended_us: int | None
    setup_seconds: float | None
    agent_seconds: float | None
    waiting_seconds: float | None
    grading_seconds: float | None
    isolation: str | None
    answer_digest: str | None
    files_digest: str | None
    model_calls: tuple[ModelCallRecord, ...]
    tool_calls: tuple[ToolCallRecord, ...]
    grades: tuple[GradeRecord, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class TrialRecord:
    """One trial; its money is the sum over all attempts."""

    id: int
    sweep: str
    config: str
    task: str
    repeat: int
    state: str
    outcome: str | None
    reason: str | None
    score: float | None
    timed_out: bool
    cost_nusd: int | None
    unpriced_calls: int
    attempts: tuple[AttemptRecord, ...]
