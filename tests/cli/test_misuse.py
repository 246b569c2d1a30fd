"""Whatever is wrong with the input is said in one line, with what to do and the right exit code."""

from __future__ import annotations

import pytest

from tests.cli.conftest import Cli

MISUSE = {
    "an unknown command": ("bogus",),
    "a missing sub-command": ("db",),
    "a missing suite": ("launch",),
    "a suite that is not there": ("launch", "nope.yaml"),
    "no repeats": ("launch", "suite.yaml", "--repeats", "0"),
    "far too many repeats": ("launch", "suite.yaml", "--repeats", "99999999999999999999"),
    "repeats that are no number": ("launch", "suite.yaml", "--repeats", "ten"),
    "none in flight": ("launch", "suite.yaml", "--max-in-flight", "0"),
    "in flight no number": ("launch", "suite.yaml", "--max-in-flight", "x"),
    "a negative budget": ("launch", "suite.yaml", "--budget-usd", "-1"),
    "a budget that is no number": ("launch", "suite.yaml", "--budget-usd", "nan"),
    "an endless budget": ("launch", "suite.yaml", "--budget-usd", "1e999"),
    "a seed that is too large": ("launch", "suite.yaml", "--seed", "99999999999999999999"),
    "a setting without a value": ("launch", "suite.yaml", "--set", "steps.script"),
    "a setting without a configuration": ("launch", "suite.yaml", "--set", "script=x"),
    "an unknown configuration": ("launch", "suite.yaml", "--config", "zzz"),
    "a pattern that fits no task": ("launch", "suite.yaml", "--task", "zzz*"),
    "an unknown sweep": ("status", "nope"),
    "a sweep number beyond all numbers": ("status", "9" * 5000),
    "an unknown sweep to resume": ("resume", "nope"),
    "an unknown trial": ("show", "nope"),
    "a trial number that is not there": ("show", "99"),
    "a trial number beyond all numbers": ("show", "9" * 30),
    "a query that is wrong": ("sql", "selec"),
    "a query that writes": ("sql", "delete from trials"),
    "two queries": ("sql", "select 1; select 2"),
    "no query": ("sql", ""),
    "two forms of output": ("sql", "select 1", "--json", "--csv"),
    "a ledger of another kind": ("status", "--ledger", "mysql://host/x"),
    "an empty address": ("status", "--ledger", ""),
    "a ledger that is not there": ("list", "--ledger", "other.db"),
    "an argument that is no text": ("status", "\udcff"),
}


@pytest.mark.parametrize("arguments", MISUSE.values(), ids=MISUSE.keys())
def test_misuse_is_one_line_and_exit_2(played: Cli, arguments: tuple[str, ...]) -> None:
    done = played(*arguments)

    lines = done.stderr.splitlines()
    assert done.returncode == 2, done.stderr
    assert lines[0].startswith("error: ")
    assert all(line.startswith("hint: ") for line in lines[1:])
    assert len(lines) <= 2
    assert done.stdout == ""


def test_a_taken_name_is_refused_with_the_command_that_goes_on(played: Cli) -> None:
    done = played("launch", "suite.yaml", "--name", "play-1")

    assert done.returncode == 2
    assert "runner resume play-1" in done.stderr


BROKEN = {
    "a file that is no ledger": ("status", "--ledger", "suite.yaml"),
    "a file that is no ledger, in sql": ("sql", "select 1", "--ledger", "suite.yaml"),
    "a file that is no ledger, to check": ("db", "check", "--ledger", "suite.yaml"),
    "a file that is no ledger, to upgrade": ("db", "upgrade", "--ledger", "suite.yaml"),
    "a file that is no ledger, to launch": ("launch", "suite.yaml", "--ledger", "suite.yaml"),
    "a directory": ("status", "--ledger", "."),
    "a directory that is not there": ("launch", "suite.yaml", "--ledger", "no/where.db"),
    "a server that is not there": ("list", "--ledger", "postgresql://u:secret@127.0.0.1:1/x"),
    "no server for sql": ("sql", "select 1", "--ledger", "postgresql://u:secret@127.0.0.1:1/x"),
}


@pytest.mark.parametrize("arguments", BROKEN.values(), ids=BROKEN.keys())
def test_a_ledger_that_cannot_be_used_is_exit_3(played: Cli, arguments: tuple[str, ...]) -> None:
    done = played(*arguments)

    assert done.returncode == 3, done.stderr
    assert done.stderr.startswith("error: ")
    assert len(done.stderr.splitlines()) == 2
    assert "secret" not in done.stderr
