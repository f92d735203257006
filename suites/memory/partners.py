"""Other processes that use the same library: started in milliseconds, asked over a socket, ended in any case.

This process has loaded the library and has threads, so it cannot fork a process that starts afresh. A
*nursery*, a small Python process started once, forks them instead.
"""

from __future__ import annotations

import contextlib
import json
import os
import signal
import socket
import subprocess
import sys
from dataclasses import dataclass, field
from functools import cache
from typing import Any, Protocol

from harness.binding import AbsentFunction, Result
from harness.contract import Contract
from harness.device import DeviceError, require
from harness.plugin import Block, Bytes, Case, RuleViolation
from suites.memory import partner_main
from suites.memory.partner_main import Line, packed, unpacked
from suites.memory.virtual.ledger import Caller

_START_S = 30.0
_ANSWER_S = 15.0


@dataclass(frozen=True)
class Outfit:
    """How another process is set up: which library it loads, what it plays there, and how it calls."""

    library: str
    profile: str
    contract: Contract
    surface: str = "c"
    hardware: bool = False
    faults: tuple[str, ...] = ()
    device: int | None = 0
    environment: dict[str, str] = field(default_factory=dict)
    patience: float = _ANSWER_S
    """Seconds within which every answer must come."""

    def told(self) -> dict[str, Any]:
        """What the process is told about it."""
        return {
            "library": self.library,
            "profile": self.profile,
            "faults": list(self.faults),
            "surface": self.surface,
            "hardware": self.hardware,
            "device": self.device,
            "environment": self.environment,
        }


def outfit_of(
    case: Case, surface: str = "c", device: int | None = 0, environment: dict[str, str] | None = None
) -> Outfit:
    """A process that plays what this case plays, calls on this surface, and sets this device or none."""
    engine = case.engine
    target, faults = engine.target, engine.faults
    return Outfit(
        target.path,
        case.profile.spec,
        engine.contract,
        surface,
        target.hardware,
        faults,
        device,
        environment or {},
    )


class Books(Protocol):
    """What another process holds: noted call by call, given back when it is closed."""

    def note(self, api: str, args: dict[str, Any], result: Any) -> None:
        """Take down a call."""

    def give_back(self, caller: Caller) -> None:
        """Give back all that is left; DeviceError for the first call that fails."""


class NoBooks:
    """Nothing is noted: who makes the calls gives back what they take."""

    def note(self, api: str, args: dict[str, Any], result: Any) -> None:
        """Nothing."""

    def give_back(self, caller: Caller) -> None:
        """Nothing."""


class Nursery:
    """The process that forks the others; it ends with this one."""

    def __init__(self) -> None:
        self._control, theirs = socket.socketpair(socket.AF_UNIX, socket.SOCK_SEQPACKET)
        self._control.settimeout(_START_S)
        with theirs:
            self._process = subprocess.Popen(
                [sys.executable, "-m", partner_main.__name__, str(theirs.fileno())],
                stdin=subprocess.DEVNULL,
                pass_fds=[theirs.fileno()],
                env={**os.environ, "PYTHONPATH": os.pathsep.join(path for path in sys.path if path)},
            )
        self._ask(None)

    def fork(self) -> tuple[int, socket.socket]:
        """The id of a new process and the line to it."""
        ours, theirs = socket.socketpair()
        with theirs:
            socket.send_fds(self._control, [b'{"fork": true}'], [theirs.fileno()])
        return int(self._ask(None)["pid"]), ours

    def ended(self, pid: int) -> str:
        """How a process that is at its end has ended, in words; waits for it."""
        status = int(self._ask({"ended": pid})["status"])
        if os.WIFSIGNALED(status):
            return f"was killed by {signal.Signals(os.WTERMSIG(status)).name}"
        return f"ended with exit status {os.waitstatus_to_exitcode(status)}"

    def _ask(self, request: dict[str, Any] | None) -> dict[str, Any]:
        try:
            if request is not None:
                self._control.send(json.dumps(request).encode())
            text = self._control.recv(4096)
        except (TimeoutError, OSError) as error:
            raise DeviceError(f"starting another process: {error}") from None
        if not text:
            raise DeviceError("starting another process: the process that forks them has ended")
        answer: dict[str, Any] = json.loads(text)
        return answer


@cache
def _nursery(owner: int) -> Nursery:
    return Nursery()


