"""What the editor does to a file's text."""

from __future__ import annotations

from runner.agents.claude.tool import BadInputError
from runner.domain import JsonObject

MOST_VIEWED_LINES = 400


class CannotError(Exception):
    """The edit does not fit the files that are there; the message is for the model."""


def replaced(text: str, old: str, new: str) -> str:
    """Replace a text that occurs exactly once.

    Raises:
        CannotError: If it does not.
        BadInputError: If there is nothing to replace.
    """
    if not old:
        raise BadInputError("`old_str` is empty")
    count = text.count(old)
    if count != 1:
        msg = f"`old_str` occurs {count} times; it must occur exactly once"
        raise CannotError(msg)
    return text.replace(old, new)


def inserted(text: str, given: JsonObject, added: str) -> str:
    """Put whole lines after the line ``insert_line``.

    Raises:
        BadInputError: If there is no such line.
    """
    line = given.get("insert_line")
    lines = text.splitlines(keepends=True)
    if not isinstance(line, int) or isinstance(line, bool) or not 0 <= line <= len(lines):
        msg = f"`insert_line` must be a number from 0 to {len(lines)}"
        raise BadInputError(msg)
    if line and not lines[line - 1].endswith("\n"):
        lines[line - 1] += "\n"
    if not added.endswith("\n"):
        added += "\n"
    return "".join([*lines[:line], added, *lines[line:]])


def numbered(text: str, given: JsonObject) -> str:
    """Give the lines of ``view_range``, or all, with their numbers, up to a cap.

    Raises:
        BadInputError: If there are no such lines.
    """
    lines = text.splitlines()
    if not lines:
        return "(the file is empty)"
    first, last = _view_range(given, len(lines))
    shown = lines[first - 1 : min(last, first - 1 + MOST_VIEWED_LINES)]
    numbered = [f"{number}\t{line}" for number, line in enumerate(shown, first)]
    left = last - (first - 1) - len(shown)
    if left > 0:
        numbered.append(f"[{left} more lines; use view_range]")
    return "\n".join(numbered)


def _view_range(given: JsonObject, count: int) -> tuple[int, int]:
    match given.get("view_range"):
        case None:
            return 1, count
        case [int(first), int(last)] if 1 <= first <= count and (last == -1 or last >= first):
            return first, count if last == -1 else min(last, count)
        case _:
            msg = f"`view_range` must be two line numbers from 1 to {count}, or -1 for the end"
            raise BadInputError(msg)
