"""What every reader of a suite's parts shares."""

from __future__ import annotations

from dataclasses import dataclass, field
from pathlib import Path

from runner.domain import Vocabulary
from runner.suites.files.trees import Trees
from runner.suites.text.mistakes import Mistakes
from runner.suites.text.nodes import Mark


@dataclass(frozen=True, slots=True)
class Reading:
    """One suite being read.

    Attributes:
        sources: Files with tasks that were read so far; they hold the keys.
    """

    vocabulary: Vocabulary
    mistakes: Mistakes
    trees: Trees
    sources: list[Path] = field(default_factory=list)


def beside(mark: Mark, path: str) -> Path:
    """Give the file that a path means: relative to the file in which it is written."""
    return mark.source.path.parent / path
