"""Where suites are written and read."""

from __future__ import annotations

from pathlib import Path

import pytest

from runner.testing.suite_directory import SuiteDirectory


@pytest.fixture
def suites(tmp_path: Path) -> SuiteDirectory:
    return SuiteDirectory(tmp_path)
