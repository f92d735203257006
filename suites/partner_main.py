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

_HEADER = struct.Struct("!I")
_BEHIND = "bytes behind the text"


class Line:
    """Messages over a stream socket: JSON values with bytes in them. EOFError when the other side is gone."""

    def __init__(self, stream: socket.socket) -> None:
        self.socket = stream

    def send(self, message: Any) -> None:
        """Send a value; its bytes travel behind the text, as they are."""
        pieces: list[memoryview] = []

        def put_behind(piece: Any) -> dict[str, int]:
            pieces.append(memoryview(piece).cast("B"))
            return {_BEHIND: len(pieces[-1])}

        text = json.dumps(message, default=put_behind).encode()
        # At once: who has all of a message may hang up before an empty rest is sent.
        self._send_all([memoryview(_HEADER.pack(len(text)) + text), *pieces])

    def receive(self) -> Any:
        """Wait for a value; the bytes in it have become bytearrays."""
        (size,) = _HEADER.unpack(self._exactly(_HEADER.size))
        pieces: list[bytearray] = []

        def make_room(value: dict[str, Any]) -> Any:
            if value.keys() != {_BEHIND}:
                return value
            pieces.append(bytearray(value[_BEHIND]))
            return pieces[-1]

        message = json.loads(self._exactly(size), object_hook=make_room)
        for piece in pieces:
            self._fill(piece)
        return message

    def _send_all(self, pieces: list[memoryview]) -> None:
        while pieces:
            sent = self.socket.sendmsg(pieces)
            while pieces and sent >= len(pieces[0]):
                sent -= len(pieces.pop(0))
            if pieces:
                pieces[0] = pieces[0][sent:]

    def _exactly(self, size: int) -> bytearray:
        received = bytearray(size)
        self._fill(received)
        return received

    def _fill(self, piece: bytearray) -> None:
        view = memoryview(piece)
        while view:
            more = self.socket.recv_into(view)
            if not more:
                raise EOFError
            view = view[more:]


class Desk:
    """What one process does when it is asked to: calls, and looks into its memory."""

    def __init__(self, line: Line) -> None:
        self._line = line
        self._opened: Any = None
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
        journal: str,
    ) -> Any:
        """Load the library where that is not yet done, play the profile, initialise, and set the device where
        there is one to set. `journal` is where its calls are written down, if anywhere.
        """
        from harness.binding import CSurface, Journal, open_library

        os.environ.update(environment)
        if self._opened is None:
            # Before a library can fork: two processes that made the file would cut it off under each other.
            kept = Journal(journal) if journal else None
            self._opened = open_library(library)
            self._opened.recorder.journal = kept
        opened = self._opened
        if opened.control is not None:
            opened.control.configure(profile)
            opened.control.set_fault(*faults)
        self._spare = self._surface = CSurface(opened)
        if surface != "c":
            from harness.pyacl import PyAclSurface, module_for

            self._surface = PyAclSurface(module_for(opened, hardware), opened)
        self._device = None
        problem = self._initialise(device)
        return {"problem": problem, "pid": os.getpid()}

    def do_call(self, api: str, args: dict[str, Any]) -> Any:
        """Make a call; bytes among the arguments become memory whose content comes back as an output."""
        from harness.binding import AbsentFunction

        memory = {name: _buffer(value) for name, value in args.items() if isinstance(value, bytearray)}
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
        data = bytearray(size)
        host = _buffer(data)
        code = self._copy(ctypes.addressof(host), address, size, "ACL_MEMCPY_DEVICE_TO_HOST")
        return {"code": code, "data": data}

    def do_write(self, address: int, data: bytearray) -> Any:
        """Copy bytes into device memory."""
        host = _buffer(data)
        code = self._copy(address, ctypes.addressof(host), len(data), "ACL_MEMCPY_HOST_TO_DEVICE")
        return {"code": code}

    def do_fill(self, address: int, size: int, byte: int) -> Any:
        """Set device memory."""
        result = self._spare.call("aclrtMemset", devPtr=address, maxCount=size, value=byte, count=size)
        return {"code": result.code}

    def do_finalize(self) -> Any:
        """Leave the device and finalise, as an orderly program does. `reusable` says that the library is then
        as if it had just been loaded, which only a reference device can be.
        """
        call, control = self._spare.call, self._opened.control
        left = self._device is None or call("aclrtResetDevice", deviceId=self._device).ok
        finalized = call("aclFinalize")
        reusable = left and finalized.ok and control is not None and not any(control.live_objects().values())
        return {"code": finalized.code, "reusable": reusable}

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


def _buffer(value: bytearray) -> Any:
    """The memory of these bytes; of one byte where there are none."""
    return (ctypes.c_char * len(value)).from_buffer(value) if value else ctypes.create_string_buffer(1)


def _has_slot(result: Any, name: str) -> bool:
    try:
        result.untouched(name)
    except KeyError:
        return False
    return True


def serve(stream: socket.socket) -> None:
    """The life of one process: answer until the other side has gone."""
    Desk(Line(stream)).serve()
