from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
import time
from pathlib import Path

import anthropic
import pytest
from anthropic.types import Message

from runner.testing.messages_server import serve

CALL: dict[str, object] = {
    "type": "tool_use",
    "id": "toolu_1",
    "name": "bash",
    "input": {"command": "ls"},
}
THOUGHT: dict[str, object] = {"type": "thinking", "thinking": "hm", "signature": "c2ln"}


def ask(url: str, *messages: dict[str, object]) -> Message:
    said = [user({"type": "text", "text": "hello"}), *messages]
    with anthropic.Anthropic(api_key="key", base_url=url, max_retries=0, timeout=10) as client:
        return client.messages.create(
            model="claude-x", max_tokens=100, messages=[], extra_body={"messages": said}
        )


def user(*blocks: dict[str, object]) -> dict[str, object]:
    return {"role": "user", "content": list(blocks)}


def assistant(*blocks: dict[str, object]) -> dict[str, object]:
    return {"role": "assistant", "content": list(blocks)}


def result(id_: str = "toolu_1", **more: object) -> dict[str, object]:
    return {"type": "tool_result", "tool_use_id": id_, "content": "done", **more}


def test_replies_come_in_order_and_the_last_one_for_ever() -> None:
    with serve({"replies": [{"text": "a", "times": 2}, {"text": "b"}]}) as server:
        said = [ask(server.url).content[0] for _ in range(4)]

    assert [block.text for block in said if block.type == "text"] == ["a", "a", "b", "b"]


def test_trials_are_told_apart_by_their_words_or_by_the_path() -> None:
    script = {
        "trials": [
            {"match": "hello", "prefix": "/one", "replies": [{"text": "1"}]},
            {"match": "goodbye", "replies": [{"text": "2"}]},
        ],
        "replies": [{"text": "a"}, {"text": "b"}],
    }

    with serve(script) as server:
        texts = [
            ask(f"{server.url}{path}").content[0] for path in ("/one", "/two", "/three", "/two", "")
        ]

    assert [t.text for t in texts if t.type == "text"] == ["1", "a", "a", "b", "a"]


def test_turns_answer_every_trial_alike_by_where_its_history_stands() -> None:
    with serve({"turns": [{"content": [CALL]}, {"text": "done"}]}) as server:
        first = [ask(server.url).stop_reason for _ in range(3)]
        last = ask(server.url, assistant(CALL), user(result())).stop_reason

    assert first == ["tool_use"] * 3
    assert last == "end_turn"


def test_a_fault_can_come_before_every_nth_request() -> None:
    script = {
        "turns": [{"text": "a"}],
        "every": {"nth": 3, "reply": {"status": 529, "error": "overloaded_error"}},
    }
    fates = []
    with serve(script) as server:
        for _ in range(6):
            try:
                ask(server.url)
                fates.append("ok")
            except anthropic.APIStatusError as error:
                fates.append(str(error.status_code))

    assert fates == ["ok", "ok", "529"] * 2


@pytest.mark.parametrize(
    "history",
    [
        [assistant(CALL)],
        [assistant(CALL), user({"type": "text", "text": "so?"}, result())],
        [assistant(CALL), user(result("toolu_2"))],
        [assistant(CALL), user(result(content=""))],
        [assistant(CALL), user(result(content="", is_error=True))],
        [assistant(CALL), user(result(content=[]))],
        [assistant(CALL), user(result(content=[{"type": "text", "text": ""}]))],
        [assistant({"type": "text", "text": ""}), user({"type": "text", "text": "x"})],
        [assistant(), user({"type": "text", "text": "x"})],
        [assistant(CALL, {**CALL, "id": "toolu_2"}), user(result("toolu_2"), result())],
        [assistant({**THOUGHT, "thinking": "hmm"}, CALL), user(result())],
        [assistant(CALL), user(result())],
        [user(result())],
    ],
)
def test_a_history_that_a_real_service_refuses_is_refused(history: list[dict[str, object]]) -> None:
    with serve({"replies": [{"content": [THOUGHT, CALL]}]}) as server:
        ask(server.url)
        with pytest.raises(anthropic.BadRequestError):
            ask(server.url, *history)


def test_a_history_that_is_in_order_is_taken() -> None:
    with serve({"replies": [{"content": [THOUGHT, CALL]}, {"text": "done"}]}) as server:
        ask(server.url)
        answer = ask(server.url, assistant(THOUGHT, CALL), user(result()))

    assert answer.stop_reason == "end_turn"


def test_the_bill_is_on_disk_before_the_answer_comes(tmp_path: Path) -> None:
    bill = tmp_path / "bill"
    usage = {"input_tokens": 1_000, "output_tokens": 100}

    with serve({"replies": [{"text": "x", "hang_after": 0, "usage": usage}]}, bill=bill) as server:
        with pytest.raises(anthropic.APITimeoutError):
            anthropic.Anthropic(api_key="k", base_url=server.url, max_retries=0).messages.create(
                model="claude-x",
                max_tokens=10,
                messages=[{"role": "user", "content": "hello"}],
                timeout=0.2,
            )
        (line,) = [json.loads(text) for text in bill.read_text().splitlines()]

    assert line["cost_nusd"] == 1_000 * 3_000 + 100 * 15_000
    assert line["model"] == "claude-x"


def test_an_http_error_is_on_the_bill_and_costs_nothing() -> None:
    script = {"replies": [{"status": 500, "error": "api_error"}]}
    with serve(script) as server, pytest.raises(anthropic.InternalServerError):
        ask(server.url)

    assert [(line["status"], line["cost_nusd"]) for line in server.bill] == [(500, 0)]


def test_a_process_serves_a_script_and_keeps_its_bill_when_it_is_killed(tmp_path: Path) -> None:
    script, bill, port = tmp_path / "script.yaml", tmp_path / "bill", tmp_path / "port"
    script.write_text("turns: [{text: hello, usage: {output_tokens: 5}}]")
    program = [sys.executable, "-m", "runner.testing.messages_server"]
    flags = ["--script", str(script), "--bill", str(bill), "--port-file", str(port)]

    with subprocess.Popen([*program, *flags]) as process:
        try:
            deadline = time.monotonic() + 30
            while not port.exists():
                assert time.monotonic() < deadline
                assert process.poll() is None
            answer = ask(f"http://127.0.0.1:{port.read_text()}")
        finally:
            os.kill(process.pid, signal.SIGKILL)

    assert answer.usage.output_tokens == 5
    assert json.loads(bill.read_text())["output_tokens"] == 5
