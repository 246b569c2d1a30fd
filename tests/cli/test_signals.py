"""Ctrl-C once stops in order, twice at once; termination and hang-up likewise."""

from __future__ import annotations

import json
import signal
import subprocess
import time
from collections.abc import Iterator
from contextlib import contextmanager

import pytest

from tests.cli.conftest import Cli, write_suite


@contextmanager
def launched(cli: Cli, *flags: str) -> Iterator[subprocess.Popen[str]]:
    """Launch a suite whose trials wait for minutes; the sweep is recorded and runs."""
    write_suite(cli, "wait: 300", "submit: '4'")
    process = cli.start("launch", "suite.yaml", *flags)
    try:
        assert process.stderr is not None
        assert process.stderr.readline().startswith("sweep play-1: ")
        _wait_until_in_flight(cli)
        yield process
    finally:
        process.kill()
        process.communicate()


def _wait_until_in_flight(cli: Cli) -> None:
    for _ in range(50):
        status = cli("status", "--json")
        if status.returncode == 0 and json.loads(status.stdout)["trials"]["running"] == 2:
            return
    raise AssertionError("no trial was started")


@pytest.mark.parametrize(
    ("number", "code"), [(signal.SIGINT, 130), (signal.SIGTERM, 143), (signal.SIGHUP, 143)]
)
def test_a_signal_stops_in_order_and_names_the_command_that_goes_on(
    cli: Cli, number: signal.Signals, code: int
) -> None:
    with launched(cli, "--json") as process:
        start = time.monotonic()
        process.send_signal(number)
        stdout, stderr = process.communicate(timeout=20)

    assert process.returncode == code
    assert time.monotonic() - start < 10
    assert stderr.splitlines()[-1] == "next: runner resume play-1"
    report = json.loads(stdout)
    assert report["interrupted"] is True
    assert report["exit_code"] == code
    assert report["state"] == "stopped"
    assert report["trials"]["open"] == 2
    assert report["trials"]["running"] == 0
    endings = cli("sql", "SELECT ending FROM attempts", "--json").stdout
    assert json.loads(endings) == [{"ending": "interrupted"}] * 2


def test_a_second_signal_ends_at_once_though_the_agent_blocks_everything(cli: Cli) -> None:
    write_suite(cli, "submit: '4'")
    cli.write("blocking.py", _BLOCKING)
    with (cli.directory / "suite.yaml").open("a") as suite:
        suite.write("  blocks: {agent: 'python:blocking.py:Blocking'}\n")
    process = cli.start("launch", "suite.yaml", "--config", "blocks")
    try:
        assert process.stderr is not None
        while "blocked" not in process.stderr.readline():
            pass
        process.send_signal(signal.SIGINT)
        with pytest.raises(subprocess.TimeoutExpired):
            process.wait(timeout=1)
        process.send_signal(signal.SIGINT)
        process.wait(timeout=5)
    finally:
        process.kill()
        process.communicate()

    assert process.returncode == 130
    trials = json.loads(cli("status", "--json").stdout)["trials"]
    assert trials["interrupted"] == trials["running"] >= 1


_BLOCKING = """\
import sys, time

class Blocking:
    async def work(self, assignment):
        print("blocked", file=sys.stderr, flush=True)
        time.sleep(300)
"""


def test_a_hang_up_that_was_ignored_from_the_start_stays_ignored(cli: Cli) -> None:
    write_suite(cli, "wait: 1", "submit: '4'")
    process = cli.start(
        "launch",
        "suite.yaml",
        preexec_fn=lambda: signal.signal(signal.SIGHUP, signal.SIG_IGN),
    )
    assert process.stderr is not None
    process.stderr.readline()

    process.send_signal(signal.SIGHUP)
    process.communicate(timeout=30)

    assert process.returncode == 0
