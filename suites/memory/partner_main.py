"""The other processes of a case: a nursery that forks them, and what each of them does.

Run as a module with the number of a socket. Nothing but the standard library, the contract and the binding is
loaded here, and the library under test only in the forked processes: every one of them starts before aclInit.
"""

from __future__ import annotations

import contextlib
import ctypes
import importlib
import json
import os
import signal
import socket
import struct
import sys
from typing import Any, NoReturn

_PR_SET_PDEATHSIG = 1
_HEADER = struct.Struct("!II")


class Line:
    """Messages over a stream socket: a JSON value and raw bytes. EOFError when the other side has gone."""

    def __init__(self, stream: socket.socket) -> None:
        self.socket = stream

    def send(self, message: Any, data: bytes = b"") -> None:
        """Send a JSON value and bytes."""
        text = json.dumps(message).encode()
        self.socket.sendall(_HEADER.pack(len(text), len(data)) + text + data)

    def receive(self) -> tuple[Any, bytes]:
        """Wait for a JSON value and bytes."""
        texts, blob = _HEADER.unpack(self._exactly(_HEADER.size))
        return json.loads(self._exactly(texts)), self._exactly(blob)

    def _exactly(self, size: int) -> bytes:
        received = bytearray()
        while len(received) < size:
            piece = self.socket.recv(min(size - len(received), 1 << 20))
            if not piece:
                raise EOFError
            received += piece
        return bytes(received)


def packed(value: Any) -> Any:
    """A value of a call as JSON: bytes become {"bytes": hexadecimal}."""
    if isinstance(value, bytes | bytearray):
        return {"bytes": value.hex()}
    if isinstance(value, dict):
        return {name: packed(item) for name, item in value.items()}
    if isinstance(value, list | tuple):
        return [packed(item) for item in value]
    return value


def unpacked(value: Any) -> Any:
    """The value that `packed` was given."""
    if isinstance(value, dict):
        if value.keys() == {"bytes"}:
            return bytes.fromhex(value["bytes"])
        return {name: unpacked(item) for name, item in value.items()}
    if isinstance(value, list):
        return [unpacked(item) for item in value]
    return value


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
                request, data = self._line.receive()
            except EOFError:
                return
            step = getattr(self, f"do_{request.pop('do')}")
            try:
                answer, blob = step(data=data, **request)
            except Exception as error:
                answer, blob = {"raised": f"{type(error).__name__}: {error}"}, b""
            self._line.send(answer, blob)

    def do_start(
        self,
        library: str,
        profile: str,
        faults: list[str],
        surface: str,
        hardware: bool,
        device: int | None,
        environment: dict[str, str],
        data: bytes,
    ) -> tuple[Any, bytes]:
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
        return {"problem": problem, "pid": os.getpid()}, b""

    def do_call(self, api: str, args: dict[str, Any], data: bytes) -> tuple[Any, bytes]:
        """Make a call; bytes among the arguments become memory whose content comes back as an output."""
        from harness.binding import AbsentFunction

        memory = {name: _buffer(value) for name, value in unpacked(args).items() if isinstance(value, bytes)}
        given = {**unpacked(args), **{name: ctypes.addressof(buffer) for name, buffer in memory.items()}}
        surface = self._surface if self._surface.has(api) else self._spare
        try:
            result = surface.call(api, **given)
        except AbsentFunction:
            return {"absent": api}, b""
        outputs = {**result.outputs, **{name: bytes(buffer) for name, buffer in memory.items()}}
        answer = {
            "code": result.code,
            "value": packed(result.value),
            "ok": result.ok,
            "outputs": packed(outputs),
            "untouched": {name: result.untouched(name) for name in result.outputs if _has_slot(result, name)},
            "overrun": list(result.overrun),
        }
        return answer, b""

    def do_read(self, address: int, size: int, data: bytes) -> tuple[Any, bytes]:
        """Copy device memory out."""
        host = ctypes.create_string_buffer(max(size, 1))
        code = self._copy(ctypes.addressof(host), address, size, "ACL_MEMCPY_DEVICE_TO_HOST")
        return {"code": code}, host.raw[:size]

    def do_write(self, address: int, data: bytes) -> tuple[Any, bytes]:
        """Copy bytes into device memory."""
        host = ctypes.create_string_buffer(data, max(len(data), 1))
        return {
            "code": self._copy(address, ctypes.addressof(host), len(data), "ACL_MEMCPY_HOST_TO_DEVICE")
        }, b""

    def do_fill(self, address: int, size: int, byte: int, data: bytes) -> tuple[Any, bytes]:
        """Set device memory."""
        result = self._spare.call("aclrtMemset", devPtr=address, maxCount=size, value=byte, count=size)
        return {"code": result.code}, b""

    def do_finalize(self, data: bytes) -> tuple[Any, bytes]:
        """Leave the device and finalise, as an orderly program does."""
        if self._device is not None:
            self._spare.call("aclrtResetDevice", deviceId=self._device)
        return {"code": self._spare.call("aclFinalize").code}, b""

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


class Nursery:
    """Forks processes on request and tells how they have ended; ends them all when its own side has gone."""

    def __init__(self, control: socket.socket) -> None:
        self._control = control
        self._children: set[int] = set()

    def serve(self) -> None:
        """Requests are JSON datagrams: {"fork": true} with a socket, or {"ended": pid}."""
        self._control.send(b'{"ready": true}')
        try:
            while True:
                text, descriptors, _, _ = socket.recv_fds(self._control, 4096, 1)
                if not text:
                    return
                request = json.loads(text)
                answer = self._fork(descriptors[0]) if "fork" in request else self._ended(request["ended"])
                self._control.send(json.dumps(answer).encode())
        finally:
            for child in self._children:
                with contextlib.suppress(ProcessLookupError):
                    os.kill(child, signal.SIGKILL)

    def _fork(self, descriptor: int) -> dict[str, int]:
        pid = os.fork()
        if pid == 0:
            self._become_partner(descriptor)
        os.close(descriptor)
        self._children.add(pid)
        return {"pid": pid}

    def _ended(self, pid: int) -> dict[str, int]:
        _, status = os.waitpid(pid, 0)
        self._children.discard(pid)
        return {"status": status}

    def _become_partner(self, descriptor: int) -> NoReturn:
        status = 1
        try:
            ctypes.CDLL(None).prctl(_PR_SET_PDEATHSIG, signal.SIGKILL, 0, 0, 0)
            self._control.close()
            Desk(Line(socket.socket(fileno=descriptor))).serve()
            status = 0
        except BaseException:
            import traceback

            os.write(2, traceback.format_exc().encode(errors="replace"))
        finally:
            os._exit(status)


def main() -> None:
    """The nursery's life."""
    from harness.contract import load

    ctypes.CDLL(None).prctl(_PR_SET_PDEATHSIG, signal.SIGKILL, 0, 0, 0)
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    load()
    # Loaded once here and not in every process that is forked.
    importlib.import_module("harness.binding")
    Nursery(socket.socket(fileno=int(sys.argv[1]))).serve()


if __name__ == "__main__":
    main()
