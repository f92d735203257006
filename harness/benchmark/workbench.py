"""What plans are made from: blocks, streams, events and gates on one device, given back at the end."""

from __future__ import annotations

import ctypes
from collections.abc import Callable
from contextlib import suppress
from dataclasses import dataclass
from functools import partial
from typing import Any

from harness.benchmark import host
from harness.benchmark.errors import BenchmarkError
from harness.benchmark.probe import Call, Probe, address_of
from harness.binding import CSurface, Library
from harness.device import Block, BlockKind, Blocks, DeviceError, Profile, require

_KEPT_SIZE = 64 << 20
_KEPT_SHARE = 4
_SMALLEST = 4096


@dataclass(frozen=True)
class Lane:
    """A stream with the gate before its work and the events around it."""

    stream: int
    gate: int
    start: int
    end: int


class Workbench:
    """Makes what a benchmark needs through one library that is initialised, with a device set.

    Blocks up to 64 MiB, and larger ones up to a quarter of the host's memory in all, are kept for the next
    benchmark; `finish` gives back everything else, `close` all.
    """

    def __init__(self, library: Library, surface: CSurface, profile: Profile, probe: Probe) -> None:
        self.library = library
        self.surface = surface
        self.profile = profile
        self.probe = probe
        self._blocks = Blocks(surface)
        self._kept: dict[tuple[BlockKind, str], Block] = {}
        self._undo: list[Callable[[], Any]] = []
        self._lanes: list[Lane] = []
        self._gate_stream = 0
        self._whole: list[Callable[[], Any]] = []

    def call(self, api: str, /, **args: Any) -> Any:
        """A call that has to succeed; DeviceError where it does not."""
        return require(self.surface.call(api, **args), "preparing a benchmark")

    def native(self, api: str, *args: int, indirect: frozenset[int] = frozenset()) -> Call:
        """A call for the measuring loop; enumerators are given by their values."""
        return Call(api, address_of(self.library.raw(api)), args, indirect)

    def value(self, enumerator: str) -> int:
        """The value of an enumerator of the contract."""
        return int(self.library.contract.value(enumerator))

    def block(self, kind: BlockKind, role: str, size: int) -> Block:
        """Memory of at least this size; `role` tells two blocks of one benchmark apart."""
        key = (kind, role)
        kept = self._kept.get(key)
        if kept is not None and kept.size >= size:
            return kept
        if kept is not None:
            del self._kept[key]
            kept.free()
        # The next power of two, so that a shuffled sweep does not allocate at every step.
        wanted = max(_SMALLEST, 1 << (size - 1).bit_length())
        lasting = size <= _KEPT_SIZE or self._has_room_for(wanted)
        made: Block = getattr(self._blocks, kind)(wanted if lasting else size, guard=0)
        if lasting:
            self._kept[key] = made
        else:
            self.at_end(made.free)
        return made

    def _has_room_for(self, size: int) -> bool:
        """Whether a block can be kept: making a large one, and touching its pages, takes longer than copying
        it.
        """
        kept = sum(block.size for block in self._kept.values())
        return (
            kept + size <= (kept + host.available_memory()) // _KEPT_SHARE and size * 2 <= self.free_memory()
        )

    def stream(self) -> int:
        """A stream until the end of the benchmark."""
        made = int(self.call("aclrtCreateStream").stream)
        self.at_end(lambda: self.call("aclrtDestroyStream", stream=made))
        return made

    def event(self) -> int:
        """An event that keeps time, until the end of the benchmark."""
        made = int(self.call("aclrtCreateEvent").event)
        self.at_end(lambda: self.call("aclrtDestroyEvent", event=made))
        return made

    def lane(self, number: int = 0) -> Lane:
        """The lane of that number; lanes are made once."""
        while len(self._lanes) <= number:
            stream = self._lasting("aclrtCreateStream", "stream", "aclrtDestroyStream")
            gate = self._lasting("aclrtCreateNotify", "notify", "aclrtDestroyNotify", flag=0)
            start, end = (self._lasting("aclrtCreateEvent", "event", "aclrtDestroyEvent") for _ in range(2))
            self._lanes.append(Lane(stream, gate, start, end))
        return self._lanes[number]

    @property
    def gate_stream(self) -> int:
        """The stream that opens gates."""
        if not self._gate_stream:
            self._gate_stream = self._lasting("aclrtCreateStream", "stream", "aclrtDestroyStream")
        return self._gate_stream

    def _lasting(self, create: str, name: str, destroy: str, **args: Any) -> int:
        """A handle until `close`."""
        made = int(self.call(create, **args)[name])
        self._whole.append(partial(self.call, destroy, **{name: made}))
        return made

    def at_end(self, step: Callable[[], Any]) -> None:
        """Do this at the end of the benchmark, last first."""
        self._undo.append(step)

    def finish(self) -> None:
        """End the benchmark: give back what it made; BenchmarkError where the library refuses."""
        problems = _undone(self._undo)
        if problems:
            raise BenchmarkError(f"giving back after a benchmark: {problems[0]}")

    def close(self) -> None:
        """Give back everything, as far as the library lets."""
        _undone(self._undo)
        _undone(self._whole)
        for block in self._kept.values():
            with suppress(DeviceError):
                block.free()
        self._kept.clear()
        self._lanes.clear()
        self._gate_stream = 0

    def free_memory(self) -> int:
        """Free bytes of device memory; a great number where the product does not say."""
        for attribute in ("ACL_HBM_MEM", "ACL_DDR_MEM"):
            info = self.surface.call("aclrtGetMemInfo", attr=attribute)
            if info.ok and info.total:
                return int(info.free)
        return 1 << 62

    def missing(self, *apis: str) -> str:
        """The first of these functions that the product or the library does not have; nothing where it has
        all.
        """
        contract, profile = self.library.contract, self.profile
        for api in apis:
            if not contract.supports(api, profile.product, profile.form) or not self.library.exports(api):
                return api
        return ""


def floats(number: int) -> ctypes.Array[ctypes.c_float]:
    """Room for so many times that the library writes."""
    return (ctypes.c_float * number)()


def _undone(steps: list[Callable[[], Any]]) -> list[str]:
    problems = []
    while steps:
        try:
            steps.pop()()
        except DeviceError as error:
            problems.append(str(error))
    return problems
