"""The runner's end of a sandbox's control socket."""

from __future__ import annotations

import socket
import sys
from dataclasses import dataclass

import anyio
from anyio.lowlevel import checkpoint

from runner.sandbox.inside.wire import PACKET

_CREDENTIALS_BYTES = 12
#: A packet must fit it whole; the first holds all of init's code.
_BUFFER_BYTES = 1 << 18


@dataclass(frozen=True, slots=True)
class Frame:
    """One packet: a kind of ``runner.sandbox.inside.wire``, a command's number, a payload."""

    kind: bytes
    number: int
    payload: bytes


class Channel:
    """Sends and receives whole frames, so that a cancelled caller never leaves half of one."""

    def __init__(self, end: socket.socket) -> None:
        end.settimeout(0)
        end.setsockopt(socket.SOL_SOCKET, socket.SO_PASSCRED, 1)
        end.setsockopt(socket.SOL_SOCKET, socket.SO_SNDBUF, _BUFFER_BYTES)
        self._end = end
        self._sending = anyio.Lock()
        self.peer_pid: int | None = None

    async def send(self, kind: bytes, number: int, payload: bytes = b"") -> None:
        """Send a frame.

        Raises:
            ConnectionError: If the other end is gone.
        """
        packet = kind + number.to_bytes(4, "big") + payload
        async with self._sending:
            while True:
                try:
                    self._end.send(packet)
                except BlockingIOError:
                    await anyio.wait_writable(self._end)
                else:
                    return

    async def receive(self) -> Frame:
        """Wait for the next frame.

        Raises:
            ConnectionError: If the other end is gone.
        """
        while True:
            frame = self.receive_now()
            if frame is not None:
                # An endless stream of frames must not keep the loop from everything else.
                await checkpoint()
                return frame
            await anyio.wait_readable(self._end)

    def receive_now(self) -> Frame | None:
        """Give the next frame if there is one already.

        Raises:
            ConnectionError: If the other end is gone.
        """
        try:
            if self.peer_pid is None:
                packet = self._receive_with_sender()
            else:
                packet = self._end.recv(PACKET)
        except BlockingIOError:
            return None
        if not packet:
            raise ConnectionResetError("the sandbox's first process has ended")
        return Frame(packet[:1], int.from_bytes(packet[1:5], "big"), packet[5:])

    def close(self) -> None:
        """Close it: whatever is inside ends now."""
        self._end.close()

    def _receive_with_sender(self) -> bytes:
        # The kernel translates the sender's process id into this namespace's.
        space = socket.CMSG_SPACE(_CREDENTIALS_BYTES)
        packet, extras, _, _ = self._end.recvmsg(PACKET, space)
        for level, kind, data in extras:
            if level == socket.SOL_SOCKET and kind == socket.SCM_CREDENTIALS:
                self.peer_pid = int.from_bytes(data[:4], sys.byteorder)
        return packet
