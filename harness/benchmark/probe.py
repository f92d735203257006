"""The native measuring loop (native/probe.h): plans are made here and run there, no Python between."""

from __future__ import annotations

import ctypes
from collections.abc import Sequence
from dataclasses import dataclass, field
from functools import lru_cache
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt

from harness.benchmark.errors import BenchmarkError
from harness.binding.discovery import find_built

LIBRARY_NAME = "libaclcts_probe.so"
PROBE_VARIABLE = "ACLCTS_PROBE"
_VERSION = 1
_MOST_ARGS = 12
_PHASES = ("prepare", "open", "body", "close", "barrier", "release", "wait", "read", "check")
_LISTS = ("prepare", "open", "body", "close", "release", "wait", "read", "check")
_PATIENCE_NS = 60_000_000_000


class _Call(ctypes.Structure):
    _fields_ = (
        ("function", ctypes.c_void_p),
        ("args", ctypes.c_uint64 * _MOST_ARGS),
        ("count", ctypes.c_uint32),
        ("indirect", ctypes.c_uint32),
    )


class _Calls(ctypes.Structure):
    _fields_ = (("calls", ctypes.POINTER(_Call)), ("count", ctypes.c_uint64))


class _Area(ctypes.Structure):
    _fields_ = (
        ("memory", ctypes.c_void_p),
        ("width", ctypes.c_uint64),
        ("height", ctypes.c_uint64),
        ("pitch", ctypes.c_uint64),
    )


class _Plan(ctypes.Structure):
    _fields_ = (
        *((name, _Calls) for name in _LISTS),
        ("repeat", ctypes.c_uint64),
        ("fill", _Area),
        ("verify", _Area),
        ("constant", ctypes.c_int32),
        ("barrier", ctypes.c_void_p),
        ("parties", ctypes.c_uint64),
        ("patience_ns", ctypes.c_uint64),
    )


class _Sample(ctypes.Structure):
    _fields_ = (
        ("call_ns", ctypes.c_double),
        ("host_ns", ctypes.c_double),
        ("verified", ctypes.c_uint32),
        ("mismatch", ctypes.c_uint32),
    )


class _Failure(ctypes.Structure):
    _fields_ = (("phase", ctypes.c_int32), ("call", ctypes.c_int32), ("code", ctypes.c_int32))


@dataclass(frozen=True)
class Call:
    """One C call: the function's name and address, and its arguments as whole numbers.

    An argument in `indirect` is an address; the value that lies there when the call is made is passed.
    """

    name: str
    function: int
    args: tuple[int, ...] = ()
    indirect: frozenset[int] = frozenset()


@dataclass(frozen=True)
class Area:
    """Rows of bytes in host memory: `height` rows of `width` bytes, `pitch` bytes apart."""

    memory: int
    width: int
    height: int = 1
    pitch: int = 0


@dataclass
class Plan:
    """The calls of one sample by phase (native/probe.h tells the order), and what is filled and compared."""

    body: Sequence[Call]
    prepare: Sequence[Call] = ()
    open: Sequence[Call] = ()
    close: Sequence[Call] = ()
    release: Sequence[Call] = ()
    wait: Sequence[Call] = ()
    read: Sequence[Call] = ()
    check: Sequence[Call] = ()
    repeat: int = 1
    fill: Area | None = None
    verify: Area | None = None
    constant: int = -1
    """The byte that every byte of `verify` must be; -1 for the pattern that `fill` gets."""
    elapsed: ctypes.Array[ctypes.c_float] | None = None
    """The floats (milliseconds) that the calls of `read` write."""
    barrier: int = 0
    """Address of a counter in memory shared by `parties` processes; 0 for none."""
    parties: int = 0
    keep: list[Any] = field(default_factory=list)
    """What has to stay alive as long as the plan."""


@dataclass(frozen=True)
class Taken:
    """What a run of samples gave; an entry for each sample, times in seconds of the whole sample."""

    calls: npt.NDArray[np.float64]
    host: npt.NDArray[np.float64]
    elapsed: npt.NDArray[np.float64]
    """One row for each sample, one column for each time that was read."""
    verified: int
    mismatches: int


def find_probe() -> Path | None:
    """The native measuring loop: named by ACLCTS_PROBE, installed with the package, or built beside it."""
    return find_built(PROBE_VARIABLE, LIBRARY_NAME)


