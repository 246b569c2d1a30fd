"""What can go wrong with a call, and what it means: for its bill, for a retry, for the trial."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass
from email.utils import parsedate_to_datetime
from typing import NoReturn

from runner.domain import CallFate, Json, JsonObject, Reason
from runner.errors import BreakerError, ProviderError, RunnerError
from runner.models.messages.json_values import as_object, as_text
from runner.models.pricing import did_you_mean

NO_CREDIT = re.compile(
    r"insufficient_quota|credit_balance|billing_error|credit balance is too low", re.IGNORECASE
)
TOO_LONG = re.compile(
    r"prompt is too long|exceed(s|ed)? (the )?(available )?context"
    r"|context (window|limit|length|size)|request_too_large",
    re.IGNORECASE,
)
MOST_MESSAGE_CHARACTERS = 2_000

_REASON_OF_TYPE = {
    "overloaded_error": Reason.OVERLOADED,
    "rate_limit_error": Reason.RATE_LIMITED,
    "timeout_error": Reason.API_TIMEOUT,
    "authentication_error": Reason.AUTH,
    "permission_error": Reason.FORBIDDEN,
    "billing_error": Reason.NO_CREDIT,
}
_REASON_OF_STATUS = {
    401: Reason.AUTH,
    402: Reason.NO_CREDIT,
    403: Reason.FORBIDDEN,
    408: Reason.API_TIMEOUT,
    413: Reason.CONTEXT_WINDOW,
    429: Reason.RATE_LIMITED,
    504: Reason.API_TIMEOUT,
    529: Reason.OVERLOADED,
}
_HINTS = {
    Reason.AUTH: "Check the key, then resume.",
    Reason.NO_CREDIT: "Check the account's billing, then resume.",
    Reason.FORBIDDEN: "Check what the key may use, then resume.",
}
_PASSING = frozenset(
    {Reason.OVERLOADED, Reason.RATE_LIMITED, Reason.API_TIMEOUT, Reason.STREAM_CUT}
)
_PASSING_STATUS = frozenset({408, 409, 425})


class ContextWindowError(RunnerError):
    """The history has outgrown what the model can read: the agent's own limit."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Fault:
    """A call that gave no usable answer.

    Attributes:
        reason: What it ends a trial with, if it stays.
        fate: Whether it may have been billed.
        passing: Whether the same request may succeed later.
        retry_after: Seconds that the service asks to wait, or None.
    """

    reason: Reason
    fate: CallFate
    message: str
    passing: bool
    status: int | None = None
    retry_after: float | None = None
    request_id: str | None = None

    def give_up(self, model: str) -> NoReturn:
        """Raise what this fault means once no further try is made.

        Raises:
            BreakerError: If every further call would meet it as well.
            ContextWindowError: If the request was too long for the model.
            ProviderError: Otherwise.
        """
        said = f"{model}: {self.message}"
        if self.reason.opens_breaker:
            raise BreakerError(said, reason=self.reason.value, hint=_HINTS[self.reason])
        if self.reason is Reason.CONTEXT_WINDOW:
            raise ContextWindowError(said)
        raise ProviderError(said, reason=self.reason.value, hint=self._hint(model))

    def _hint(self, model: str) -> str | None:
        if self.status == 404:
            return did_you_mean(model)
        return None if self.passing else "Correct the configuration's settings."


def refused(
    status: int, body: Json, *, headers: Mapping[str, str], now_us: int, text: str = ""
) -> Fault:
    """Judge an HTTP error.

    Args:
        status: The HTTP status.
        body: The response's JSON, or None where it is none.
        headers: Response headers, names in lower case.
        now_us: The wall clock, for a ``retry-after`` that is a date.
        text: Describes the error where the body does not.
    """
    error = as_object(as_object(body).get("error"))
    message = as_text(error.get("message")) or text or "no explanation"
    reason = _reason(status, error, message)
    gateway = status >= 500 and not error
    return Fault(
        reason=reason,
        # An error that the service itself gives is not billed. One from a gateway, or a time
        # limit, says nothing of what was done behind it.
        fate=CallFate.UNKNOWN if gateway or status in {408, 504} else CallFate.FAILED,
        message=f"HTTP {status}: {message[:MOST_MESSAGE_CHARACTERS]}",
        passing=reason in _PASSING
        or (reason is Reason.API_ERROR and (status >= 500 or status in _PASSING_STATUS)),
        status=status,
        retry_after=_retry_after(headers, now_us=now_us),
        request_id=headers.get("request-id"),
    )


def broke_off(body: JsonObject, *, request_id: str | None) -> Fault:
    """Judge an error event in a stream that began with status 200; it may have been billed."""
    error = as_object(body.get("error"))
    kind, message = as_text(error.get("type")), as_text(error.get("message"))
    reason = _reason(200, error, message)
    return Fault(
        reason=reason,
        fate=CallFate.UNKNOWN,
        message=f"{kind or 'error'} in the stream: {message[:MOST_MESSAGE_CHARACTERS]}",
        passing=reason in _PASSING or (reason is Reason.API_ERROR and kind == "api_error"),
        status=200,
        request_id=request_id,
    )


def cut(message: str, *, request_id: str | None) -> Fault:
    """Judge a stream that ended before its message did."""
    return Fault(
        reason=Reason.STREAM_CUT,
        fate=CallFate.UNKNOWN,
        message=message,
        passing=True,
        status=200,
        request_id=request_id,
    )


def timed_out(message: str, *, sent: bool) -> Fault:
    """Judge a request that was not answered in time."""
    return Fault(
        reason=Reason.API_TIMEOUT,
        fate=CallFate.UNKNOWN if sent else CallFate.FAILED,
        message=message,
        passing=True,
    )


def unreachable(message: str, *, sent: bool) -> Fault:
    """Judge a connection that could not be made, or broke before the answer began."""
    return Fault(
        reason=Reason.API_ERROR,
        fate=CallFate.UNKNOWN if sent else CallFate.FAILED,
        message=message,
        passing=True,
    )


def _reason(status: int, error: JsonObject, message: str) -> Reason:
    kind, code = as_text(error.get("type")), as_text(error.get("code"))
    if status in {200, 400, 402, 429} and NO_CREDIT.search(f"{kind} {code} {message}"):
        return Reason.NO_CREDIT
    if status in {200, 400, 413} and TOO_LONG.search(f"{kind} {message}"):
        return Reason.CONTEXT_WINDOW
    by_type = _REASON_OF_TYPE.get(kind)
    return _REASON_OF_STATUS.get(status) or by_type or Reason.API_ERROR


def _retry_after(headers: Mapping[str, str], *, now_us: int) -> float | None:
    """Read the wait that a service asks for: in milliseconds, in seconds, or until a date."""
    milliseconds = _number(headers.get("retry-after-ms"))
    if milliseconds is not None:
        return milliseconds / 1_000
    value = headers.get("retry-after")
    seconds = _number(value)
    if seconds is not None or value is None:
        return seconds
    try:
        until = parsedate_to_datetime(value).timestamp()
    except (ValueError, OverflowError):
        return None
    return max(0.0, until - now_us / 1_000_000)


def _number(text: str | None) -> float | None:
    if text is None or not re.fullmatch(r"\d{1,9}(\.\d{1,9})?", text.strip()):
        return None
    return float(text)
