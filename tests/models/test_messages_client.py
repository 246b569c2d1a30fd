from __future__ import annotations

import json

import anyio
import pytest

from runner.domain import CallFate, Usage
from runner.errors import BreakerError, BudgetReachedError, ProviderError, UsageError
from runner.models.messages import ContextWindowError, Patience
from runner.testing.manual_clock import ManualClock
from runner.testing.messages_server import serve
from runner.testing.recording_journal import RecordingJournal
from tests.models.conftest import MakeClient, question

OK: dict[str, object] = {"text": "4"}
OVERLOADED: dict[str, object] = {"status": 529, "error": "overloaded_error"}
LIMITED: dict[str, object] = {"status": 429, "error": "rate_limit_error"}


async def test_an_answer_is_recorded_as_sent_and_as_completed_before_it_is_given(
    make_client: MakeClient, journal: RecordingJournal
) -> None:
    usage = {"input_tokens": 9, "output_tokens": 500, "cache_read_input_tokens": 17102}

    with serve({"replies": [{"text": "4", "usage": usage}]}) as server:
        async with make_client(server.url) as client:
            answer = await client.ask(question())

    assert answer.text == "4"
    assert journal.events == [("call_sent", 1), ("call_completed", 1)]
    result = journal.calls[0].result
    assert result.usage == Usage(
        input_tokens=9,
        output_tokens=500,
        cache_read_tokens=17102,
        cache_write_5m_tokens=0,
        cache_write_1h_tokens=0,
    )
    assert result.cost_nusd == answer.cost_nusd == 12_657_600
    assert result.price_source == "genai-prices 0.2.3"
    assert result.stop_reason == "end_turn"
    assert result.request_id == "req_00000001"


async def test_what_is_recorded_of_a_request_is_byte_for_byte_what_was_sent(
    make_client: MakeClient, journal: RecordingJournal
) -> None:
    with serve({"replies": [OK]}) as server:
        async with make_client(server.url) as client:
            await client.ask(question(text="Größe 𝛑 \ud83d \0 ?"))

    sent = server.requests[0].raw
    recorded = journal.calls[0].request
    assert b'"messages":[' + b",".join(recorded.messages) + b"]" in sent
    assert {**recorded.parameters, "messages": json.loads(sent)["messages"]} == json.loads(sent)
    assert recorded.endpoint == "http://127.0.0.1"


async def test_a_reservation_is_never_below_the_cost(
    make_client: MakeClient, journal: RecordingJournal
) -> None:
    usage = {"input_tokens": 40, "output_tokens": 1_000}

    with serve({"replies": [{"text": "4", "usage": usage}]}) as server:
        async with make_client(server.url) as client:
            await client.ask(question(max_tokens=1_000))

    reserved, cost = journal.calls[0].request.reserved_nusd, journal.calls[0].result.cost_nusd
    assert reserved is not None
    assert cost is not None
    assert cost < reserved


async def test_a_call_that_the_budget_does_not_hold_is_not_sent(
    make_client: MakeClient, journal: RecordingJournal
) -> None:
    journal.budget_nusd = 1_000

    with serve({"replies": [OK]}) as server:
        async with make_client(server.url) as client:
            with pytest.raises(BudgetReachedError):
                await client.ask(question())

    assert server.requests == []


async def test_an_unpriced_model_costs_null_and_reserves_null(
    make_client: MakeClient, journal: RecordingJournal
) -> None:
    with serve({"replies": [OK]}) as server:
        async with make_client(server.url, model="claude-next-0") as client:
            answer = await client.ask(question(model="claude-next-0"))

    assert answer.cost_nusd is None
    assert journal.calls[0].request.reserved_nusd is None
    assert journal.calls[0].result.price_source is None


async def test_a_large_max_tokens_is_not_refused(make_client: MakeClient) -> None:
    with serve({"replies": [OK]}) as server:
        async with make_client(server.url) as client:
            answer = await client.ask(question(max_tokens=128_000))

    assert answer.text == "4"
    assert server.requests[0].body["stream"] is True


