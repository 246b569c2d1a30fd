from __future__ import annotations

import json
from collections.abc import AsyncIterator
from pathlib import Path

import pytest

from runner.domain import Limits, Reason, SandboxSpec
from runner.errors import UsageError
from runner.sandbox import ProcessBackend, Sandbox
from tests.agents.claude_setup import Trial, bash, calls, submit, tool, trial


@pytest.fixture
async def sandbox() -> AsyncIterator[Sandbox]:
    async with ProcessBackend().open(SandboxSpec(), label="test") as opened:
        yield opened


def told(one: Trial) -> str:
    (result,) = one.results()
    assert isinstance(result["content"], str)
    return result["content"]


async def test_a_command_runs_and_its_output_reaches_the_model_and_the_journal(
    sandbox: Sandbox,
) -> None:
    with trial(calls(bash("echo out; echo err >&2; pwd")), submit(), sandbox=sandbox) as one:
        end = await one.run()

    expected = f"out\nerr\n{sandbox.directory}\n"
    assert end.reason is Reason.COMPLETED
    assert told(one) == expected
    assert one.journal.tools[0].output == expected.encode()
    assert one.journal.tools[0].request.call == 1
    assert one.journal.events == [
        ("call_sent", 1),
        ("call_completed", 1),
        ("tool_started", 1),
        ("tool_finished", 1),
        ("call_sent", 2),
        ("call_completed", 2),
    ]


async def test_a_command_that_fails_tells_its_exit_status(sandbox: Sandbox) -> None:
    with trial(calls(bash("echo no; exit 3")), submit(), sandbox=sandbox) as one:
        await one.run()

    assert told(one) == "no\n[exit 3]"
    assert one.journal.tools[0].result is not None
    assert one.journal.tools[0].result.exit == 3


@pytest.mark.parametrize(
    ("command", "said"), [("true", "(no output, exit 0)"), ("false", "(no output, exit 1)")]
)
async def test_a_command_without_output_gets_a_placeholder(
    sandbox: Sandbox, command: str, said: str
) -> None:
    with trial(calls(bash(command)), submit(), sandbox=sandbox) as one:
        end = await one.run()

    assert end.reason is Reason.COMPLETED
    assert told(one) == said
    assert {line["status"] for line in one.server.bill} == {200}


async def test_every_tool_call_gets_its_result_in_order(sandbox: Sandbox) -> None:
    asked = calls(bash("echo 1"), bash("sleep 30"), tool("no_such_tool"))

    with trial(asked, submit(), sandbox=sandbox) as one:
        end = await one.run(command_seconds=2)

    assert end.reason is Reason.COMPLETED
    results = one.results()
    ids = [block["id"] for block in one.requests[1]["messages"][1]["content"]]
    assert [result["tool_use_id"] for result in results] == ids
    assert [result.get("is_error", False) for result in results] == [False, True, True]
    assert results[1]["content"] == "(no output, stopped after 2 seconds)"
    assert "no_such_tool" in results[2]["content"]
    assert len(one.journal.tools) == 2


async def test_thinking_goes_back_untouched(sandbox: Sandbox) -> None:
    thoughts: list[dict[str, object]] = [
        {"type": "thinking", "thinking": "größe \u2028 \n\t", "signature": "c2lnbg=="},
        {"type": "redacted_thinking", "data": "ZGF0YQ=="},
    ]

    with trial(calls(*thoughts, bash("ls")), submit(), sandbox=sandbox) as one:
        end = await one.run(thinking="adaptive")

    assert end.reason is Reason.COMPLETED
    assert one.requests[1]["messages"][1]["content"][:2] == thoughts


async def test_thinking_does_not_go_back_where_it_is_off(sandbox: Sandbox) -> None:
    thought: dict[str, object] = {"type": "thinking", "thinking": "hm", "signature": "c2ln"}

    with trial(calls(thought, bash("ls")), submit(), sandbox=sandbox) as one:
        end = await one.run(thinking="off")

    assert end.reason is Reason.COMPLETED
    assert one.requests[0]["thinking"] == {"type": "disabled"}
    assert [b["type"] for b in one.requests[1]["messages"][1]["content"]] == ["tool_use"]


async def test_empty_text_never_enters_the_history(sandbox: Sandbox) -> None:
    said: dict[str, object] = {"type": "text", "text": ""}

    with trial(calls(said, bash("ls")), submit(), sandbox=sandbox) as one:
        end = await one.run()

    assert end.reason is Reason.COMPLETED
    assert [b["type"] for b in one.requests[1]["messages"][1]["content"]] == ["tool_use"]


async def test_tool_input_that_is_no_json_is_not_carried_out(sandbox: Sandbox) -> None:
    broken = tool("bash", input_text='{"command": "touch x')
    broken.pop("input")
    asked = calls(broken, stop_reason="tool_use")

    with trial(asked, calls(bash("ls")), submit(), sandbox=sandbox) as one:
        end = await one.run()

    assert end.reason is Reason.COMPLETED
    assert told(one) == "(no output, exit 0)"
    refused = one.requests[1]["messages"][2]["content"][0]
    assert refused["is_error"] is True
    sent_back = one.requests[1]["messages"][1]["content"][0]
    assert sent_back["input"] == {"INVALID_JSON": '{"command": "touch x'}
    assert b'touch x"' in one.journal.calls[0].result.response


