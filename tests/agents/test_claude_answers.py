from __future__ import annotations

from dataclasses import replace

import pytest

from runner.agents.claude import make_claude_agent
from runner.domain import Limits, Reason
from runner.errors import ProviderError, UsageError
from tests.agents.claude_setup import INSTRUCTION, config, submit, tool, trial

THOUGHT: dict[str, object] = {"type": "thinking", "thinking": "hm", "signature": "c2ln"}


async def test_without_tools_the_final_text_is_the_answer() -> None:
    with trial({"text": "4"}) as one:
        end = await one.run(tools=[])

    assert (end.reason, one.answer) == (Reason.COMPLETED, "4")
    assert "tools" not in one.requests[0]


async def test_the_instruction_stands_verbatim_in_the_first_user_message() -> None:
    with trial({"text": "4"}) as one:
        await one.run(tools=[])

    (message,) = one.requests[0]["messages"]
    assert message == {"role": "user", "content": [{"type": "text", "text": INSTRUCTION}]}


async def test_settings_reach_the_request() -> None:
    with trial({"text": "4"}) as one:
        await one.run(
            tools=[],
            system="Be brief.",
            max_tokens=32_000,
            thinking={"budget_tokens": 2048},
            effort="low",
            temperature=0.5,
            top_p=0.9,
            top_k=5,
        )

    sent = {key: value for key, value in one.requests[0].items() if key != "messages"}
    assert sent == {
        "model": "claude-sonnet-4-5",
        "max_tokens": 32_000,
        "system": "Be brief.",
        "thinking": {"type": "enabled", "budget_tokens": 2048},
        "output_config": {"effort": "low"},
        "temperature": 0.5,
        "top_p": 0.9,
        "top_k": 5,
        "stream": True,
    }


async def test_submit_hands_in_the_answer_and_ends() -> None:
    with trial(submit("42")) as one:
        end = await one.run(tools=["submit"])

    assert (end.reason, one.answer) == (Reason.COMPLETED, "42")
    assert one.requests[0]["cache_control"] == {"type": "ephemeral"}


@pytest.mark.parametrize(("given", "answer"), [(42, "42"), (1.5, "1.5"), (True, "true")])
async def test_an_answer_that_is_no_text_is_spelled(given: object, answer: str) -> None:
    with trial(submit(given)) as one:
        await one.run(tools=["submit"])

    assert one.answer == answer


async def test_a_submit_without_an_answer_is_told_to_the_model() -> None:
    with trial({"content": [tool("submit")]}, submit("4")) as one:
        end = await one.run(tools=["submit"])

    assert end.reason is Reason.COMPLETED
    assert one.results()[0]["is_error"] is True


async def test_a_turn_that_ends_in_text_is_the_answer_also_with_tools() -> None:
    with trial({"text": "It is 4."}) as one:
        end = await one.run(tools=["submit"])

    assert (end.reason, one.answer) == (Reason.COMPLETED, "It is 4.")


async def test_a_cut_answer_is_no_finished_turn() -> None:
    cut: dict[str, object] = {"text": "The capital is Par", "stop_reason": "max_tokens"}

    with trial(cut) as one:
        end = await one.run(tools=[])

    assert (end.reason, one.answer) == (Reason.TRUNCATED, None)
    assert len(one.requests) == 1


async def test_a_cut_answer_is_continued_a_few_times_and_joined() -> None:
    cut: dict[str, object] = {"text": "The capital is Par", "stop_reason": "max_tokens"}

    with trial(cut, {"text": "is."}) as one:
        end = await one.run(tools=["submit"])

    assert (end.reason, one.answer) == (Reason.COMPLETED, "The capital is Paris.")


async def test_continuing_a_cut_answer_is_bounded() -> None:
    with trial({"text": "and on ", "stop_reason": "max_tokens"}) as one:
        end = await one.run(tools=[], continuations=3)

    assert (end.reason, one.answer) == (Reason.TRUNCATED, None)
    assert len(one.requests) == 4


async def test_a_refusal_is_asked_once_and_keeps_what_the_service_said() -> None:
    refused: dict[str, object] = {
        "content": [],
        "stop_reason": "refusal",
        "stop_details": {"type": "refusal", "category": "cyber"},
        "usage": {"input_tokens": 812, "output_tokens": 0},
    }

    with trial(refused) as one:
        end = await one.run(tools=[])

    assert (end.reason, one.answer) == (Reason.REFUSAL, None)
    assert "cyber" in (end.detail or "")
    assert len(one.requests) == 1
    assert b"cyber" in one.journal.calls[0].result.response


async def test_an_answer_that_outgrows_the_context_is_the_agents_own_limit() -> None:
    with trial({"text": "…", "stop_reason": "model_context_window_exceeded"}) as one:
        end = await one.run(tools=[])

    assert end.reason is Reason.CONTEXT_WINDOW


