"""Other processes that use the same library: asked over a socket, and ended in any case."""

from __future__ import annotations

import contextlib
import os
import select
import signal
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Protocol, TypeAlias

from harness.binding import AbsentFunction, Result
from harness.contract import Contract
from harness.device import DeviceError, require
from harness.plugin import (
    Block,
    Bytes,
    Case,
    Companion,
    ProcessLost,
    companion,
    inside,
    journal_of,
    last_calls,
)
from suites import partner_main
from suites.partner_main import Line
from suites.tracked import Caller

_ANSWER_S = 15.0
_KEPT = 2
_ENTRY = f"{partner_main.__name__}:{partner_main.serve.__name__}"


Home: TypeAlias = tuple[str, dict[str, str]]
"""The library that a process has loaded, and its environment."""


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
    journal: Path | None = None
    """The journal of the case's own process; the other one's lies beside it."""

    @property
    def home(self) -> Home:
        """What a process cannot change any more once it has started."""
        environment = {**os.environ, **self.environment}
        # The name of the case, and of its phase, is all that pytest changes.
        environment.pop("PYTEST_CURRENT_TEST", None)
        return self.library, environment

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
        journal=engine.journal,
    )


class _Idle:
    """Processes in which the library is as good as new: the next that is wanted need not start."""

    def __init__(self) -> None:
        self._waiting: list[tuple[Home, Companion]] = []

    def take(self, home: Home) -> Companion | None:
        """A living one with this home, if there is one."""
        for place, (its_home, waiting) in enumerate(self._waiting):
            if its_home == home:
                del self._waiting[place]
                # It has nothing to say: what can be read is its end.
                return None if select.select([waiting.line], [], [], 0)[0] else waiting
        return None

    def add(self, home: Home, companion: Companion) -> None:
        """Keep one; the one kept longest ends where there are too many."""
        self._waiting.append((home, companion))
        if len(self._waiting) > _KEPT:
            _, oldest = self._waiting.pop(0)
            oldest.line.close()
            oldest.ended()


_idle = _Idle()


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
        self._companion = _idle.take(outfit.home) or companion(_ENTRY)
        self.process = self._companion.pid
        self._companion.line.settimeout(outfit.patience)
        self._line: Line | None = Line(self._companion.line)
        self._books = books or NoBooks()
        self._journal = journal_of(outfit.journal, self.process)
        told = {**outfit.told(), "journal": str(self._journal or "")}
        answer = self._ask({"do": "start", **told}, "at its start")
        if answer["problem"]:
            self.kill()
            raise DeviceError(f"preparing another process: {answer['problem']}")

    def call(self, api: str, /, **args: Any) -> Result:
        """Call a C function there. Bytes among the arguments are memory, whose content comes back."""
        plain = {name: _plain(value) for name, value in args.items()}
        answer = self._ask({"do": "call", "api": api, "args": plain}, f"in {api}")
        if "absent" in answer:
            raise AbsentFunction(api, self._outfit.library)
        result = Result(
            api,
            answer["code"],
            _solid(answer["value"]),
            answer["ok"],
            {name: _solid(value) for name, value in answer["outputs"].items()},
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

    def read(self, address: int, size: int) -> bytearray:
        """Device memory of that process; DeviceError where it cannot be read."""
        answer = self._ask({"do": "read", "address": address, "size": size}, "reading memory")
        self._check(answer, "reading memory")
        data: bytearray = answer["data"]
        return data

    def write(self, address: int, data: bytes | memoryview) -> None:
        """Put bytes into device memory of that process; DeviceError where that fails."""
        answer = self._ask({"do": "write", "address": address, "data": data}, "writing memory")
        self._check(answer, "writing memory")

    def fill(self, address: int, size: int, byte: int) -> None:
        """Set device memory of that process; DeviceError where that fails."""
        request = {"do": "fill", "address": address, "size": size, "byte": byte}
        self._check(self._ask(request, "filling memory"), "filling memory")

    def leave(self) -> None:
        """End at once, with everything still held, as a program does that returns from main."""
        self._hang_up()

    def close(self) -> None:
        """Give everything back, finalise and end; harmless when it has ended already."""
        if self._line is None:
            return
        reusable = False
        try:
            self._books.give_back(self)
            reusable = self._ask({"do": "finalize"}, "in aclFinalize")["reusable"]
        finally:
            if reusable:
                _idle.add(self._outfit.home, self._companion)
                self._line = None
            else:
                self._hang_up()

    def kill(self) -> None:
        """End it by force; harmless when it has ended already."""
        if self._line is not None:
            with contextlib.suppress(ProcessLookupError):
                os.kill(self.process, signal.SIGKILL)
            self._hang_up()

    def _ask(self, request: dict[str, Any], doing: str) -> Any:
        if self._line is None:
            raise DeviceError(f"another process was asked for something after its end, {doing}")
        try:
            self._line.send(request)
            answer = self._line.receive()
            if "raised" in answer:
                raise DeviceError(f"another process, {doing}: {answer['raised']}")
            return answer
        except (EOFError, OSError) as lost:
            hung, place = isinstance(lost, TimeoutError), self._place(doing)
            if hung:
                self.kill()
                fate = f"did not answer within {self._outfit.patience:g} s"
            else:
                fate = self._hang_up()
        raise ProcessLost(f"another process {fate}{place}", hung) from None

    def _place(self, doing: str) -> str:
        """The call that the process is in, or was; else what it was asked to do."""
        return inside(last_calls(self._journal, self._outfit.contract)) or f" {doing}"

    def _hang_up(self) -> str:
        """Close the line, which ends the process, and tell how it has ended."""
        line, self._line = self._line, None
        if line is None:
            return ""
        line.socket.close()
        how = self._companion.ended()
        if self._journal is not None:
            self._journal.unlink(missing_ok=True)
        return how

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
        self._partner.write(address, data.data)

    def fill(self, address: int, size: int, byte: int) -> None:
        """Set bytes at an address."""
        self._partner.fill(address, size, byte)


def _solid(value: Any) -> Any:
    """A value that came over the line; bytes as the binding gives them."""
    return bytes(value) if isinstance(value, bytearray) else value


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