async def test_tool_calls_cut_by_the_length_limit_end_the_trial(sandbox: Sandbox) -> None:
    cut = calls(tool("bash"), stop_reason="max_tokens")

    with trial(cut, sandbox=sandbox) as one:
        end = await one.run()

    assert end.reason is Reason.TRUNCATED_TOOL_CALL
    assert len(one.requests) == 2
    assert one.results()[0]["is_error"] is True
    assert one.journal.tools == []


async def test_only_the_call_that_was_cut_is_not_carried_out(sandbox: Sandbox) -> None:
    asked = calls(bash("echo whole"), bash("echo cut"), stop_reason="max_tokens")

    with trial(asked, submit(), sandbox=sandbox) as one:
        end = await one.run()

    assert end.reason is Reason.COMPLETED
    assert [r["content"][:9] for r in one.results()] == ["whole\n", "Not done:"]
    assert len(one.journal.tools) == 1


async def test_a_long_output_is_cut_for_the_model_and_whole_in_the_journal(
    sandbox: Sandbox,
) -> None:
    command = "head -c 10000000 /dev/zero | tr '\\0' x; printf end"

    with trial(calls(bash(command)), submit(), sandbox=sandbox) as one:
        await one.run()

    text = told(one)
    assert len(text) < 17_000
    assert text.startswith("xxx")
    assert text.endswith("xxxend")
    assert "[9984003 bytes cut]" in text
    assert len(one.journal.tools[0].output) == 10_000_003


async def test_two_hundred_long_outputs_make_a_request_that_a_service_takes(
    sandbox: Sandbox,
) -> None:
    flood = calls(bash("head -c 100000 /dev/zero | tr '\\0' x"), times=60)

    with trial(flood, submit(), sandbox=sandbox, limits=Limits(steps=100)) as one:
        end = await one.run()

    assert end.reason is Reason.COMPLETED
    assert len(one.server.requests[-1].raw) / 60 * 200 < 32_000_000


@pytest.mark.parametrize(
    "given",
    [
        {},
        {"command": 5},
        {"command": "echo \0"},
        {"command": "echo \ud800"},
        {"command": "#" * 200_000},
    ],
)
async def test_a_command_that_cannot_be_run_is_told_to_the_model(
    sandbox: Sandbox, given: dict[str, object]
) -> None:
    with trial(calls(tool("bash", given)), submit(), sandbox=sandbox) as one:
        end = await one.run()

    assert end.reason is Reason.COMPLETED
    assert one.results()[0]["is_error"] is True


async def test_output_that_is_no_text_is_shown_as_far_as_it_can_be(
    sandbox: Sandbox,
) -> None:
    with trial(calls(bash(r"printf '\377\000a'")), submit(), sandbox=sandbox) as one:
        end = await one.run()

    assert end.reason is Reason.COMPLETED
    assert told(one) == "\ufffd\ufffda"
    assert one.journal.tools[0].output == b"\xff\x00a"


async def test_what_was_run_before_the_answer_was_handed_in_stays(
    sandbox: Sandbox,
) -> None:
    asked = calls(bash("touch before"), tool("submit", {"answer": "4"}), bash("touch after"))

    with trial(asked, sandbox=sandbox) as one:
        end = await one.run()

    assert (end.reason, one.answer) == (Reason.COMPLETED, "4")
    taken = await sandbox.take(most_bytes=100, most_files=10)
    assert [file.path for file in taken.files] == ["before"]


async def test_a_failed_try_in_the_middle_loses_no_money_and_runs_no_command_twice(
    sandbox: Sandbox,
) -> None:
    usage = {"input_tokens": 10_000, "output_tokens": 500}
    replies = [
        calls(bash("echo x >> log"), usage=usage),
        {"text": "The ans", "cut_after": 3, "usage": usage},
        {**submit(), "usage": {"input_tokens": 8_000, "output_tokens": 400}},
    ]

    with trial(*replies, sandbox=sandbox) as one:
        await one.run()

    assert one.journal.spent_nusd == 37_500_000 + 30_000_000
    assert [failure.reason for failure in one.journal.failures] == ["stream_cut"]
    assert one.server.requests[1].raw == one.server.requests[2].raw
    assert (Path(sandbox.directory) / "log").read_text() == "x\n"


async def test_tools_that_need_a_sandbox_are_refused_where_there_is_none() -> None:
    with trial(submit()) as one, pytest.raises(UsageError, match="bash, edit"):
        await one.run()

    assert one.requests == []


async def test_the_tool_definitions_are_the_ones_that_were_chosen(
    sandbox: Sandbox,
) -> None:
    with trial(submit(), sandbox=sandbox) as one:
        await one.run(tools=["edit", "submit"])

    assert [t["name"] for t in one.requests[0]["tools"]] == ["edit", "submit"]
    assert json.dumps(one.requests[0]["tools"]).count("input_schema") == 2
