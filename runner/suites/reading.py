"""What every reader of a suite's parts shares."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

from runner.domain import Vocabulary
from runner.suites.mistakes import Mistakes
from runner.suites.nodes import Mark
from runner.suites.trees import Trees


@dataclass(frozen=True, slots=True)
class Reading:
    """One suite being read."""

    vocabulary: Vocabulary
    mistakes: Mistakes
    trees: Trees


def beside(mark: Mark, path: str) -> Path:
    """Give the file that a path means: relative to the file in which it is written."""
    return mark.source.path.parent / path
