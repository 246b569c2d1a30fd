"""Frames on the control socket: one packet each, a kind, a command's number and a payload."""

from __future__ import annotations

import os

#: To init: a piece of a command's standard input, of its order, its start, its end by force.
INPUT, PIECE, START, KILL = b"i", b"p", b"s", b"k"
#: From init: it is ready, output, error output, a command's end, kills for memory so far.
READY, OUTPUT, ERRORS, FINISHED, MEMORY_KILLS = b"r", b"o", b"e", b"f", b"m"

#: Most payload of a frame; a packet has to fit the socket's buffer several times over.
PAYLOAD = 1 << 16
#: Enough for any packet.
PACKET = PAYLOAD + 64


class Wire:
    """Init's end of the control socket; sending never blocks, so time limits hold meanwhile."""

    __slots__ = ("_waiting", "descriptor")

    def __init__(self, descriptor: int) -> None:
        os.set_inheritable(descriptor, False)  # noqa: FBT003 - os takes it by position
        os.set_blocking(descriptor, False)
        self.descriptor = descriptor
        self._waiting: list[bytes] = []

    @property
    def congested(self) -> bool:
        """Whether the runner reads more slowly than commands write."""
        return len(self._waiting) > 16

    @property
    def has_waiting(self) -> bool:
        """Whether frames wait for room in the socket."""
        return bool(self._waiting)

    def send(self, kind: bytes, number: int, payload: bytes = b"") -> None:
        """Send a frame, or keep it until there is room."""
        self._waiting.append(kind + number.to_bytes(4, "big") + payload)
        self.flush()

    def flush(self) -> None:
        """Send what waits, as far as there is room."""
        while self._waiting:
            try:
                os.write(self.descriptor, self._waiting[0])
            except BlockingIOError:
                return
            del self._waiting[0]

    def receive(self) -> tuple[bytes, int, bytes] | None:
        """Give the next frame, or None when the runner is gone.

        Raises:
            BlockingIOError: If there is none yet.
        """
        packet = os.read(self.descriptor, PACKET)
        if not packet:
            return None
        return packet[:1], int.from_bytes(packet[1:5], "big"), packet[5:]


def send_end(
    wire: Wire,
    number: int,
    *,
    exit_status: int,
    timed_out: bool = False,
    cut_bytes: int = 0,
    microseconds: int = 0,
) -> None:
    """Report a command's end; its output has been sent before."""
    report = (exit_status, timed_out, cut_bytes, microseconds)
    wire.send(FINISHED, number, b"%d %d %d %d" % report)
