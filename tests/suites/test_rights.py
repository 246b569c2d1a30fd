"""Suites in places where nobody may look: mistakes with a reason, never a crash."""

from __future__ import annotations

import os
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

from runner.errors import RunnerError, SuiteFileError, UsageError
from runner.suites import load_suite
from runner.testing.suite_directory import VOCABULARY

NOBODY = 65534


@contextmanager
def _locked(folder: Path) -> Iterator[None]:
    """Take away all rights to a folder, also those of an administrator."""
    folder.chmod(0)
    administrator = os.geteuid() == 0
    if administrator:
        os.seteuid(NOBODY)
    try:
        yield
    finally:
        if administrator:
            os.seteuid(0)
        folder.chmod(0o755)


@pytest.fixture
def open_place() -> Iterator[Path]:
    """A directory that every user may enter, unlike those of pytest."""
    with tempfile.TemporaryDirectory() as name:
        Path(name).chmod(0o755)
        yield Path(name)


def _mistakes(path: Path) -> str:
    with pytest.raises(RunnerError) as caught:
        load_suite(path, VOCABULARY)
    assert isinstance(caught.value, UsageError | SuiteFileError)
    return caught.value.message


def test_suite_file_in_a_locked_directory_is_told_with_the_reason(open_place: Path) -> None:
    folder = open_place / "locked"
    folder.mkdir()
    (folder / "suite.yaml").write_text("suite: s\n")

    with _locked(folder):
        told = _mistakes(folder / "suite.yaml")

    assert "cannot be read: Permission denied" in told


@pytest.mark.parametrize(
    "task",
    [
        "from: locked",
        "from: locked/in",
        "from: locked/*",
        "from: locked/in/task.yaml",
        "{id: a, instruction: i, expect: x, files: locked/in}",
        "{id: a, instruction: i, expect: x, files: locked}",
    ],
)
def test_task_in_a_locked_directory_is_told_with_file_line_and_reason(
    open_place: Path, task: str
) -> None:
    folder = open_place / "locked"
    (folder / "in").mkdir(parents=True)
    (folder / "in/task.yaml").write_text("instruction: i\nexpect: x\n")
    suite = open_place / "suite.yaml"
    suite.write_text(f"suite: s\ntasks:\n  - {task}\n")

    with _locked(folder):
        told = _mistakes(suite)

    assert f"{suite}:3: " in told
    assert "cannot be read: Permission denied" in told


def test_suite_file_with_a_name_that_is_too_long_is_not_there(tmp_path: Path) -> None:
    assert "there is no suite file" in _mistakes(tmp_path / ("x" * 300))
