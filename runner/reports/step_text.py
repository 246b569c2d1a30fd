"""A transcript's steps for people: model turns and tool uses."""

from __future__ import annotations

import json
from collections.abc import Collection, Iterator, Mapping

from runner.domain import Json
from runner.ledger import ModelCallRecord, ToolCallRecord
from runner.printable import one_line
from runner.reports.indented import indented
from runner.reports.money import at_most_text, usd
from runner.reports.transcript import ModelTurn, ToolUse


def step_lines(step: ModelTurn | ToolUse, *, shown: Collection[str]) -> Iterator[str]:
    """Give a step's lines.

    Args:
        step: What to show.
        shown: Outputs that stand above already; a message that repeats one only says so.
    """
    match step:
        case ModelTurn():
            yield from _turn(step, shown)
        case ToolUse():
            yield from _tool_use(step)


def _turn(turn: ModelTurn, shown: Collection[str]) -> Iterator[str]:
    call = turn.call
    yield f"  call {call.number} by the {call.role} to {one_line(call.model)}: {_fate(call)}"
    if call.detail:
        yield from indented(call.detail, by=4)
    if isinstance(turn.parameters, Mapping) and turn.parameters.get("system"):
        yield "    system"
        yield from _content(turn.parameters["system"])
    for message in turn.said:
        yield f"    {one_line(str(_part(message, 'role') or 'message'))}"
        yield from _content(_part(message, "content"), shown)
    if turn.answer is not None:
        discarded = call.state in {"failed", "unknown"}
        yield "    assistant (discarded: never used)" if discarded else "    assistant"
        yield from _content(_part(turn.answer, "content"))


def _fate(call: ModelCallRecord) -> str:
    match call.state:
        case "sent":
            return "sent, no answer yet"
        case "failed":
            status = "" if call.http_status is None else f", HTTP {call.http_status}"
            return f"FAILED ({call.reason}{status}), nothing billed"
        case "unknown":
            cost = "" if call.reserved_nusd is None else f" {at_most_text(call.reserved_nusd)}"
            return f"FATE UNKNOWN ({call.reason}), may have been billed{cost}"
        case state:
            cost = "cost unknown" if call.cost_nusd is None else usd(call.cost_nusd)
            seconds = "" if call.seconds is None else f", {call.seconds:.2f} s"
            return f"{state} ({call.stop_reason}), {_tokens(call)}, {cost}{seconds}"


def _tokens(call: ModelCallRecord) -> str:
    cached = {
        "cache read": call.cache_read_tokens,
        "cache write": (call.cache_write_5m_tokens or 0) + (call.cache_write_1h_tokens or 0),
    }
    extra = "".join(f" + {count} {name}" for name, count in cached.items() if count)
    return f"{_count(call.input_tokens)}{extra} in, {_count(call.output_tokens)} out"


def _count(tokens: int | None) -> str:
    return "?" if tokens is None else str(tokens)


def _part(message: Json, key: str) -> Json:
    """Give a message's part; what is no message is shown as it is."""
    if isinstance(message, Mapping):
        return message.get(key)
    return message if key == "content" else None


def _content(content: Json, shown: Collection[str] = ()) -> Iterator[str]:
    if isinstance(content, list):
        for block in content:
            yield from _block(block, shown)
    elif isinstance(content, str):
        yield from indented(content, by=6)
    elif content is not None:
        yield from indented(json.dumps(content, ensure_ascii=False), by=6)


def _block(block: Json, shown: Collection[str]) -> Iterator[str]:
    kind = block.get("type") if isinstance(block, Mapping) else None
    if not isinstance(block, Mapping):
        yield from _content(block)
    elif kind == "text":
        yield from _content(block.get("text"))
    elif kind == "thinking":
        yield "      (thinking)"
        yield from indented(str(block.get("thinking")), by=8)
    elif kind == "tool_use":
        given = json.dumps(block.get("input"), ensure_ascii=False)
        yield from indented(f"→ {block.get('name')} {given}", by=6)
    elif kind == "tool_result":
        yield from _tool_result(block, shown)
    else:
        yield from indented(json.dumps(block, ensure_ascii=False), by=6)


def _tool_result(block: Mapping[str, Json], shown: Collection[str]) -> Iterator[str]:
    error = ", an error" if block.get("is_error") else ""
    content = block.get("content")
    if isinstance(content, str) and content in shown:
        yield f"      (tool result{error}: the output above)"
        return
    yield f"      (tool result{error})"
    for line in _content(content):
        yield f"  {line}" if line else ""


def _tool_use(use: ToolUse) -> Iterator[str]:
    call = use.call
    yield f"  tool {call.number}, {one_line(call.name)}: {_result(call)}"
    yield from indented(_given(use.given), by=4)
    if use.output:
        yield "    output"
        yield from indented(use.output, by=6)
    if call.cut_bytes:
        yield f"      … {call.cut_bytes} bytes more were not captured"
    if call.error:
        yield "    error"
        yield from indented(call.error, by=6)


def _given(given: Json) -> str:
    if isinstance(given, Mapping):
        return "\n".join(f"{name}: {_spelled(value)}" for name, value in given.items())
    return _spelled(given)


def _spelled(value: Json) -> str:
    return value if isinstance(value, str) else json.dumps(value, ensure_ascii=False)


def _result(call: ToolCallRecord) -> str:
    exit_status = "" if call.exit is None else f", exit {call.exit}"
    seconds = "" if call.seconds is None else f", {call.seconds:.2f} s"
    return f"{call.state}{exit_status}{seconds}"
