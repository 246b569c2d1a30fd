"""What a sweep was launched on, recorded with it."""

from __future__ import annotations

import platform
import subprocess
from importlib.metadata import version
from pathlib import Path

from runner.domain import JsonObject
from runner.engine.host import host_resources

DISTRIBUTION = "agent-trial-runner"
_GIT_SECONDS = 5


def describe_environment(suite_path: Path) -> JsonObject:
    """Describe this machine and the versions in use; never any setting or secret."""
    host = host_resources()
    return {
        "runner": version(DISTRIBUTION),
        "python": platform.python_version(),
        "host": platform.node(),
        "system": platform.system(),
        "kernel": platform.release(),
        "cpus": host.cpus,
        "memory_bytes": host.memory_bytes,
        "git_commit": _git_commit(suite_path.parent),
    }


def _git_commit(directory: Path) -> str | None:
    """Give the commit that the suite's directory is at, or None outside of git."""
    try:
        answer = subprocess.run(
            ["git", "-C", str(directory), "rev-parse", "HEAD"],
            capture_output=True,
            text=True,
            timeout=_GIT_SECONDS,
            check=False,
        )
    except (OSError, subprocess.TimeoutExpired):
        return None
    return answer.stdout.strip() or None