async def test_retry_after_is_obeyed_and_booked_as_waiting(
    make_client: MakeClient, journal: RecordingJournal, clock: ManualClock
) -> None:
    limited = {**LIMITED, "headers": {"retry-after": "7"}, "times": 2}

    with serve({"replies": [limited, OK]}) as server:
        async with make_client(server.url) as client:
            answer = await client.ask(question())

    assert answer.text == "4"
    assert len(journal.calls) == 3
    assert all(wait >= 7.0 for wait in clock.sleeps)
    assert journal.waited_seconds >= 14.0
    assert [failure.reason for failure in journal.failures] == ["rate_limited"] * 2
    assert {failure.fate for failure in journal.failures} == {CallFate.FAILED}


async def test_a_rate_limit_without_end_is_a_provider_error_after_bounded_tries(
    make_client: MakeClient, journal: RecordingJournal
) -> None:
    with serve({"replies": [LIMITED]}) as server:
        async with make_client(server.url) as client:
            with pytest.raises(ProviderError) as caught:
                await client.ask(question())

    assert caught.value.reason == "rate_limited"
    assert len(journal.calls) == len(server.requests) == Patience().tries


async def test_a_wait_longer_than_any_that_is_granted_is_not_made(
    make_client: MakeClient, clock: ManualClock
) -> None:
    limited = {**LIMITED, "headers": {"retry-after": "86400"}}

    with serve({"replies": [limited, OK]}) as server:
        async with make_client(server.url) as client:
            with pytest.raises(ProviderError) as caught:
                await client.ask(question())

    assert caught.value.reason == "rate_limited"
    assert clock.sleeps == []


async def test_an_overload_before_the_stream_is_retried_beyond_the_sdk(
    make_client: MakeClient, clock: ManualClock
) -> None:
    with serve({"replies": [{**OVERLOADED, "times": 4}, OK]}) as server:
        async with make_client(server.url) as client:
            answer = await client.ask(question())

    assert answer.text == "4"
    assert [int(wait) for wait in clock.sleeps][:1] == [1]
    assert clock.sleeps == sorted(clock.sleeps)


@pytest.mark.parametrize(
    ("kind", "reason"),
    [
        ("overloaded_error", "overloaded"),
        ("rate_limit_error", "rate_limited"),
        ("api_error", "api_error"),
        ("timeout_error", "api_timeout"),
    ],
)
async def test_an_error_inside_a_stream_is_retried_and_its_usage_kept(
    make_client: MakeClient, journal: RecordingJournal, kind: str, reason: str
) -> None:
    broken = {"text": "4", "error_after": 1, "error": kind, "usage": {"input_tokens": 77}}

    with serve({"replies": [broken, OK]}) as server:
        async with make_client(server.url) as client:
            answer = await client.ask(question())

    assert answer.text == "4"
    failure = journal.calls[0].failure
    assert (failure.reason, failure.fate, failure.status) == (reason, CallFate.UNKNOWN, 200)
    assert failure.usage.input_tokens == 77


async def test_a_half_built_tool_call_is_kept_as_partial_and_the_same_request_sent_again(
    make_client: MakeClient, journal: RecordingJournal
) -> None:
    call = {"type": "tool_use", "name": "bash", "input": {"command": "rm -rf build"}}
    broken = {"content": [call], "error_after": 3, "error": "overloaded_error"}

    with serve({"replies": [broken, OK]}) as server:
        async with make_client(server.url) as client:
            answer = await client.ask(question())

    assert answer.tool_calls == ()
    assert server.requests[0].raw == server.requests[1].raw
    partial = journal.calls[0].failure.partial
    assert partial is not None
    assert json.loads(partial)["content"][0]["input_text"].startswith('{"command')


@pytest.mark.parametrize("ending", ["cut_after", "end_after"])
@pytest.mark.parametrize("events", [1, 3, 5])
async def test_a_stream_without_message_stop_is_never_an_answer(
    make_client: MakeClient, journal: RecordingJournal, ending: str, events: int
) -> None:
    with serve({"replies": [{"text": "The answer is 4", ending: events}]}) as server:
        async with make_client(server.url) as client:
            with pytest.raises(ProviderError) as caught:
                await client.ask(question())

    assert caught.value.reason == "stream_cut"
    assert len(server.requests) == Patience().tries_that_may_cost
    assert {failure.fate for failure in journal.failures} == {CallFate.UNKNOWN}


