from __future__ import annotations

import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from runner.domain import JsonObject, Usage
from runner.models.messages.answer import Answer
from runner.models.messages.draft import Draft
from runner.testing.messages_events import answer, events
from runner.testing.messages_script import Reply


def streamed(*blocks: dict[str, object], **reply: object) -> Draft:
    draft = Draft()
    scripted = Reply.model_validate({"content": list(blocks), **reply})
    for _, event in events(answer(scripted, model="m", seed="s" * 64)):
        draft.add(json.loads(json.dumps(event)))
    return draft


def read(draft: Draft) -> Answer:
    return Answer(call=1, message=draft.message(), usage=draft.usage, cost_nusd=None)


@given(thought=st.text(), signature=st.text(), said=st.text(), data=st.text())
def test_blocks_come_out_of_the_stream_as_they_went_in(
    thought: str, signature: str, said: str, data: str
) -> None:
    blocks: list[dict[str, object]] = [
        {"type": "thinking", "thinking": thought, "signature": signature},
        {"type": "redacted_thinking", "data": data},
        {"type": "text", "text": said},
    ]

    draft = streamed(*blocks)

    assert draft.complete
    assert draft.message()["content"] == blocks


@pytest.mark.parametrize(
    "raw",
    [
        '{"command": "ls',
        "ls",
        "[1]",
        '"ls"',
        "null",
        '{"n": NaN}',
        '{"n": 1e999}',
        '{"n": ' + "9" * 5000 + "}",
        "[" * 100_000,
        '{"a": 1} {"b": 2}',
    ],
)
def test_tool_input_that_is_no_json_object_is_seen_and_kept(raw: str) -> None:
    draft = streamed({"type": "tool_use", "name": "bash", "id": "t1", "input_text": raw})

    (call,) = read(draft).tool_calls

    assert call.input is None
    assert call.raw == raw
    assert draft.partial() is not None


def test_tool_input_without_any_text_is_an_empty_object() -> None:
    draft = streamed({"type": "tool_use", "name": "now", "id": "t1", "input_text": ""})

    assert read(draft).tool_calls[0].input == {}


def test_counts_of_the_last_event_stand_and_its_nulls_do_not() -> None:
    draft = Draft()
    start: JsonObject = {"input_tokens": 7, "output_tokens": 1, "cache_read_input_tokens": 5}
    end: JsonObject = {"input_tokens": None, "output_tokens": 30}
    draft.add({"type": "message_start", "message": {"usage": start}})
    draft.add({"type": "message_delta", "delta": {"stop_reason": "end_turn"}, "usage": end})

    assert draft.usage == Usage(input_tokens=7, output_tokens=30, cache_read_tokens=5)


def test_a_service_that_counts_nothing_gives_null_and_not_zero() -> None:
    draft = Draft()
    draft.add({"type": "message_start", "message": {"id": "m"}})
    draft.add({"type": "message_stop"})

    assert draft.usage == Usage()


def test_cache_writes_without_a_breakdown_are_of_the_short_cache() -> None:
    draft = Draft()
    usage: JsonObject = {"input_tokens": 1, "cache_creation_input_tokens": 9}
    draft.add({"type": "message_start", "message": {"usage": usage}})

    assert draft.usage.cache_write_5m_tokens == 9
    assert draft.usage.cache_write_1h_tokens is None


@given(
    st.recursive(
        st.none() | st.booleans() | st.integers() | st.text(max_size=5),
        lambda inner: (
            st.lists(inner, max_size=3)
            | st.dictionaries(
                st.sampled_from(["type", "index", "delta", "content_block", "message", "usage"]),
                inner,
                max_size=4,
            )
        ),
        max_leaves=10,
    )
)
def test_no_event_however_odd_breaks_the_draft(body: object) -> None:
    draft = Draft()
    for kind in (
        "message_start",
        "content_block_start",
        "content_block_delta",
        "message_delta",
        "other",
    ):
        event = {**body, "type": kind} if isinstance(body, dict) else {"type": kind, "index": 0}
        draft.add(event)

    assert read(draft).text is not None
    draft.partial()
