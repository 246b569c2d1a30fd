from __future__ import annotations

import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from runner.shipped import checkout

TESTS = """
import pytest

@pytest.mark.local_model
@pytest.mark.parametrize("number", range(3))
def test_with_the_model(number):
    raise AssertionError("there is no model here")

def test_without():
    pass
"""


@pytest.fixture
def bare_checkout(tmp_path: Path) -> Path:
    """A copy of the checkout with tests of its own, where no local model was fetched."""
    root = checkout()
    assert root is not None
    for folder in ("runner", "graders", "migrations"):
        leave_out = shutil.ignore_patterns("__pycache__")
        shutil.copytree(root / folder, tmp_path / folder, ignore=leave_out)
    shutil.copy(root / "pyproject.toml", tmp_path)
    (tmp_path / "tests").mkdir()
    (tmp_path / "tests" / "test_it.py").write_text(TESTS)
    return tmp_path


def run_pytest(folder: Path, *options: str) -> subprocess.CompletedProcess[str]:
    environment = {"PATH": os.defpath, "PYTHONPATH": str(folder), "HOME": str(folder)}
    return subprocess.run(
        [sys.executable, "-m", "pytest", "-p", "no:cacheprovider", *options],
        cwd=folder,
        env=environment,
        capture_output=True,
        text=True,
        check=False,
    )


def test_tests_that_the_machine_cannot_run_are_counted_and_explained(bare_checkout: Path) -> None:
    done = run_pytest(bare_checkout)

    assert "1 passed, 3 deselected" in done.stdout
    assert "local_model: 3 tests; no file smollm2-135m-instruct.gguf in" in done.stdout
    assert done.returncode == 0


def test_a_run_that_must_leave_nothing_out_fails_if_it_does(bare_checkout: Path) -> None:
    done = run_pytest(bare_checkout, "--all-must-run")

    assert "1 passed, 3 deselected" in done.stdout
    assert "--all-must-run" in done.stdout
    assert done.returncode == 1


def test_what_was_filtered_out_by_hand_is_neither_probed_nor_missed(bare_checkout: Path) -> None:
    done = run_pytest(bare_checkout, "--all-must-run", "-m", "not local_model")

    assert "1 passed, 3 deselected" in done.stdout
    assert "not run: this machine cannot" not in done.stdout
    assert done.returncode == 0
