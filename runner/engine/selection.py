"""What a launch picks out of a suite, kept with the sweep so that a resume picks the same."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

from pydantic import TypeAdapter

from runner.domain import Json, Suite
from runner.engine.vocabulary import VOCABULARY
from runner.suites import select


@dataclass(frozen=True, slots=True, kw_only=True)
class Selection:
    """Flags that narrow or change a suite; empty ones change nothing.

    Attributes:
        settings: ``config.key`` to a value as it would stand in the suite file.
    """

    configs: tuple[str, ...] = ()
    tasks: tuple[str, ...] = ()
    tags: tuple[str, ...] = ()
    limit: int | None = None
    model: str | None = None
    settings: Mapping[str, str] = field(default_factory=dict)

    def apply(self, suite: Suite) -> Suite:
        """Pick from a suite.

        Raises:
            NotFoundError: If a name or pattern matches nothing.
            UsageError: If a setting does not fit.
        """
        return select(
            suite,
            vocabulary=VOCABULARY,
            configs=self.configs,
            tasks=self.tasks,
            tags=self.tags,
            limit=self.limit,
            model=self.model,
            settings=self.settings,
        )

    def document(self) -> Json:
        """Give the selection as JSON."""
        document: Json = _SELECTION.dump_python(self, mode="json")
        return document


def read_selection(document: Json) -> Selection:
    """Undo ``Selection.document``."""
    return _SELECTION.validate_python(document)


_SELECTION = TypeAdapter(Selection)
