"""A command that has been announced in pieces and not yet started."""

from __future__ import annotations

import marshal
import os
from _collections_abc import Callable

from runner.sandbox.inside.child import execute
from runner.sandbox.inside.files import put, read, take

_WORK: dict[str, Callable[..., int]] = {
    "execute": execute,
    "put": put,
    "read": read,
    "take": take,
}


class Order:
    """What to do and within which bounds.

    Attributes:
        work: What the child does; gives its exit status.
        seconds: Its time limit.
        most_bytes: Cap on each of its outputs.
    """

    __slots__ = ("most_bytes", "seconds", "work")

    def __init__(self, text: bytes) -> None:
        name, arguments, self.seconds, self.most_bytes = marshal.loads(text)  # noqa: S302 - from the runner
        self.work: Callable[[], int] = lambda: _WORK[name](*arguments)


class Staged:
    """An order and its standard input, as they come in."""

    __slots__ = ("_input", "_pieces")

    def __init__(self) -> None:
        self._pieces: list[bytes] = []
        self._input: int | None = None

    def add_piece(self, data: bytes) -> None:
        """Add to the order."""
        self._pieces.append(data)

    def add_input(self, data: bytes) -> None:
        """Add to the standard input, which is kept in memory: the command need not read it."""
        if self._input is None:
            self._input = os.memfd_create("stdin")
        view = memoryview(data)
        while view:
            view = view[os.write(self._input, view) :]

    def order(self) -> Order:
        """Give the order; it is whole now."""
        return Order(b"".join(self._pieces))

    def open_input(self) -> int:
        """Give the standard input, at its beginning; the caller closes it."""
        if self._input is None:
            return os.open("/dev/null", os.O_RDONLY | os.O_CLOEXEC)
        os.lseek(self._input, 0, os.SEEK_SET)
        descriptor, self._input = self._input, None
        return descriptor

    def drop(self) -> None:
        """Forget it."""
        if self._input is not None:
            os.close(self._input)
            self._input = None
