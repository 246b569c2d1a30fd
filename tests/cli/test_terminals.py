"""Pipes, terminals, narrow encodings: nothing crashes, nothing is garbage."""

from __future__ import annotations

import os
import pty
import subprocess
from collections.abc import Callable, Mapping

import pytest

from tests.cli.conftest import RUNNER, Cli, clean_environment, write_suite


def on_terminal(
    cli: Cli, *arguments: str, columns: int = 80, asks: Mapping[str, str] | None = None
) -> str:
    """Run a command with stderr on a pseudo terminal; give what it wrote there."""
    ours, theirs = pty.openpty()
    os.set_blocking(ours, True)
    process = subprocess.Popen(
        [RUNNER, *arguments],
        cwd=cli.directory,
        env=clean_environment(COLUMNS=str(columns), **(asks or {})),
        stdin=subprocess.DEVNULL,
        stdout=subprocess.DEVNULL,
        stderr=theirs,
    )
    os.close(theirs)
    written = b""
    try:
        while chunk := _read(ours):
            written += chunk
    finally:
        process.wait(timeout=30)
        os.close(ours)
    return written.decode()


def _read(descriptor: int) -> bytes:
    try:
        return os.read(descriptor, 65536)
    except OSError:  # Linux says so at the end of a terminal
        return b""


@pytest.fixture
def waiting(cli: Cli) -> Cli:
    """A suite whose trials take a moment."""
    write_suite(cli, "wait: 1.2", "submit: '4'")
    return cli


@pytest.mark.parametrize("columns", [40, 100])
def test_a_terminal_shows_a_block_that_is_drawn_in_place(waiting: Cli, columns: int) -> None:
    written = on_terminal(waiting, "launch", "suite.yaml", columns=columns)

    assert "in flight" in written
    assert "[red]four" in written
    assert "\x1b[" in written
    assert written.rstrip().endswith("next: runner status play-1")
    assert "\x1b[?25h" in written  # the cursor is shown again


@pytest.mark.parametrize("asks", [{"NO_COLOR": "1"}, {"CI": "1"}, {"TERM": "dumb"}])
def test_a_terminal_that_asks_for_it_gets_plain_lines(waiting: Cli, asks: dict[str, str]) -> None:
    written = on_terminal(waiting, "launch", "suite.yaml", asks=asks)

    assert "\x1b" not in written
    assert written.replace("\r\n", "\n").count("\r") == 0
    assert "2/2 settled" in written or "sweep play-1" in written


def test_a_pipe_gets_plain_lines_at_most_one_a_second(cli: Cli) -> None:
    write_suite(cli, "wait: 0.4", "submit: '4'", max_in_flight=1, repeats=4)

    done = cli("launch", "suite.yaml")

    progress = [line for line in done.stderr.splitlines() if " settled: " in line]
    assert 1 <= len(progress) <= 6
    assert "\x1b" not in done.stderr + done.stdout
    assert "steps/" in progress[0]


@pytest.mark.parametrize("encoding", ["ascii", "latin-1", "cp1252", "utf-8"])
def test_no_encoding_is_too_narrow(played: Cli, encoding: str) -> None:
    asked = "SELECT 'ü≥ 龍 ' || char(27) || '[31m' AS x"

    for arguments in (("status",), ("show", "1"), ("sql", asked), ("--help",), ("status", "≠")):
        done = played(*arguments, PYTHONIOENCODING=encoding)
        assert done.returncode == (2 if "≠" in arguments else 0), done.stderr
        assert "\x1b" not in done.stdout


def test_ids_are_never_read_as_markup(played: Cli) -> None:
    assert "sums/[red]four" in played("status").stdout
    assert "sums/[red]four" in played("show", "play-1/steps/1/sums/[red]four").stdout


@pytest.fixture(params=["", "1"])
def buffering(request: pytest.FixtureRequest) -> str:
    value: str = request.param
    return value


def test_a_reader_that_goes_away_is_no_error(played: Cli, buffering: str) -> None:
    wide = "WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 200000) "
    process = subprocess.Popen(
        [RUNNER, "sql", f"{wide} SELECT i FROM n"],
        cwd=played.directory,
        env=clean_environment(PYTHONUNBUFFERED=buffering),
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    )
    assert process.stdout is not None
    assert process.stderr is not None
    process.stdout.readline()

    process.stdout.close()

    assert process.stderr.read() == ""
    process.stderr.close()
    assert process.wait(timeout=30) == 0


def test_output_that_cannot_be_written_is_exit_3(played: Cli) -> None:
    with open("/dev/full", "w") as full:  # noqa: PTH123 - a device
        process = played.start("list", stdout=full)
        _, stderr = process.communicate(timeout=30)

    assert process.returncode == 3
    assert stderr.startswith("error: cannot write the output: No space left on device")


def test_messages_that_cannot_be_written_change_no_exit_code(played: Cli) -> None:
    with open("/dev/full", "w") as full:  # noqa: PTH123 - a device
        done = played.start("status", stderr=full)
        misused = played.start("status", "no such sweep", stderr=full)
        done.communicate(timeout=30)
        misused.communicate(timeout=30)

    assert (done.returncode, misused.returncode) == (0, 2)


def test_closed_streams_do_not_stop_a_launch(cli: Cli) -> None:
    write_suite(cli, "submit: '4'")
    close_both: Callable[[], None] = lambda: os.closerange(1, 3)  # noqa: E731 - runs in the child

    process = cli.start("launch", "suite.yaml", stdout=None, stderr=None, preexec_fn=close_both)

    assert process.wait(timeout=30) == 0
    assert cli("list").stdout.count("complete") == 1
