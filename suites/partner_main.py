"""What each of the other processes of a case does.

It starts as a clean process, before aclInit: only what it is told loads the library under test.
"""

from __future__ import annotations

import ctypes
import json
import os
import socket
import struct
from typing import Any

_HEADER = struct.Struct("!II")
_BEHIND = "bytes behind the text"


class Line:
    """Messages over a stream socket: JSON values with bytes in them. EOFError when the other side is gone."""

    def __init__(self, stream: socket.socket) -> None:
        self.socket = stream

    def send(self, message: Any) -> None:
        """Send a value; its bytes travel behind the text."""
        pieces: list[bytes] = []

        def put_behind(piece: Any) -> dict[str, int]:
            pieces.append(bytes(piece))
            return {_BEHIND: len(pieces[-1])}

        text = json.dumps(message, default=put_behind).encode()
        head = _HEADER.pack(len(text), sum(map(len, pieces)))
        # At once: who has all of a message may hang up before an empty rest is sent.
        self.socket.sendall(b"".join((head, text, *pieces)))

    def receive(self) -> Any:
        """Wait for a value."""
        texts, behind = _HEADER.unpack(self._exactly(_HEADER.size))
        text, data = self._exactly(texts), self._exactly(behind)
        at = 0

        def take(value: dict[str, Any]) -> Any:
            nonlocal at
            if value.keys() != {_BEHIND}:
                return value
            start, at = at, at + value[_BEHIND]
            return bytes(data[start:at])

        return json.loads(bytes(text), object_hook=take)

    def _exactly(self, size: int) -> memoryview:
        received = memoryview(bytearray(size))
        got = 0
        while got < size:
            more = self.socket.recv_into(received[got:])
            if not more:
                raise EOFError
            got += more
        return received


class Desk:
    """What one process does when it is asked to: calls, and looks into its memory."""

    def __init__(self, line: Line) -> None:
        self._line = line
        self._surface: Any = None
        self._spare: Any = None
        self._device: int | None = None

    def serve(self) -> None:
        """Answer requests until the other side has gone or says that this process is to end."""
        while True:
            try:
                request = self._line.receive()
            except EOFError:
                return
            step = getattr(self, f"do_{request.pop('do')}")
            try:
                answer = step(**request)
            except Exception as error:
                answer = {"raised": f"{type(error).__name__}: {error}"}
            self._line.send(answer)

    def do_start(
        self,
        library: str,
        profile: str,
        faults: list[str],
        surface: str,
        hardware: bool,
        device: int | None,
        environment: dict[str, str],
    ) -> Any:
        """Load the library, play the profile, initialise, and set the device where there is one to set."""
        from harness.binding import CSurface, open_library

        os.environ.update(environment)
        opened = open_library(library)
        if opened.control is not None:
            opened.control.configure(profile)
            opened.control.set_fault(*faults)
        self._spare = self._surface = CSurface(opened)
        if surface != "c":
            from harness.pyacl import PyAclSurface, module_for

            self._surface = PyAclSurface(module_for(opened, hardware), opened)
        problem = self._initialise(device)
        return {"problem": problem, "pid": os.getpid()}

    def do_call(self, api: str, args: dict[str, Any]) -> Any:
        """Make a call; bytes among the arguments become memory whose content comes back as an output."""
        from harness.binding import AbsentFunction

        memory = {name: _buffer(value) for name, value in args.items() if isinstance(value, bytes)}
        given = {**args, **{name: ctypes.addressof(buffer) for name, buffer in memory.items()}}
        surface = self._surface if self._surface.has(api) else self._spare
        try:
            result = surface.call(api, **given)
        except AbsentFunction:
            return {"absent": api}
        outputs = {**result.outputs, **{name: bytes(buffer) for name, buffer in memory.items()}}
        answer = {
            "code": result.code,
            "value": result.value,
            "ok": result.ok,
            "outputs": outputs,
            "untouched": {name: result.untouched(name) for name in result.outputs if _has_slot(result, name)},
            "overrun": list(result.overrun),
        }
        return answer

    def do_read(self, address: int, size: int) -> Any:
        """Copy device memory out."""
        host = ctypes.create_string_buffer(max(size, 1))
        code = self._copy(ctypes.addressof(host), address, size, "ACL_MEMCPY_DEVICE_TO_HOST")
        return {"code": code, "data": host.raw[:size]}

    def do_write(self, address: int, data: bytes) -> Any:
        """Copy bytes into device memory."""
        host = ctypes.create_string_buffer(data, max(len(data), 1))
        code = self._copy(address, ctypes.addressof(host), len(data), "ACL_MEMCPY_HOST_TO_DEVICE")
        return {"code": code}

    def do_fill(self, address: int, size: int, byte: int) -> Any:
        """Set device memory."""
        result = self._spare.call("aclrtMemset", devPtr=address, maxCount=size, value=byte, count=size)
        return {"code": result.code}

    def do_finalize(self) -> Any:
        """Leave the device and finalise, as an orderly program does."""
        if self._device is not None:
            self._spare.call("aclrtResetDevice", deviceId=self._device)
        return {"code": self._spare.call("aclFinalize").code}

    def _initialise(self, device: int | None) -> str:
        call = self._spare.call
        started = call("aclInit", configPath=None)
        if not started.ok:
            return f"aclInit returned {started.code} ({started.name})"
        if device is not None:
            chosen = call("aclrtSetDevice", deviceId=device)
            if not chosen.ok:
                return f"aclrtSetDevice returned {chosen.code} ({chosen.name})"
            self._device = device
        return ""

    def _copy(self, to: int, source: int, size: int, kind: str) -> int:
        code: int = self._spare.call(
            "aclrtMemcpy", dst=to, destMax=size, src=source, count=size, kind=kind
        ).code
        return code


def _buffer(value: bytes) -> Any:
    """Memory with exactly these bytes."""
    return (ctypes.c_char * max(len(value), 1)).from_buffer_copy(value or b"\0")


def _has_slot(result: Any, name: str) -> bool:
    try:
        result.untouched(name)
    except KeyError:
        return False
    return True


def serve(stream: socket.socket) -> None:
    """The life of one process: answer until the other side has gone."""
    Desk(Line(stream)).serve()