@pytest.mark.parametrize("silent_after", [0, 2])
async def test_a_request_that_never_answers_times_out_and_is_retried(
    make_client: MakeClient, journal: RecordingJournal, silent_after: int
) -> None:
    with serve({"replies": [{"text": "4", "hang_after": silent_after}]}) as server:
        async with make_client(server.url, request_seconds=0.2) as client:
            with pytest.raises(ProviderError) as caught:
                await client.ask(question())

    assert caught.value.reason == "api_timeout"
    assert len(journal.calls) == Patience().tries_that_may_cost


async def test_a_service_that_falls_silent_is_given_up_before_the_request_is(
    make_client: MakeClient, journal: RecordingJournal
) -> None:
    with serve({"replies": [{"text": "4", "hang_after": 2}, {"text": "4"}]}) as server:
        async with make_client(server.url, silence_seconds=0.3) as client:
            answer = await client.ask(question())

    assert answer.stop_reason == "end_turn"
    assert [failure.reason for failure in journal.failures] == ["api_timeout"]


@pytest.mark.parametrize(
    ("reply", "reason"),
    [
        ({"status": 429, "error": "insufficient_quota"}, "no_credit"),
        (
            {
                "status": 429,
                "error": "rate_limit_error",
                "code": "credit_balance_exhausted",
            },
            "no_credit",
        ),
        (
            {
                "status": 400,
                "error": "invalid_request_error",
                "message": "Your credit balance is too low to access the API.",
            },
            "no_credit",
        ),
        ({"status": 402, "error": "billing_error"}, "no_credit"),
        ({"status": 401, "error": "authentication_error"}, "auth"),
        ({"status": 403, "error": "permission_error"}, "forbidden"),
        ({"text": "x", "error_after": 0, "error": "authentication_error"}, "auth"),
    ],
)
async def test_what_every_call_would_meet_raises_the_breaker_at_the_first_request(
    make_client: MakeClient, clock: ManualClock, reply: dict[str, object], reason: str
) -> None:
    with serve({"replies": [reply]}) as server:
        async with make_client(server.url) as client:
            with pytest.raises(BreakerError) as caught:
                await client.ask(question())

    assert caught.value.reason == reason
    assert caught.value.hint is not None
    assert len(server.requests) == 1
    assert clock.sleeps == []


@pytest.mark.parametrize(
    ("status", "message"),
    [
        (400, "prompt is too long: 210000 tokens > 200000 maximum"),
        (400, "input length and `max_tokens` exceed context limit: 190000 + 16000 > 200000"),
        (400, "the request exceeds the available context size, try increasing it"),
        (413, "Request exceeds the maximum size"),
    ],
)
async def test_a_history_that_the_model_cannot_hold_is_the_context_window(
    make_client: MakeClient, status: int, message: str
) -> None:
    reply = {"status": status, "error": "invalid_request_error", "message": message}

    with serve({"replies": [reply]}) as server:
        async with make_client(server.url) as client:
            with pytest.raises(ContextWindowError):
                await client.ask(question())

    assert len(server.requests) == 1


@pytest.mark.parametrize(
    ("status", "tries"), [(400, 1), (404, 1), (422, 1), (409, 8), (500, 8), (503, 8)]
)
async def test_other_errors_are_api_errors_and_retried_only_if_they_can_pass(
    make_client: MakeClient, status: int, tries: int
) -> None:
    reply = {"status": status, "error": "some_error", "message": "no such thing"}

    with serve({"replies": [reply]}) as server:
        async with make_client(server.url) as client:
            with pytest.raises(ProviderError, match="no such thing") as caught:
                await client.ask(question())

    assert caught.value.reason == "api_error"
    assert len(server.requests) == tries