class Partner:
    """Another process with the library of the case initialised. Calls go to it by `call`, as to a surface.

    One that dies or does not answer in time breaks the rule of the case.
    """

    name = "partner"

    def __init__(self, outfit: Outfit, books: Books | None = None) -> None:
        """Start it; DeviceError where the library cannot be initialised in it.

        What its calls take is noted in the books, and given back by `close`.
        """
        self._outfit = outfit
        self._home = _nursery(os.getpid())
        self.process, stream = self._home.fork()
        stream.settimeout(outfit.patience)
        self._line: Line | None = Line(stream)
        self._books = books or NoBooks()
        answer, _ = self._ask({"do": "start", **outfit.told()}, "at its start")
        if answer["problem"]:
            self.kill()
            raise DeviceError(f"preparing another process: {answer['problem']}")

    def call(self, api: str, /, **args: Any) -> Result:
        """Call a C function there. Bytes among the arguments are memory, whose content comes back."""
        plain = {name: _plain(value) for name, value in args.items()}
        answer, _ = self._ask({"do": "call", "api": api, "args": packed(plain)}, f"in {api}")
        if "absent" in answer:
            raise AbsentFunction(api, self._outfit.library)
        result = Result(
            api,
            answer["code"],
            unpacked(answer["value"]),
            answer["ok"],
            unpacked(answer["outputs"]),
            answer["untouched"],
            tuple(answer["overrun"]),
            self._outfit.contract.error_name,
        )
        self._books.note(api, plain, result)
        return result

    @property
    def bare_id(self) -> int:
        """The process id as the device driver knows it."""
        return int(require(self.call("aclrtDeviceGetBareTgid"), "asking for a process id").pid)

    def view(self, address: int, size: int) -> Block:
        """Device memory of that process as a block."""
        return Block("vmm", address, size, 0, _RemoteAccess(self), lambda: None)

    def read(self, address: int, size: int) -> bytes:
        """Device memory of that process; DeviceError where it cannot be read."""
        answer, data = self._ask({"do": "read", "address": address, "size": size}, "reading memory")
        self._check(answer, "reading memory")
        return data

    def write(self, address: int, data: bytes) -> None:
        """Put bytes into device memory of that process; DeviceError where that fails."""
        answer, _ = self._ask({"do": "write", "address": address}, "writing memory", data)
        self._check(answer, "writing memory")

    def fill(self, address: int, size: int, byte: int) -> None:
        """Set device memory of that process; DeviceError where that fails."""
        request = {"do": "fill", "address": address, "size": size, "byte": byte}
        self._check(self._ask(request, "filling memory")[0], "filling memory")

    def leave(self) -> None:
        """End at once, with everything still held, as a program does that returns from main."""
        self._hang_up()

    def close(self) -> None:
        """Give everything back, finalise and end; harmless when it has ended already."""
        if self._line is None:
            return
        try:
            self._books.give_back(self)
            self._ask({"do": "finalize"}, "in aclFinalize")
        finally:
            self._hang_up()

    def kill(self) -> None:
        """End it by force; harmless when it has ended already."""
        if self._line is not None:
            with contextlib.suppress(ProcessLookupError):
                os.kill(self.process, signal.SIGKILL)
            self._hang_up()

    def _ask(self, request: dict[str, Any], doing: str, data: bytes = b"") -> tuple[Any, bytes]:
        if self._line is None:
            raise DeviceError(f"another process was asked for something after its end, {doing}")
        try:
            self._line.send(request, data)
            answer, blob = self._line.receive()
            if "raised" in answer:
                raise DeviceError(f"another process, {doing}: {answer['raised']}")
            return answer, blob
        except TimeoutError:
            self.kill()
            fate = f"did not answer within {self._outfit.patience:g} s"
        except (EOFError, OSError):
            fate = self._hang_up()
        raise RuleViolation(f"another process {fate} {doing}") from None

    def _hang_up(self) -> str:
        """Close the line, which ends the process, and tell how it has ended."""
        line, self._line = self._line, None
        if line is None:
            return ""
        line.socket.close()
        return self._home.ended(self.process)

    def _check(self, answer: dict[str, Any], doing: str) -> None:
        if answer["code"] != 0:
            name = self._outfit.contract.error_name(answer["code"])
            raise DeviceError(f"{doing} in another process: error {answer['code']} ({name})")


class _RemoteAccess:
    """Memory of another process, reached by asking it."""

    def __init__(self, partner: Partner) -> None:
        self._partner = partner

    def read(self, address: int, size: int) -> Bytes:
        """A copy of the bytes at an address."""
        import numpy as np

        return np.frombuffer(self._partner.read(address, size), np.uint8)

    def write(self, address: int, data: Bytes) -> None:
        """Put bytes at an address."""
        self._partner.write(address, data.tobytes())

    def fill(self, address: int, size: int, byte: int) -> None:
        """Set bytes at an address."""
        self._partner.fill(address, size, byte)


def _plain(value: Any) -> Any:
    """A value of a call that another process understands: no object of this one."""
    pointer = getattr(value, "ptr", None)
    if pointer is not None:
        return int(pointer)
    if isinstance(value, dict):
        return {name: _plain(item) for name, item in value.items()}
    if isinstance(value, list | tuple):
        return [_plain(item) for item in value]
    return value
