"""A bench for each test."""

from __future__ import annotations

from pathlib import Path

import pytest

from runner.testing.bench import Bench


@pytest.fixture
async def bench(tmp_path: Path) -> Bench:
    return Bench(tmp_path)