async def test_a_prompt_that_is_too_long_is_the_agents_own_limit() -> None:
    too_long: dict[str, object] = {
        "status": 400,
        "error": "invalid_request_error",
        "message": "prompt is too long: 210000 tokens > 200000 maximum",
    }

    with trial(too_long) as one:
        end = await one.run(tools=[])

    assert end.reason is Reason.CONTEXT_WINDOW


async def test_a_stop_reason_not_yet_invented_keeps_its_name_and_is_no_completion() -> None:
    invented: dict[str, object] = {"content": [], "stop_reason": "quota_nap"}

    with trial(invented) as one, pytest.raises(ProviderError, match="quota_nap") as caught:
        await one.run(tools=[])

    assert caught.value.reason == "unknown_stop_reason"
    assert one.journal.calls[0].result.stop_reason == "quota_nap"


@pytest.mark.parametrize("content", [[], [THOUGHT], [{"type": "text", "text": " \n"}]])
async def test_an_end_without_a_word_is_no_response(content: list[dict[str, object]]) -> None:
    with trial({"content": content}) as one:
        end = await one.run(tools=[])

    assert (end.reason, one.answer) == (Reason.NO_RESPONSE, None)


async def test_a_stop_sequence_ends_the_turn() -> None:
    with trial({"text": "4", "stop_reason": "stop_sequence", "stop_sequence": "END"}) as one:
        end = await one.run(tools=[])

    assert (end.reason, one.answer) == (Reason.COMPLETED, "4")


async def test_a_paused_turn_goes_on_and_not_for_ever() -> None:
    paused: dict[str, object] = {"text": "working", "stop_reason": "pause_turn"}

    with trial(paused, {"text": "4"}) as one:
        end = await one.run(tools=[])
    with trial(paused, limits=Limits(steps=None)) as two:
        stuck = await two.run(tools=[])

    assert (end.reason, one.answer) == (Reason.COMPLETED, "4")
    assert one.requests[1]["messages"][-1]["role"] == "assistant"
    assert stuck.reason is Reason.STUCK


async def test_the_money_limit_ends_the_agent_after_the_call_that_met_it() -> None:
    dear: dict[str, object] = {"content": [tool("no-such")], "usage": {"output_tokens": 1_000}}

    with trial(dear, limits=Limits(cost_nusd=20_000_000)) as one:
        end = await one.run(tools=["submit"])

    assert end.reason is Reason.COST_LIMIT
    assert len(one.requests) == 2


async def test_the_step_limit_ends_the_agent() -> None:
    with trial({"content": [tool("no-such")]}, limits=Limits(steps=3)) as one:
        end = await one.run(tools=["submit"])

    assert end.reason is Reason.MAX_STEPS
    assert len(one.requests) == 3


async def test_the_output_limit_caps_each_answer_and_ends_the_agent() -> None:
    reply: dict[str, object] = {"content": [tool("no-such")], "usage": {"output_tokens": 400}}

    with trial(reply, limits=Limits(output_tokens=1_000)) as one:
        end = await one.run(tools=["submit"])

    assert end.reason is Reason.OUTPUT_TOKENS
    assert [request["max_tokens"] for request in one.requests] == [1_000, 600, 200]


async def test_an_answer_cut_by_the_output_limit_is_that_limit() -> None:
    cut: dict[str, object] = {"text": "so lo", "stop_reason": "max_tokens"}

    with trial(cut, limits=Limits(output_tokens=50)) as one:
        end = await one.run(tools=[])

    assert end.reason is Reason.OUTPUT_TOKENS


async def test_a_money_limit_on_a_model_without_a_price_is_refused_before_the_first_call() -> None:
    with trial({"text": "4"}, limits=Limits(cost_nusd=1)) as one:
        misspelt = replace(config(base_url=one.server.url, tools=[]), model="claude-sonet-4-5")
        priceless = make_claude_agent(misspelt, api_key=None)
        with pytest.raises(UsageError, match="claude-sonet-4-5") as caught:
            await one.work(priceless)

    assert one.requests == []
    assert "claude-sonnet-4-5" in (caught.value.hint or "")


def test_a_configuration_without_a_key_is_refused_when_it_is_made() -> None:
    with pytest.raises(UsageError, match="no API key"):
        make_claude_agent(config(), api_key=None)


def test_a_local_configuration_without_a_local_server_is_refused() -> None:
    with pytest.raises(UsageError, match="no local model is served"):
        make_claude_agent(config(base_url="local"), api_key="key")


async def test_a_model_served_here_gets_no_key_and_costs_nothing() -> None:
    with trial({"text": "4"}) as one:
        agent = make_claude_agent(
            config(base_url="local", tools=[]), api_key="sk-secret", local_url=one.server.url
        )
        await one.work(agent)

    assert "sk-secret" not in str(one.server.requests[0].headers)
    assert one.server.requests[0].headers["connection"].lower() == "close"
    assert one.journal.calls[0].result.cost_nusd == 0
    assert one.journal.calls[0].result.price_source == "local server"
