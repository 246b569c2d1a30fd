"""An answer while it streams in."""

from __future__ import annotations

from dataclasses import dataclass, field

from runner.domain import Json, JsonObject, Usage, compact_json
from runner.models.messages.answer import RAW_INPUT, parse_input, usage_of
from runner.models.messages.json_values import as_object, as_text


class Draft:
    """Puts a message together from the events of its stream.

    The SDK's own accumulator parses tool input while it is half there; this one keeps the text, so
    that input that is no JSON is seen for what it is.

    Attributes:
        complete: Whether the event that ends a message has come; before it nothing is an answer.
        request_id: The service's id of the request, or None while it is not known.
    """

    def __init__(self) -> None:
        self.complete = False
        self.request_id: str | None = None
        self._message: dict[str, Json] = {}
        self._usage: dict[str, Json] = {}
        self._blocks: dict[int, _Block] = {}

    @property
    def begun(self) -> bool:
        """Whether any part of a message has come."""
        return bool(self._message)

    @property
    def usage(self) -> Usage:
        """Give the token counts that have come so far."""
        return usage_of({"usage": self._usage})

    def add(self, event: JsonObject) -> None:
        """Take the next event; kinds that are not known change nothing."""
        match event.get("type"):
            case "message_start":
                self._message = dict(as_object(event.get("message")))
                self._count(self._message.get("usage"))
            case "content_block_start":
                self._blocks[_index(event)] = _Block(as_object(event.get("content_block")))
            case "content_block_delta":
                if _index(event) in self._blocks:
                    self._blocks[_index(event)].add(as_object(event.get("delta")))
            case "message_delta":
                self._message |= as_object(event.get("delta"))
                self._count(event.get("usage"))
            case "message_stop":
                self.complete = True
            case _:
                pass

    def message(self) -> JsonObject:
        """Give the message as far as it has come."""
        content = [self._blocks[index].whole() for index in sorted(self._blocks)]
        return {**self._message, "content": content, "usage": self._usage}

    def partial(self) -> bytes | None:
        """Give what has come as compact JSON, or None if nothing has."""
        return compact_json(self.message()) if self.begun else None

    def _count(self, usage: Json) -> None:
        # The last event repeats only some of the counts, and leaves null what it does not repeat.
        self._usage |= {key: value for key, value in as_object(usage).items() if value is not None}


@dataclass(slots=True)
class _Block:
    start: JsonObject
    pieces: list[str] = field(default_factory=list)
    signature: str | None = None
    citations: list[Json] = field(default_factory=list)

    def add(self, delta: JsonObject) -> None:
        match delta.get("type"):
            case "text_delta":
                self.pieces.append(as_text(delta.get("text")))
            case "thinking_delta":
                self.pieces.append(as_text(delta.get("thinking")))
            case "input_json_delta":
                self.pieces.append(as_text(delta.get("partial_json")))
            case "signature_delta":
                self.signature = as_text(delta.get("signature"))
            case "citations_delta":
                self.citations.append(delta.get("citation"))
            case _:
                pass

    def whole(self) -> JsonObject:
        streamed = "".join(self.pieces)
        match self.start.get("type"):
            case "text":
                cited: JsonObject = {"citations": self.citations} if self.citations else {}
                return {**self.start, "text": as_text(self.start.get("text")) + streamed, **cited}
            case "thinking":
                thought = as_text(self.start.get("thinking")) + streamed
                signature = as_text(self.start.get("signature"))
                return {
                    **self.start,
                    "thinking": thought,
                    "signature": signature if self.signature is None else self.signature,
                }
            case "tool_use":
                return self._tool_use(streamed)
            case _:
                return self.start

    def _tool_use(self, streamed: str) -> JsonObject:
        if not streamed:
            return {**self.start, "input": as_object(self.start.get("input"))}
        parsed = parse_input(streamed)
        if parsed is None:
            return {**self.start, "input": {}, RAW_INPUT: streamed}
        return {**self.start, "input": parsed}


def _index(event: JsonObject) -> int:
    index = event.get("index")
    return index if isinstance(index, int) else -1
