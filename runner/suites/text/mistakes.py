"""Collect every mistake of a suite before refusing it."""

from __future__ import annotations

from dataclasses import dataclass

from runner.errors import SuiteFileError, UsageError
from runner.suites.text.nodes import Mark


@dataclass(frozen=True, slots=True)
class Mistake:
    """One mistake: where, what, and what to do."""

    mark: Mark
    what: str
    hint: str | None


class Mistakes:
    """All mistakes found so far; the same one is kept once."""

    def __init__(self) -> None:
        self._found: dict[Mistake, None] = {}

    def add(self, mark: Mark, what: str, *, hint: str | None = None) -> None:
        """Note a mistake and go on."""
        self._found[Mistake(mark, what, hint)] = None

    def __len__(self) -> int:
        return len(self._found)

    def as_error(self) -> SuiteFileError:
        """Give an error with each mistake, by line, files in the order they were first met."""
        message, hint = self._told()
        return SuiteFileError(message, hint=hint)

    def raise_if_any(self) -> None:
        """Refuse the suite if anything was found.

        Raises:
            SuiteFileError: With each mistake.
        """
        if self._found:
            raise self.as_error()

    def raise_as_usage(self) -> None:
        """Refuse a flag if anything was found.

        Raises:
            UsageError: With each mistake.
        """
        if self._found:
            message, hint = self._told()
            raise UsageError(message, hint=hint)

    def _told(self) -> tuple[str, str | None]:
        found = self._sorted()
        if len(found) == 1:
            return f"{found[0].mark}: {found[0].what}", found[0].hint
        lines = []
        for mistake in found[:_MOST_SHOWN]:
            lines.append(f"{mistake.mark}: {mistake.what}")
            if mistake.hint:
                lines.append(f"  hint: {mistake.hint}")
        if len(found) > _MOST_SHOWN:
            lines.append(f"… and {len(found) - _MOST_SHOWN} more mistakes")
        return "\n".join(lines), f"Correct these {len(found)} mistakes."

    def _sorted(self) -> list[Mistake]:
        order: dict[str, int] = {}
        for mistake in self._found:
            order.setdefault(mistake.mark.source.shown, len(order))
        return sorted(self._found, key=lambda m: (order[m.mark.source.shown], m.mark.line))


#: A wrong column name in a data file is one mistake on each of its rows.
_MOST_SHOWN = 50
