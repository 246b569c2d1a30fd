"""What works from a checkout works from an install in an empty environment, from any folder."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import sys
import venv
import zipfile
from pathlib import Path

import pytest

from runner.shipped import checkout, shipped

pytestmark = [pytest.mark.packaging, pytest.mark.timeout(600)]


def run(*words: str | Path, cwd: Path) -> str:
    """Run a program that knows nothing of the checkout; give its output."""
    environment = {name: value for name, value in os.environ.items() if name != "PYTHONPATH"}
    done = subprocess.run(
        words, cwd=cwd, env=environment, capture_output=True, text=True, check=False
    )
    assert done.returncode == 0, done.stdout + done.stderr
    return done.stdout


def pip(python: str | Path, *words: str | Path, cwd: Path) -> None:
    run(python, "-m", "pip", "--disable-pip-version-check", "--no-input", "-qq", *words, cwd=cwd)


@pytest.fixture(scope="module")
def wheel(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The wheel, built from a copy of the checkout so that the build leaves nothing behind."""
    root, folder = checkout(), tmp_path_factory.mktemp("wheel")
    assert root is not None
    source = folder / "source"
    leave_out = shutil.ignore_patterns(".*", "__pycache__", "*.egg-info", "build", "*.db*")
    shutil.copytree(root, source, ignore=leave_out)
    pip(sys.executable, "wheel", "--no-deps", "--no-build-isolation", "-w", folder, ".", cwd=source)
    (built,) = folder.glob("*.whl")
    return built


@pytest.fixture(scope="module")
def installed(wheel: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The ``bin`` folder of an environment that holds the wheel and what it depends on."""
    folder = tmp_path_factory.mktemp("environment")
    venv.create(folder, with_pip=True)
    constraints = Path(str(checkout())) / "constraints.txt"
    pip(folder / "bin" / "python", "install", "-c", constraints, wheel, cwd=folder)
    return folder / "bin"


def test_the_wheel_holds_the_packages_and_the_shipped_folders_and_nothing_else(wheel: Path) -> None:
    names = zipfile.ZipFile(wheel).namelist()

    tops = {name.split("/")[0] for name in names}
    assert {top for top in tops if not top.endswith(".dist-info")} == {"runner", "graders"}
    assert {"runner/py.typed", "graders/py.typed"} <= set(names)
    assert not [name for name in names if "__pycache__" in name or name.endswith(".db")]


@pytest.mark.parametrize("folder", ["tasks", "migrations"])
def test_the_wheel_holds_every_shipped_file_of_the_checkout(wheel: Path, folder: str) -> None:
    files = {
        f"runner/_shipped/{folder}/{file.relative_to(shipped(folder)).as_posix()}"
        for file in shipped(folder).rglob("*")
        if file.is_file() and not _is_a_tools_own(file.relative_to(shipped(folder)))
    }
    assert files
    assert files <= set(zipfile.ZipFile(wheel).namelist())


def _is_a_tools_own(path: Path) -> bool:
    return any(part.startswith(".") or part == "__pycache__" for part in path.parts)


def test_an_install_launches_a_shipped_suite_from_any_folder(
    installed: Path, tmp_path: Path
) -> None:
    where = "from runner.shipped import shipped; print(shipped('tasks', 'warmup', 'suite.yaml'))"
    suite = run(installed / "python", "-c", where, cwd=tmp_path).strip()
    assert "_shipped" in Path(suite).parts

    options = ("--config", "nop", "--repeats", "2", "--ledger", "here.db", "--json")
    summary = json.loads(run(installed / "runner", "launch", suite, *options, cwd=tmp_path))

    assert summary["state"] == "complete"
    assert summary["trials"]["settled"] == summary["trials"]["total"] > 0
    query = ("sql", "select count(*) n from results", "--json", "--ledger", "here.db")
    rows = run(installed / "runner", *query, cwd=tmp_path)
    assert json.loads(rows) == [{"n": summary["trials"]["total"]}]


def test_an_install_without_the_local_model_says_how_to_get_it(
    installed: Path, tmp_path: Path
) -> None:
    where = "from runner.shipped import shipped; print(shipped('tasks', 'warmup', 'suite.yaml'))"
    suite = run(installed / "python", "-c", where, cwd=tmp_path).strip()

    done = subprocess.run(
        [installed / "runner", "launch", suite, "--ledger", "here.db"],
        cwd=tmp_path,
        env={"HOME": str(tmp_path)},
        capture_output=True,
        text=True,
        check=False,
    )

    assert done.returncode == 2
    assert "error: no local model server" in done.stderr
    assert "extra `local`" in done.stderr


def test_an_installs_help_comes_at_once_and_names_the_commands(
    installed: Path, tmp_path: Path
) -> None:
    text = run(installed / "runner", "--help", cwd=tmp_path)

    assert {"launch", "resume", "sql"} <= set(text.split())