async def test_an_unknown_model_gets_the_nearest_names(make_client: MakeClient) -> None:
    reply = {"status": 404, "error": "not_found_error", "message": "model: claude-haiku-4-6"}

    with serve({"replies": [reply]}) as server:
        async with make_client(server.url) as client:
            with pytest.raises(ProviderError) as caught:
                await client.ask(question(model="claude-haiku-4-6"))

    assert "claude-haiku-4-5" in (caught.value.hint or "")


async def test_a_service_that_is_not_there_is_an_api_error_that_cost_nothing(
    make_client: MakeClient, journal: RecordingJournal
) -> None:
    with serve({"replies": [OK]}) as server:
        gone = server.url

    async with make_client(gone) as client:
        with pytest.raises(ProviderError) as caught:
            await client.ask(question())

    assert caught.value.reason == "api_error"
    assert {failure.fate for failure in journal.failures} == {CallFate.FAILED}


async def test_a_call_stopped_in_the_middle_is_recorded_as_unknown(
    make_client: MakeClient, journal: RecordingJournal
) -> None:
    with serve({"replies": [{"text": "4", "hang_after": 2}]}) as server:
        async with make_client(server.url) as client:
            with anyio.move_on_after(1.0):
                await client.ask(question())

    failure = journal.calls[0].failure
    assert (failure.reason, failure.fate) == ("interrupted", CallFate.UNKNOWN)
    assert failure.usage.input_tokens == 100


@pytest.mark.parametrize("seconds", [0.9, 5.0])
async def test_an_answer_whose_stream_is_never_closed_is_an_answer(
    make_client: MakeClient, journal: RecordingJournal, seconds: float
) -> None:
    with serve({"replies": [{"text": "4", "hang_after": 99}]}) as server:
        async with make_client(server.url, request_seconds=seconds) as client:
            answer = await client.ask(question())

    assert answer.text == "4"
    assert journal.events == [("call_sent", 1), ("call_completed", 1)]


async def test_an_answer_that_is_there_is_recorded_also_when_the_asker_is_stopped(
    make_client: MakeClient, journal: RecordingJournal
) -> None:
    with serve({"replies": [OK, {"text": "5", "hang_after": 99}]}) as server:
        async with make_client(server.url) as client:
            await client.ask(question())
            with anyio.move_on_after(0.9):
                await client.ask(question())

    assert journal.calls[1].result.stop_reason == "end_turn"


@pytest.mark.parametrize("how", [{"status": 401}, {"text": "x", "error_after": 0}])
async def test_the_key_is_sent_and_appears_nowhere_else(
    make_client: MakeClient, journal: RecordingJournal, how: dict[str, object]
) -> None:
    key = "sk-secret-0123456789"
    echoes = {**how, "error": "authentication_error", "message": f"bad key {key}"}

    with serve({"replies": [echoes]}) as server:
        async with make_client(server.url, api_key=f" {key}\n") as client:
            with pytest.raises(BreakerError) as caught:
                await client.ask(question())

    assert key in server.requests[0].headers["authorization"]
    assert key not in repr(journal)
    assert key not in f"{caught.value!r} {caught.value.__cause__!r} {client!r}"


async def test_no_key_is_needed_on_loopback_only(make_client: MakeClient) -> None:
    with serve({"replies": [OK]}) as server:
        async with make_client(server.url) as client:
            assert (await client.ask(question())).text == "4"

    with pytest.raises(UsageError, match=r"no API key for https://api\.example$"):
        async with make_client("https://api.example:8443/v1"):
            pass


async def test_a_key_that_cannot_be_one_is_refused_without_quoting_it(
    make_client: MakeClient,
) -> None:
    with pytest.raises(UsageError) as caught:
        async with make_client("https://api.example", api_key="sk-one\nsk-two"):
            pass

    assert "sk-" not in str(caught.value)


async def test_a_connection_is_used_again_for_the_next_request(make_client: MakeClient) -> None:
    with serve({"replies": [OK]}) as server:
        async with make_client(server.url) as client:
            for _ in range(3):
                await client.ask(question())

    assert len({request.client for request in server.requests}) == 1
