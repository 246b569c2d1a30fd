from __future__ import annotations

import os
import re
import select
import signal
import subprocess
import sys
from pathlib import Path

import anthropic
import anyio
import pytest

from runner.errors import ProviderError
from runner.models.local_model import BUNDLED_MODEL, find_local_model
from runner.models.local_server import CLIENT_HEADERS, serve_local_model

pytestmark = [pytest.mark.local_model, pytest.mark.timeout(180)]

RUNNER_THAT_IS_KILLED = f"""
import anyio
from pathlib import Path
from runner.models.local_server import serve_local_model

async def main():
    async with serve_local_model({BUNDLED_MODEL!r}, slots=1, cache=Path("cache")) as url:
        print(url, flush=True)
        await anyio.sleep_forever()

anyio.run(main)
"""


async def ask(url: str, question: str) -> str:
    client = anthropic.AsyncAnthropic(
        base_url=url, api_key="none", max_retries=0, default_headers=CLIENT_HEADERS
    )
    async with (
        client,
        client.messages.stream(
            model=BUNDLED_MODEL,
            max_tokens=8,
            system="Answer in one short sentence.",
            messages=[{"role": "user", "content": question}],
        ) as stream,
    ):
        message = await stream.get_final_message()
    assert message.usage.output_tokens > 0
    return "".join(block.text for block in message.content if block.type == "text")


def processes() -> set[int]:
    return {int(entry.name) for entry in Path("/proc").glob("[0-9]*")}


def children_of(pid: int) -> list[int]:
    found = []
    for stat in Path("/proc").glob("[0-9]*/stat"):
        try:
            parent = stat.read_text().rpartition(")")[2].split()[1]
        except OSError:  # it ended while we looked
            continue
        if int(parent) == pid:
            found.append(int(stat.parent.name))
    return found


def lifeline_and_server(runner: int) -> tuple[int, int]:
    """The pids of the process that holds the lifeline's other end, and of the server."""
    (lifeline,) = [
        child
        for child in children_of(runner)
        if any(b"local_server_lifeline" in word for word in command_of(child))
    ]
    (server,) = children_of(lifeline)
    return lifeline, server


def command_of(pid: int) -> list[bytes]:
    """The words of a living process's command; none for one that is gone, or a zombie."""
    try:
        return Path(f"/proc/{pid}/cmdline").read_bytes().split(b"\0")
    except FileNotFoundError:
        return []


def ends_within(seconds: float, pidfd: int) -> bool:
    readable, _, _ = select.select([pidfd], [], [], seconds)
    os.close(pidfd)
    return bool(readable)


async def test_a_served_model_answers_several_clients_at_once(tmp_path: Path) -> None:
    answers: list[str] = []

    async def ask_and_keep(url: str, number: int) -> None:
        answers.append(await ask(url, f"What is {number} + 1?"))

    async with (
        serve_local_model(BUNDLED_MODEL, slots=2, cache=tmp_path) as url,
        anyio.create_task_group() as group,
    ):
        for number in range(6):
            group.start_soon(ask_and_keep, url, number)

    assert len(answers) == 6
    assert all(answers)


async def test_a_server_and_its_log_are_gone_after_the_block(tmp_path: Path) -> None:
    async with serve_local_model(BUNDLED_MODEL, slots=1, cache=tmp_path):
        _, server = lifeline_and_server(os.getpid())
        pidfd = os.pidfd_open(server)

    assert ends_within(0, pidfd)
    assert server not in processes()  # nor is a zombie left
    assert list((tmp_path / "logs").iterdir()) == []


async def test_two_servers_at_once_have_an_address_each(tmp_path: Path) -> None:
    async with (
        serve_local_model(BUNDLED_MODEL, slots=1, cache=tmp_path) as one,
        serve_local_model(BUNDLED_MODEL, slots=1, cache=tmp_path) as other,
    ):
        assert one != other
        assert await ask(one, "What is 1 + 1?")
        assert await ask(other, "What is 1 + 1?")


def test_a_server_dies_with_a_runner_that_is_killed(tmp_path: Path) -> None:
    runner = subprocess.Popen(
        [sys.executable, "-c", RUNNER_THAT_IS_KILLED],
        cwd=tmp_path,
        stdout=subprocess.PIPE,
        text=True,
    )
    with runner:
        assert runner.stdout
        assert runner.stdout.readline().startswith("http://127.0.0.1:")
        _, server = lifeline_and_server(runner.pid)
        pidfd = os.pidfd_open(server)

        runner.send_signal(signal.SIGKILL)

        assert ends_within(10, pidfd)


@pytest.mark.parametrize("victim", ["the lifeline's holder", "the server"])
async def test_a_server_that_dies_in_use_cancels_the_block_and_says_why(
    tmp_path: Path, victim: str
) -> None:
    pidfds: list[int] = []

    async def serve_until_killed() -> None:
        async with serve_local_model(BUNDLED_MODEL, slots=1, cache=tmp_path):
            lifeline, server = lifeline_and_server(os.getpid())
            pidfds.append(os.pidfd_open(server))
            os.kill(server if victim == "the server" else lifeline, signal.SIGKILL)
            await anyio.sleep_forever()

    with pytest.raises(ProviderError, match="while in use") as caught:
        await serve_until_killed()

    assert ends_within(10, *pidfds)
    assert "listening on" in caught.value.message  # the last lines of its log
    assert caught.value.hint
    assert str(tmp_path / "logs") in caught.value.hint


async def test_the_blocks_own_error_comes_out_as_it_is(tmp_path: Path) -> None:
    cause = ValueError("the cause")

    async def fail_in_use() -> None:
        async with serve_local_model(BUNDLED_MODEL, slots=1, cache=tmp_path):
            raise KeyError("mine") from cause

    with pytest.raises(KeyError) as caught:
        await fail_in_use()

    assert caught.value.__cause__ is cause


async def test_a_broken_model_file_ends_with_what_the_server_said(tmp_path: Path) -> None:
    (tmp_path / "models").mkdir()
    (tmp_path / "models" / "broken.gguf").write_bytes(b"no model at all")

    with pytest.raises(ProviderError, match="before it was ready") as caught:
        async with serve_local_model("broken", slots=1, cache=tmp_path):
            pytest.fail("it must not start")

    assert re.search(r"failed to load model", caught.value.message)


async def test_a_server_that_is_not_ready_in_time_is_given_up(tmp_path: Path) -> None:
    with pytest.raises(ProviderError, match="not ready within 0 s"):
        async with serve_local_model(BUNDLED_MODEL, slots=1, cache=tmp_path, start_seconds=0):
            pytest.fail("it must not start")

    assert children_of(os.getpid()) == []


async def test_more_slots_than_make_sense_are_capped(tmp_path: Path) -> None:
    async with serve_local_model(BUNDLED_MODEL, slots=1000, cache=tmp_path) as url:
        _, server = lifeline_and_server(os.getpid())
        words = command_of(server)
        assert words[words.index(b"--parallel") + 1] == b"8"
        assert await ask(url, "What is 1 + 1?")


def test_the_model_that_setup_brings_is_found_in_the_checkout(tmp_path: Path) -> None:
    assert find_local_model(BUNDLED_MODEL, cache=tmp_path).file.parent.name == "models"
