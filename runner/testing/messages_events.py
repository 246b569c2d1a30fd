"""A scripted reply as a Messages API body, whole or as server-sent events."""

from __future__ import annotations

import json
from collections.abc import Iterator
from dataclasses import dataclass

from pydantic import JsonValue

from runner.testing.messages_script import Reply

Body = dict[str, JsonValue]


@dataclass(frozen=True, slots=True, kw_only=True)
class Answer:
    """A reply with the names that it got: what the server sends, and later expects back."""

    reply: Reply
    model: str
    message_id: str
    content: list[Body]

    @property
    def stop_reason(self) -> str:
        """Give the scripted stop reason, or the one that fits the content."""
        if self.reply.stop_reason is not None:
            return self.reply.stop_reason
        calls = any(block["type"] == "tool_use" for block in self.content)
        return "tool_use" if calls else "end_turn"


def answer(reply: Reply, *, model: str, seed: str) -> Answer:
    """Give a reply its ids, derived from ``seed``."""
    blocks: list[Body] = [dict(block) for block in reply.content or []]
    if reply.text is not None:
        blocks.append({"type": "text", "text": reply.text})
    for index, block in enumerate(blocks):
        if block["type"] == "tool_use":
            block.setdefault("id", f"toolu_{seed[:20]}{index}")
    return Answer(reply=reply, model=model, message_id=f"msg_{seed[:24]}", content=blocks)


def whole_message(given: Answer) -> Body:
    """Give the answer to a request that did not ask for a stream."""
    content: list[JsonValue] = []
    for block in given.content:
        whole = {key: value for key, value in block.items() if key != "input_text"}
        if block["type"] == "tool_use":
            whole.setdefault("input", {})
        content.append(whole)
    return _message(
        given,
        content=content,
        stop_reason=given.stop_reason,
        usage=_usage(given.reply, output=given.reply.usage.output_tokens),
    )


def events(given: Answer) -> Iterator[tuple[str, Body]]:
    """Give the answer's events, each with its name, in the order of the wire."""
    opened = _message(given, content=[], stop_reason=None, usage=_usage(given.reply, output=1))
    yield "message_start", {"type": "message_start", "message": opened}
    for index, block in enumerate(given.content):
        yield from _block_events(index, block)
    delta: Body = {"stop_reason": given.stop_reason, "stop_sequence": given.reply.stop_sequence}
    if given.reply.stop_details is not None:
        delta["stop_details"] = given.reply.stop_details
    usage = _usage(given.reply, output=given.reply.usage.output_tokens)
    yield "message_delta", {"type": "message_delta", "delta": delta, "usage": usage}
    yield "message_stop", {"type": "message_stop"}


def error_body(reply: Reply, *, request_id: str) -> Body:
    """Give the body of an error, in HTTP or inside a stream."""
    error: Body = {"type": reply.error, "message": reply.message}
    if reply.code is not None:
        error["code"] = reply.code
    return {"type": "error", "error": error, "request_id": request_id}


def _message(
    given: Answer, *, content: list[JsonValue], stop_reason: str | None, usage: Body
) -> Body:
    message: Body = {
        "id": given.message_id,
        "type": "message",
        "role": "assistant",
        "model": given.model,
        "content": content,
        "stop_reason": stop_reason,
        "stop_sequence": given.reply.stop_sequence if stop_reason else None,
        "usage": usage,
    }
    if stop_reason and given.reply.stop_details is not None:
        message["stop_details"] = given.reply.stop_details
    return message


def _usage(reply: Reply, *, output: int) -> Body:
    counts = reply.usage
    created = counts.cache_creation
    return {
        "input_tokens": counts.input_tokens,
        "output_tokens": output,
        "cache_read_input_tokens": counts.cache_read_input_tokens,
        "cache_creation_input_tokens": created.ephemeral_5m_input_tokens
        + created.ephemeral_1h_input_tokens,
        "cache_creation": {
            "ephemeral_5m_input_tokens": created.ephemeral_5m_input_tokens,
            "ephemeral_1h_input_tokens": created.ephemeral_1h_input_tokens,
        },
    }


def _block_events(index: int, block: Body) -> Iterator[tuple[str, Body]]:
    start, deltas = _split(block)
    yield (
        "content_block_start",
        {"type": "content_block_start", "index": index, "content_block": start},
    )
    for delta in deltas:
        yield (
            "content_block_delta",
            {"type": "content_block_delta", "index": index, "delta": delta},
        )
    yield "content_block_stop", {"type": "content_block_stop", "index": index}


def _split(block: Body) -> tuple[Body, list[Body]]:
    """Tell a block's opening from what streams in afterwards, in two pieces where it is long."""
    match block:
        case {"type": "text", "text": str(text), **rest}:
            pieces: list[Body] = [{"type": "text_delta", "text": part} for part in _halves(text)]
            return {"type": "text", "text": "", **rest}, pieces
        case {"type": "thinking", "thinking": str(text), "signature": signature, **rest}:
            pieces = [{"type": "thinking_delta", "thinking": part} for part in _halves(text)]
            pieces.append({"type": "signature_delta", "signature": signature})
            return {"type": "thinking", "thinking": "", "signature": "", **rest}, pieces
        case {"type": "tool_use", **rest}:
            raw = rest.pop("input_text", None)
            spelled = raw if isinstance(raw, str) else json.dumps(rest.get("input", {}))
            pieces = [
                {"type": "input_json_delta", "partial_json": part} for part in _halves(spelled)
            ]
            return {**rest, "type": "tool_use", "input": {}}, pieces
        case _:
            return block, []


def _halves(text: str) -> list[str]:
    middle = len(text) // 2
    return [part for part in (text[:middle], text[middle:]) if part]
