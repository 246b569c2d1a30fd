"""The help is quick, whole and the same as the reference in the docs."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

from runner.cli.exit_codes import ExitCode
from tests.cli.conftest import Cli

HEAVY = ("sqlalchemy", "anthropic", "httpx", "pydantic", "rich", "anyio", "ruamel", "genai_prices")


def test_the_help_loads_nothing_heavy() -> None:
    code = (
        "import sys; from runner.cli.main import run; run(['--help']); "
        f"print([name for name in {HEAVY!r} if name in sys.modules], file=sys.stderr)"
    )

    done = subprocess.run(
        [sys.executable, "-c", code], capture_output=True, text=True, timeout=30, check=True
    )

    assert done.stderr.strip() == "[]"


def test_the_help_lists_every_exit_code(cli: Cli) -> None:
    text = cli("--help").stdout

    listed = [line.split()[0] for line in text.split("Exit codes:")[1].strip().splitlines()]
    assert listed == [str(code.value) for code in ExitCode]


@pytest.mark.parametrize("arguments", [(), ("--help",), ("-h",)])
def test_without_a_command_the_help_is_printed(cli: Cli, arguments: tuple[str, ...]) -> None:
    done = cli(*arguments)

    assert done.returncode == 0
    assert done.stdout.startswith("Usage: runner")
    assert done.stderr == ""


def test_the_version_is_the_distributions(cli: Cli) -> None:
    from importlib.metadata import version  # noqa: PLC0415 - used here only

    assert cli("--version").stdout == f"runner {version('agent-trial-runner')}\n"


def test_the_reference_in_the_docs_is_what_the_help_says() -> None:
    made = subprocess.run(
        [sys.executable, "-m", "runner.cli.reference"],
        capture_output=True,
        text=True,
        timeout=30,
        check=True,
    ).stdout

    assert Path("docs/cli.md").read_text() == made