class Probe:
    """The loaded measuring loop. BenchmarkError where it is not there or of another version."""

    def __init__(self, path: Path) -> None:
        self.path = path
        try:
            self._library = ctypes.CDLL(str(path))
            version = int(self._library.aclcts_probe_version())
        except (OSError, AttributeError) as error:
            raise BenchmarkError(f"{path}: cannot be used as the measuring loop: {error}") from None
        if version != _VERSION:
            raise BenchmarkError(
                f"{path}: measuring loop of version {version}; this harness needs {_VERSION}"
            )
        self._run = self._library.aclcts_probe_run
        self._differences = self._library.aclcts_probe_differences
        self._differences.restype = ctypes.c_uint64

    def own(self, name: str, *args: int) -> Call:
        """A call of a function of the loop itself: `nothing`, `clock` or `host_copy`."""
        full = f"aclcts_probe_{name}"
        return Call(full, address_of(self._library[full]), args)

    def fill(self, area: Area, number: int) -> None:
        """Put the pattern of a sample number into an area."""
        self._library.aclcts_probe_fill(ctypes.byref(_area(area)), ctypes.c_uint64(number))

    def differences(self, area: Area, number: int) -> int:
        """How many bytes of an area are not the pattern of that sample number."""
        return int(self._differences(ctypes.byref(_area(area)), ctypes.c_uint64(number)))

    def run(self, plan: Plan, first: int, verify: Sequence[bool]) -> Taken:
        """Take one sample for each entry of `verify`, numbered from `first`; an entry says whether data is
        filled and compared. BenchmarkError, naming the call and its code, where one does not return 0.
        """
        native, keep = _native(plan)
        number = len(verify)
        samples = (_Sample * number)()
        columns = len(plan.elapsed) if plan.elapsed is not None else 0
        times = (ctypes.c_float * max(1, number * columns))()
        flags = (ctypes.c_uint8 * number)(*verify)
        done, failure = ctypes.c_uint64(), _Failure()
        status = self._run(
            ctypes.byref(native),
            ctypes.c_uint64(first),
            ctypes.c_uint64(number),
            flags,
            plan.elapsed,
            ctypes.c_uint64(columns),
            times,
            samples,
            ctypes.byref(done),
            ctypes.byref(failure),
        )
        del keep
        if status != 0:
            raise BenchmarkError(_told(plan, failure, first + int(done.value)))
        read = np.array(times[: number * columns], np.float64).reshape(number, columns)
        return Taken(
            calls=np.array([each.call_ns for each in samples]) * 1e-9,
            host=np.array([each.host_ns for each in samples]) * 1e-9,
            elapsed=read * 1e-3,
            verified=sum(each.verified for each in samples),
            mismatches=sum(each.mismatch for each in samples),
        )


def address_of(function: Any) -> int:
    """The address of a ctypes function."""
    return int(ctypes.cast(function, ctypes.c_void_p).value or 0)


@lru_cache(maxsize=1)
def load_probe() -> Probe:
    """The measuring loop of this installation; BenchmarkError saying how to get one where there is none."""
    path = find_probe()
    if path is None:
        raise BenchmarkError(
            f"the native measuring loop {LIBRARY_NAME} is not built here; install the package with a C "
            f"compiler, or name the file in {PROBE_VARIABLE}"
        )
    return Probe(path)


def _native(plan: Plan) -> tuple[_Plan, list[Any]]:
    """The plan as C reads it, and the memory that it points to."""
    native, keep = _Plan(), []
    for name in _LISTS:
        given: Sequence[Call] = getattr(plan, name)
        calls = (_Call * max(1, len(given)))(*(_call(call) for call in given))
        keep.append(calls)
        setattr(native, name, _Calls(ctypes.cast(calls, ctypes.POINTER(_Call)), len(given)))
    native.repeat = plan.repeat
    native.fill, native.verify = _area(plan.fill), _area(plan.verify)
    native.constant = plan.constant
    native.barrier, native.parties, native.patience_ns = plan.barrier or None, plan.parties, _PATIENCE_NS
    return native, keep


def _call(call: Call) -> _Call:
    if len(call.args) > _MOST_ARGS:
        raise BenchmarkError(f"{call.name}: the measuring loop passes at most {_MOST_ARGS} arguments")
    made = _Call(function=call.function, count=len(call.args))
    for number, value in enumerate(call.args):
        made.args[number] = value & 0xFFFF_FFFF_FFFF_FFFF
    made.indirect = sum(1 << number for number in call.indirect)
    return made


def _area(area: Area | None) -> _Area:
    if area is None:
        return _Area()
    return _Area(area.memory, area.width, area.height, area.pitch or area.width)


def _told(plan: Plan, failure: _Failure, sample: int) -> str:
    phase = _PHASES[failure.phase]
    if phase == "barrier":
        return f"sample {sample}: the other devices did not come to the common start"
    call: Call = getattr(plan, phase)[failure.call]
    return f"sample {sample}: {call.name} returned {failure.code} ({phase})"
