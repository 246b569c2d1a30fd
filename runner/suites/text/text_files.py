"""Read text files, and say plainly what is wrong with those that are none."""

from __future__ import annotations

import codecs
import stat
from pathlib import Path

from runner.suites.text.mistakes import Mistakes
from runner.suites.text.nodes import Mark


def read_text(path: Path, mark: Mark, *, most_bytes: int, mistakes: Mistakes) -> str | None:
    """Read a UTF-8 file, without a byte order mark and with its line ends as they are.

    Args:
        path: The file.
        mark: Where it was named; mistakes about the file as a whole are noted there.
        most_bytes: Refuse larger ones.
        mistakes: Takes what is wrong.

    Returns:
        The text, or None after a mistake.
    """
    data = _read_bytes(path, mark, most_bytes=most_bytes, mistakes=mistakes)
    if data is None:
        return None
    if data.startswith((codecs.BOM_UTF16_LE, codecs.BOM_UTF16_BE)):
        mistakes.add(mark, f"{path} is UTF-16", hint="Save it as UTF-8.")
        return None
    if b"\0" in data:
        mistakes.add(mark, f"{path} is a binary file", hint="Name a text file in UTF-8.")
        return None
    try:
        return data.removeprefix(codecs.BOM_UTF8).decode("utf-8")
    except UnicodeDecodeError as error:
        line = data.count(b"\n", 0, error.start) + 1
        mistakes.add(
            mark,
            f"{path}, line {line}: byte 0x{data[error.start]:02x} is not UTF-8",
            hint="Save the file as UTF-8.",
        )
        return None


def _read_bytes(path: Path, mark: Mark, *, most_bytes: int, mistakes: Mistakes) -> bytes | None:
    try:
        found = path.stat()
        # A FIFO would block the open for ever.
        if not stat.S_ISREG(found.st_mode):
            what = "a directory" if stat.S_ISDIR(found.st_mode) else "not a regular file"
            mistakes.add(mark, f"{path} is {what}", hint="Name a file.")
            return None
        if found.st_size > most_bytes:
            mistakes.add(
                mark,
                f"{path} has {found.st_size:,} bytes, more than {most_bytes:,}",
                hint="Move the tasks to JSON lines, or split the file.",
            )
            return None
        return path.read_bytes()
    except (FileNotFoundError, NotADirectoryError):
        mistakes.add(mark, f"{path} does not exist", hint="Correct the path.")
    except (OSError, ValueError) as error:
        reason = getattr(error, "strerror", None) or error
        mistakes.add(mark, f"{path} cannot be read: {reason}")
    return None
