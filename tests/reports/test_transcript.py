"""A transcript says each thing once, in the order in which it happened."""

from __future__ import annotations

import json
from pathlib import Path

from runner.domain import Json, Outcome, ToolRequest, ToolResult
from runner.ledger import open_ledger, parse_address, read_ledger
from runner.reports import read_transcript, transcript_json, transcript_text
from runner.testing.examples import make_launch, make_report, make_request, make_result
from runner.testing.manual_clock import ManualClock


def say(role: str, content: Json) -> bytes:
    return json.dumps({"role": role, "content": content}).encode()


ASKED = say("user", "how many files?")
CALLED = say("assistant", [{"type": "tool_use", "name": "bash", "input": {"command": "ls"}}])
TOLD = say("user", [{"type": "tool_result", "content": "one\ntwo"}])
ANSWERED = say("assistant", [{"type": "text", "text": "there are two"}])


async def make_ledger(path: Path) -> None:
    """Record a conversation of two calls with a command in between."""
    async with open_ledger(parse_address(str(path)), clock=ManualClock()) as ledger:
        sweep = await ledger.launch(make_launch(), [])
        (claim,) = await ledger.claim(sweep, most=1)
        journal = ledger.journal(claim)
        first = await journal.call_sent(make_request(ASKED))
        await journal.call_completed(first, make_result(response=CALLED))
        tool = await journal.tool_started(
            ToolRequest(call=first, name="bash", input=b'{"command":"ls"}')
        )
        await journal.tool_finished(tool, ToolResult(exit=0, seconds=0.1, output=b"one\ntwo"))
        second = await journal.call_sent(make_request(ASKED, CALLED, TOLD))
        await journal.call_completed(second, make_result(response=ANSWERED))
        await ledger.finish(claim, make_report(Outcome.PASS))


async def test_each_message_stands_once_and_in_order(tmp_path: Path) -> None:
    await make_ledger(tmp_path / "ledger.db")

    with read_ledger(parse_address(str(tmp_path / "ledger.db"))) as reader:
        transcript = read_transcript(reader, "1")

    text = transcript_text(transcript)
    order = ["how many", "→ bash", "tool 1, bash", "      one", "call 2", "there are two", "seen"]
    places = [text.index(part) for part in order]
    assert places == sorted(places)
    assert [text.count(part) for part in ("how many files?", "→ bash", "there are two")] == [1] * 3
    assert text.count("      one\n") == 1
    assert "(tool result: the output above)" in text


async def test_the_json_holds_the_same_steps_with_their_parts(tmp_path: Path) -> None:
    await make_ledger(tmp_path / "ledger.db")

    with read_ledger(parse_address(str(tmp_path / "ledger.db"))) as reader:
        value = transcript_json(read_transcript(reader, "1"))

    (attempt,) = json.loads(json.dumps(value, allow_nan=False))["attempts"]
    assert [step["kind"] for step in attempt["steps"]] == ["model_call", "tool_call", "model_call"]
    assert attempt["steps"][0]["said"] == [json.loads(ASKED)]
    assert attempt["steps"][2]["said"] == [json.loads(TOLD)]
    assert attempt["steps"][2]["parameters"] is None  # the same as before
    assert attempt["answer"] == "4"
    assert attempt["grades"][0]["passed"] is True


async def test_a_huge_output_loses_its_middle_and_says_so(tmp_path: Path) -> None:
    path = tmp_path / "ledger.db"
    async with open_ledger(parse_address(str(path)), clock=ManualClock()) as ledger:
        sweep = await ledger.launch(make_launch(), [])
        (claim,) = await ledger.claim(sweep, most=1)
        journal = ledger.journal(claim)
        tool = await journal.tool_started(ToolRequest(call=None, name="bash", input=b"{}"))
        output = b"begin" + b"x" * 10_000_000 + b"end"
        await journal.tool_finished(tool, ToolResult(exit=0, seconds=0.1, output=output))

    with read_ledger(parse_address(str(path))) as reader:
        text = transcript_text(read_transcript(reader, "1"))

    assert len(text) < 30_000
    assert "beginx" in text
    assert "xend" in text
    assert "9980008 characters left out; --json has them" in text
    assert "not ended" in text
