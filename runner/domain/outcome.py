"""How a trial can end, and what each ending means for counting, grading and retrying."""

from __future__ import annotations

from enum import StrEnum


class Outcome(StrEnum):
    """A settled trial's outcome."""

    PASS = "pass"  # noqa: S105 - an outcome, no password
    FAIL = "fail"
    INFRA_ERROR = "infra_error"


class Reason(StrEnum):
    """The machine-readable kind of an ending; a public column of the ledger."""

    COMPLETED = "completed"

    TIME_LIMIT = "time_limit"
    MAX_STEPS = "max_steps"
    OUTPUT_TOKENS = "output_tokens"
    COST_LIMIT = "cost_limit"
    CONTEXT_WINDOW = "context_window"
    REFUSAL = "refusal"
    TRUNCATED = "truncated"
    TRUNCATED_TOOL_CALL = "truncated_tool_call"
    NO_RESPONSE = "no_response"
    STUCK = "stuck"

    TEST_TIMEOUT = "test_timeout"
    TAMPERED = "tampered"

    OOM = "oom"
    SANDBOX_START = "sandbox_start"
    IMAGE_PULL = "image_pull"
    SETUP_TIMEOUT = "setup_timeout"
    RATE_LIMITED = "rate_limited"
    OVERLOADED = "overloaded"
    API_TIMEOUT = "api_timeout"
    API_ERROR = "api_error"
    STREAM_CUT = "stream_cut"
    UNKNOWN_STOP_REASON = "unknown_stop_reason"
    AGENT_REPORTED_ERROR = "agent_reported_error"
    GRADER_ERROR = "grader_error"
    GRADER_OOM = "grader_oom"
    BAD_REWARD = "bad_reward"
    UNFORESEEN = "unforeseen"

    AUTH = "auth"
    NO_CREDIT = "no_credit"
    FORBIDDEN = "forbidden"

    INTERRUPTED = "interrupted"
    BUDGET = "budget"

    @property
    def graded(self) -> bool:
        """Whether graders judge the state that the agent left."""
        return self is Reason.COMPLETED or self in OWN_LIMITS

    @property
    def retried(self) -> bool:
        """Whether the same sweep tries again by itself (an infrastructure error)."""
        return not (self.graded or self in DECIDED_FAIL or self.leaves_open)

    @property
    def leaves_open(self) -> bool:
        """Whether the trial stays open, for a later resume."""
        return self in HARD_STOPS or self in GIVEN_BACK

    @property
    def opens_breaker(self) -> bool:
        """Whether every further call would fail alike, so that nothing new may start."""
        return self in HARD_STOPS


#: Endings by the agent's own doing or limits: a work product's graders decide; an answer that was
#: never submitted fails.
OWN_LIMITS = frozenset(
    {
        Reason.TIME_LIMIT,
        Reason.MAX_STEPS,
        Reason.OUTPUT_TOKENS,
        Reason.COST_LIMIT,
        Reason.CONTEXT_WINDOW,
        Reason.REFUSAL,
        Reason.TRUNCATED,
        Reason.TRUNCATED_TOOL_CALL,
        Reason.NO_RESPONSE,
        Reason.STUCK,
    }
)
#: Verdicts that graders give as a reason of their own.
DECIDED_FAIL = frozenset({Reason.TEST_TIMEOUT, Reason.TAMPERED})
HARD_STOPS = frozenset({Reason.AUTH, Reason.NO_CREDIT, Reason.FORBIDDEN})
GIVEN_BACK = frozenset({Reason.INTERRUPTED, Reason.BUDGET})
