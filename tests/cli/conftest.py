"""The real command as a process, and small suites for it."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

RUNNER = str(Path(sys.executable).with_name("runner"))
#: What would change what the command prints.
_NOT_INHERITED = ("CI", "NO_COLOR", "COLUMNS", "PYTHONIOENCODING", "ANTHROPIC_API_KEY")


def clean_environment(**more: str) -> dict[str, str]:
    """Give this process's environment without what would change the command's ways."""
    kept = {
        name: value
        for name, value in os.environ.items()
        if not name.startswith("RUNNER_") and name not in _NOT_INHERITED
    }
    return kept | {"TERM": "xterm"} | more


class Cli:
    """Runs commands in one directory."""

    def __init__(self, directory: Path) -> None:
        self.directory = directory

    def __call__(self, *arguments: str, **environment: str) -> subprocess.CompletedProcess[str]:
        """Run a command to its end."""
        return subprocess.run(
            [RUNNER, *arguments],
            cwd=self.directory,
            env=clean_environment(**environment),
            stdin=subprocess.DEVNULL,
            capture_output=True,
            text=True,
            errors="replace",
            timeout=50,
            check=False,
        )

    def start(self, *arguments: str, **popen: Any) -> subprocess.Popen[str]:
        """Start a command; whoever starts it waits for it."""
        return subprocess.Popen(
            [RUNNER, *arguments],
            cwd=self.directory,
            env=clean_environment(),
            stdin=subprocess.DEVNULL,
            **{"stdout": subprocess.PIPE, "stderr": subprocess.PIPE, "text": True} | popen,
        )

    def write(self, name: str, text: str) -> Path:
        """Write a file beside the ledger."""
        path = self.directory / name
        path.write_text(text)
        return path


@pytest.fixture
def cli(tmp_path: Path) -> Cli:
    return Cli(tmp_path)


def write_suite(cli: Cli, *steps: str, **top: object) -> Path:
    """Write a suite of two tasks whose agent follows the given steps."""
    cli.write("steps.yaml", "\n".join(["steps:", *(f"  - {step}" for step in steps)]))
    keys = "\n".join(f"{key}: {value}" for key, value in top.items())
    return cli.write("suite.yaml", f"{_SUITE}{keys}\n")


@pytest.fixture(scope="session")
def played(tmp_path_factory: pytest.TempPathFactory) -> Cli:
    """A directory with a suite and a ledger that tests only read: one of two trials passed."""
    cli = Cli(tmp_path_factory.mktemp("played"))
    write_suite(cli, "submit: '4'")
    assert cli("launch", "suite.yaml").returncode == 0
    return cli


_SUITE = """\
suite: play
tasks:
  - {id: sums/two, instruction: "1+1?", expect: 2}
  - {id: "sums/[red]four", instruction: "2+2?", expect: 4}
defaults:
  graders: [{kind: answer, match: number}]
  sandbox: {isolation: none}
configs:
  steps: {agent: scripted, script: steps.yaml}
"""
