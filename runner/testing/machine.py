"""A pytest plugin: tests that this machine cannot run are deselected, counted and explained.

A mark names what a test needs; its probe tries the real thing, once, and only if such a test is
among those that would run. ``--all-must-run`` makes a run that left any out fail.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import anyio
import pytest

from runner.errors import RunnerError
from runner.models.local_model import BUNDLED_MODEL
from runner.models.local_server import serve_local_model
from runner.sandbox import BubblewrapBackend, describe_backends
from runner.sandbox.host.limits import control_groups
from runner.testing.postgres import postgres_server


@dataclass(frozen=True, slots=True, kw_only=True)
class LeftOut:
    """Tests that were left out for one reason."""

    mark: str
    tests: int
    reason: str


def pytest_addoption(parser: pytest.Parser) -> None:
    """Add ``--all-must-run``."""
    parser.getgroup("runner").addoption(
        "--all-must-run",
        action="store_true",
        help="fail if tests were deselected because this machine cannot run them",
    )


@pytest.hookimpl(trylast=True)
def pytest_collection_modifyitems(config: pytest.Config, items: list[pytest.Item]) -> None:
    """Deselect what cannot work here, after other filters have had their say."""
    left_out = config.stash[_LEFT_OUT] = []
    for mark, why_not in _PROBES.items():
        marked = [item for item in items if item.get_closest_marker(mark)]
        reason = why_not() if marked else None
        if reason is not None:
            left_out.append(LeftOut(mark=mark, tests=len(marked), reason=reason))
            config.hook.pytest_deselected(items=marked)
            items[:] = [item for item in items if item not in marked]


def pytest_sessionfinish(session: pytest.Session) -> None:
    """Fail a run that was told to leave nothing out and did."""
    if _is_refused(session.config) and session.exitstatus in _GOOD:
        session.exitstatus = pytest.ExitCode.TESTS_FAILED


def pytest_terminal_summary(
    terminalreporter: pytest.TerminalReporter, config: pytest.Config
) -> None:
    """Say what was left out and why."""
    left_out = config.stash.get(_LEFT_OUT, [])
    if not left_out:
        return
    terminalreporter.section("not run: this machine cannot", yellow=True)
    for each in left_out:
        terminalreporter.line(f"{each.mark}: {each.tests} tests; {each.reason}")
    if _is_refused(config):
        terminalreporter.line("failed: --all-must-run, and these did not", red=True)


def _is_refused(config: pytest.Config) -> bool:
    return bool(config.getoption("--all-must-run") and config.stash.get(_LEFT_OUT, []))


def _bubblewrap() -> str | None:
    found = next(each for each in describe_backends() if each.name == BubblewrapBackend.name)
    return None if found.works else found.detail


def _control_groups() -> str | None:
    return None if control_groups().directories else "this process may not make control groups"


def _postgres() -> str | None:
    try:
        with postgres_server():
            return None
    except Exception as error:  # noqa: BLE001 - whatever it is, it says why there is no server
        return f"no PostgreSQL server starts: {error!r}"


def _local_model() -> str | None:
    async def serve() -> None:
        async with serve_local_model(BUNDLED_MODEL, slots=1):
            pass

    try:
        anyio.run(serve)
    except RunnerError as error:
        return error.message
    return None


_PROBES: dict[str, Callable[[], str | None]] = {
    "bubblewrap": _bubblewrap,
    "control_groups": _control_groups,
    "postgres": _postgres,
    "local_model": _local_model,
}
_LEFT_OUT = pytest.StashKey[list[LeftOut]]()
_GOOD = (pytest.ExitCode.OK, pytest.ExitCode.NO_TESTS_COLLECTED)
