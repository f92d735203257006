"""JSON messages over a stream socket, each with its length in front."""

from __future__ import annotations

import contextlib
import socket
from typing import Any

import msgspec

_HEAD = 4


class Channel:
    """One end of a connection between a worker and the process that runs its cases."""

    def __init__(self, end: socket.socket) -> None:
        self._end = end
        self._received = bytearray()

    def fileno(self) -> int:
        """The descriptor, for poll."""
        return self._end.fileno()

    def send(self, message: Any) -> None:
        """Send one JSON-able message; OSError where the other end is gone."""
        body = msgspec.json.encode(message)
        self._end.sendall(len(body).to_bytes(_HEAD, "little") + body)

    def receive(self) -> Any:
        """The next message, waiting for it; EOFError when the other end is gone."""
        while (message := self._next()) is None:
            self.pump()
        return msgspec.json.decode(message)

    def pump(self) -> bool:
        """Read once what has arrived; True when a whole message is here; EOFError when the other end is
        gone.
        """
        try:
            piece = self._end.recv(1 << 18)
        except ConnectionError:
            piece = b""
        if not piece:
            raise EOFError("the other process has ended")
        self._received += piece
        return self._complete()

    def hang_up(self) -> None:
        """Say that no message will follow; the other end may still send."""
        with contextlib.suppress(OSError):
            self._end.shutdown(socket.SHUT_WR)

    def close(self) -> None:
        """Close this end."""
        self._end.close()

    def _complete(self) -> bool:
        received = self._received
        return len(received) >= _HEAD and len(received) >= _HEAD + int.from_bytes(received[:_HEAD], "little")

    def _next(self) -> bytes | None:
        if not self._complete():
            return None
        end = _HEAD + int.from_bytes(self._received[:_HEAD], "little")
        message = bytes(self._received[_HEAD:end])
        del self._received[:end]
        return message
