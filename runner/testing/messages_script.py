"""What a scripted Messages server answers: its script, as YAML, JSON or values.

A script is a mapping::

    prices: {input: 3, output: 15, cache_read: 0.3}   # dollars a million tokens, for the bill
    check: true            # answer 400 to histories that a real service refuses (the default)
    replies: [...]         # for every trial that no entry below claims
    turns: [...]           # or: the same answers for every trial
    every: {nth: 5, reply: {status: 529, error: overloaded_error}}
    trials:
      - {match: "text of the first user message", replies: [...]}
      - {prefix: "/some/path", turns: [...]}

``replies`` answer the requests of a trial in the order in which they come, the last one for ever.
Trials that share an entry are told apart by the path before ``/v1/messages`` in their base URL.
``turns`` answer by the number of assistant messages in the request, so that any number of equal
trials, retried and resumed ones too, hear the same; ``every`` puts a fault before each nth request
of the whole server. A reply is one of::

    {text: "4"}                                    # one text block, end_turn
    {content: [{type: tool_use, name: bash, input: {command: ls}}], usage: {output_tokens: 50}}
    {content: [{type: tool_use, name: bash, input_text: '{"command": "ls'}], stop_reason: tool_use}
    {status: 429, error: rate_limit_error, headers: {retry-after: "7"}, message: slow down}
    {text: "The answer", cut_after: 3}             # the socket is closed after 3 events
    {text: "The answer", end_after: 3}             # the stream ends in good order, but too early
    {text: "The answer", error_after: 1, error: overloaded_error}   # an error event in a 200 stream
    {text: "The answer", hang_after: 0}            # silence, here before the headers;
                                                   # past the last event, the stream stays open

and may add ``delay`` (seconds between the bill and the answer), ``times`` (stands for so many equal
replies) and ``billed`` (whether it costs; by default all but HTTP errors do). Ids of messages and
tool calls are derived from the request where the script gives none.
"""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Self

from pydantic import BaseModel, ConfigDict, Field, JsonValue, model_validator

from runner.domain import Price


class CacheCreation(BaseModel):
    """Tokens written to the provider's caches."""

    model_config = ConfigDict(extra="forbid")
    ephemeral_5m_input_tokens: int = 0
    ephemeral_1h_input_tokens: int = 0


class ScriptedUsage(BaseModel):
    """Token counts as the Messages API spells them."""

    model_config = ConfigDict(extra="forbid")
    input_tokens: int = 100
    output_tokens: int = 10
    cache_read_input_tokens: int = 0
    cache_creation: CacheCreation = CacheCreation()


class Reply(BaseModel):
    """One answer, or one way not to answer."""

    model_config = ConfigDict(extra="forbid")
    text: str | None = None
    content: list[dict[str, JsonValue]] | None = None
    stop_reason: str | None = None
    stop_sequence: str | None = None
    stop_details: dict[str, JsonValue] | None = None
    usage: ScriptedUsage = ScriptedUsage()
    status: int = 200
    headers: dict[str, str] = Field(default_factory=dict)
    error: str | None = None
    message: str = "scripted error"
    code: str | None = None
    cut_after: int | None = None
    end_after: int | None = None
    error_after: int | None = None
    hang_after: int | None = None
    delay: float = 0.0
    times: int = Field(default=1, ge=1)
    billed: bool | None = None

    @property
    def costs(self) -> bool:
        """Whether this reply appears on the bill with its price."""
        return self.status == 200 if self.billed is None else self.billed

    @model_validator(mode="after")
    def _error_has_a_type(self) -> Self:
        if (self.status != 200 or self.error_after is not None) and self.error is None:
            msg = "a reply with an error status or error_after needs `error`, the error's type"
            raise ValueError(msg)
        return self


class Every(BaseModel):
    """A fault before each nth request."""

    model_config = ConfigDict(extra="forbid")
    nth: int = Field(ge=2)
    reply: Reply


class Entry(BaseModel):
    """The replies for the trials that it claims."""

    model_config = ConfigDict(extra="forbid")
    match: str = ""
    prefix: str = ""
    replies: list[Reply] = Field(default_factory=list)
    turns: list[Reply] = Field(default_factory=list)

    @model_validator(mode="after")
    def _one_list(self) -> Self:
        if bool(self.replies) == bool(self.turns):
            msg = "give either `replies` or `turns`"
            raise ValueError(msg)
        return self

    def claims(self, *, first_message: str, prefix: str) -> bool:
        """Tell whether a request belongs here."""
        return self.match in first_message and prefix.startswith(self.prefix)

    def reply_to(self, *, request_number: int, turn: int) -> Reply:
        """Pick the reply to a trial's nth request, counted from 0, at this turn."""
        if self.turns:
            return self.turns[min(turn, len(self.turns) - 1)]
        unrolled = [reply for reply in self.replies for _ in range(reply.times)]
        return unrolled[min(request_number, len(unrolled) - 1)]


class Prices(BaseModel):
    """Dollars a million tokens."""

    model_config = ConfigDict(extra="forbid")
    input: float = 3.0
    output: float = 15.0
    cache_read: float = 0.30
    cache_write_5m: float = 3.75
    cache_write_1h: float = 6.0

    def as_price(self) -> Price:
        """Give them in the ledger's unit."""
        return Price(
            source="scripted server",
            input_pusd=round(self.input * 1_000_000),
            output_pusd=round(self.output * 1_000_000),
            cache_read_pusd=round(self.cache_read * 1_000_000),
            cache_write_5m_pusd=round(self.cache_write_5m * 1_000_000),
            cache_write_1h_pusd=round(self.cache_write_1h * 1_000_000),
        )


class Script(BaseModel):
    """All that a scripted server says."""

    model_config = ConfigDict(extra="forbid")
    prices: Prices = Prices()
    check: bool = True
    every: Every | None = None
    trials: list[Entry] = Field(default_factory=list)
    replies: list[Reply] = Field(default_factory=list)
    turns: list[Reply] = Field(default_factory=list)

    @property
    def entries(self) -> list[Entry]:
        """Give the entries in the order in which they claim trials."""
        if not (self.replies or self.turns):
            return self.trials
        return [*self.trials, Entry(replies=self.replies, turns=self.turns)]


def read_script(source: Path | Mapping[str, object] | Script) -> Script:
    """Read a script from a YAML or JSON file, or from values."""
    if isinstance(source, Script):
        return source
    if isinstance(source, Path):
        from ruamel.yaml import YAML  # noqa: PLC0415 - only scripts in files need it

        return Script.model_validate(YAML(typ="safe", pure=True).load(source))
    return Script.model_validate(source)
