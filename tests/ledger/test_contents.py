"""Whatever an agent writes can be stored, and comes back as it was."""

from __future__ import annotations

import json
from collections.abc import Callable
from typing import Any

import pytest
from sqlalchemy.exc import IntegrityError

from runner.domain import FileContent, Outcome, ToolRequest, ToolResult, Verdict, WorkProduct
from runner.ledger import Ledger, read_ledger
from runner.ledger.store.text import from_bytes
from runner.testing.examples import make_launch, make_report, make_request, make_result

Query = Callable[[str], list[dict[str, Any]]]
NASTY = "NUL \x00, a lone surrogate \ud800, an emoji 🎈, \x1b[31m"


async def test_an_answer_of_any_characters_comes_back_byte_for_byte(
    ledger: Ledger, query: Query
) -> None:
    sweep = await ledger.launch(make_launch(), [])
    (claim,) = await ledger.claim(sweep, most=1)
    verdict = Verdict(grader="answer", passed=False, score=0.0, explanation=NASTY)
    report = make_report(
        Outcome.FAIL, work=WorkProduct(answer=NASTY), verdicts=(verdict,), detail=NASTY
    )

    await ledger.finish(claim, report)

    (row,) = query("SELECT answer_digest, detail FROM attempts")
    with read_ledger(ledger.address) as reader:
        assert from_bytes(reader.read(row["answer_digest"])) == NASTY
    shown = "NUL \\x00, a lone surrogate \\ud800, an emoji 🎈, \x1b[31m"
    assert row["detail"] == shown
    assert query("SELECT explanation FROM grades") == [{"explanation": shown}]


async def test_ten_megabytes_of_tool_output_come_back_whole(ledger: Ledger, query: Query) -> None:
    sweep = await ledger.launch(make_launch(), [])
    (claim,) = await ledger.claim(sweep, most=1)
    journal = ledger.journal(claim)
    output = bytes(range(256)) * 40_000

    tool = await journal.tool_started(ToolRequest(call=None, name="bash", input=b"{}"))
    await journal.tool_finished(tool, ToolResult(exit=0, seconds=0.1, output=output))

    (row,) = query("SELECT output_digest, state, exit FROM tool_calls")
    assert (row["state"], row["exit"]) == ("completed", 0)
    with read_ledger(ledger.address) as reader:
        assert reader.read(row["output_digest"]) == output


async def test_a_conversation_costs_its_length_and_not_its_square(
    ledger: Ledger, query: Query
) -> None:
    sweep = await ledger.launch(make_launch(), [])
    (claim,) = await ledger.claim(sweep, most=1)
    journal = ledger.journal(claim)
    messages = [json.dumps({"role": "user", "content": f"{n}" * 2_000}).encode() for n in range(20)]

    for length in range(1, 21):
        call = await journal.call_sent(make_request(*messages[:length]))
        await journal.call_completed(call, make_result())

    rows = query("SELECT messages_kept, messages FROM model_calls ORDER BY number")
    assert [row["messages_kept"] for row in rows] == list(range(20))
    assert all(len(json.loads(row["messages"])) == 1 for row in rows)
    with read_ledger(ledger.address) as reader:
        stored = [reader.read(json.loads(row["messages"])[0]) for row in rows]
    assert stored == messages


async def test_the_files_that_were_graded_are_kept_with_what_was_left_out(
    ledger: Ledger, query: Query
) -> None:
    sweep = await ledger.launch(make_launch(), [])
    (claim,) = await ledger.claim(sweep, most=1)
    files = (FileContent(path="a/b.txt", data=b"\x00\xff", executable=True),)
    work = WorkProduct(answer=None, files=files, left_out=(("link", "a symbolic link"),))

    await ledger.finish(claim, make_report(work=work))

    (row,) = query("SELECT files_digest FROM attempts")
    with read_ledger(ledger.address) as reader:
        kept = json.loads(reader.read(row["files_digest"]))
        assert reader.read(kept["files"][0]["digest"]) == b"\x00\xff"
    assert kept["files"][0]["path"] == "a/b.txt"
    assert kept["left_out"] == [["link", "a symbolic link"]]


@pytest.mark.parametrize("score", [float("nan"), 1.5, -0.1])
async def test_a_score_outside_0_to_1_is_refused_alone(
    ledger: Ledger, query: Query, score: float
) -> None:
    sweep = await ledger.launch(make_launch(), [])
    bad, good = await ledger.claim(sweep, most=2)
    verdict = Verdict(grader="answer", passed=True, score=score, explanation="?")

    with pytest.raises((IntegrityError, ValueError)):
        await ledger.finish(bad, make_report(score=score, verdicts=(verdict,)))
    await ledger.finish(good, make_report())

    assert query("SELECT count(*) AS n FROM grades") == [{"n": 1}]
    assert query("SELECT count(*) AS n FROM trials WHERE state = 'settled'") == [{"n": 1}]
