"""A whole answer of a model, as it came and as it goes back into the history."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass

from runner.domain import Json, JsonObject, Usage, compact_json
from runner.models.messages.json_values import as_count, as_list, as_object, as_text

#: Where the text of a tool input that is no JSON object is kept in a recorded answer.
RAW_INPUT = "input_text"


@dataclass(frozen=True, slots=True, kw_only=True)
class ToolCall:
    """A tool that the model asks for.

    Attributes:
        input: Its arguments, or None where they are not a JSON object.
        raw: The arguments' text as it came.
    """

    id: str
    name: str
    input: JsonObject | None
    raw: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Answer:
    """One answer.

    Attributes:
        call: The journal's handle of the call that gave it.
        message: The message as the service sent it, put together from its stream.
        cost_nusd: None where it is unknown.
    """

    call: int
    message: JsonObject
    usage: Usage
    cost_nusd: int | None

    @property
    def stop_reason(self) -> str | None:
        """Give the service's own word, whatever it is."""
        reason = self.message.get("stop_reason")
        return reason if isinstance(reason, str) else None

    @property
    def blocks(self) -> tuple[JsonObject, ...]:
        """Give the content's blocks."""
        return tuple(as_object(block) for block in as_list(self.message.get("content")))

    @property
    def text(self) -> str:
        """Give all text, joined without anything in between."""
        texts = [as_text(b.get("text")) for b in self.blocks if b.get("type") == "text"]
        return "".join(texts)

    @property
    def tool_calls(self) -> tuple[ToolCall, ...]:
        """Give the tools that the model asks for, in order."""
        return tuple(_tool_call(b) for b in self.blocks if b.get("type") == "tool_use")


def usage_of(message: JsonObject) -> Usage:
    """Read a message's token counts; what it does not say is None."""
    counts = as_object(message.get("usage"))
    created = counts.get("cache_creation")
    if isinstance(created, Mapping):
        write_5m = as_count(created.get("ephemeral_5m_input_tokens"))
        write_1h = as_count(created.get("ephemeral_1h_input_tokens"))
    else:
        write_5m, write_1h = as_count(counts.get("cache_creation_input_tokens")), None
    details = as_object(counts.get("output_tokens_details"))
    return Usage(
        input_tokens=as_count(counts.get("input_tokens")),
        output_tokens=as_count(counts.get("output_tokens")),
        cache_read_tokens=as_count(counts.get("cache_read_input_tokens")),
        cache_write_5m_tokens=write_5m,
        cache_write_1h_tokens=write_1h,
        thinking_tokens=as_count(details.get("thinking_tokens")),
    )


def parse_input(raw: str) -> JsonObject | None:
    """Read a tool's arguments, or give None for what is not a JSON object that can be sent on."""
    try:
        value: Json = json.loads(raw)
        compact_json(value)
    except (ValueError, RecursionError):
        return None
    return value if isinstance(value, Mapping) else None


def _tool_call(block: JsonObject) -> ToolCall:
    raw = block.get(RAW_INPUT)
    given = as_object(block.get("input"))
    return ToolCall(
        id=as_text(block.get("id")),
        name=as_text(block.get("name")),
        input=None if isinstance(raw, str) else given,
        raw=raw if isinstance(raw, str) else compact_json(given).decode("ascii"),
    )
