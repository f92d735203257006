"""Virtual memory by hand: ranges, handles and mappings that a case needs, made with calls that must
succeed.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from itertools import cycle, pairwise
from typing import Any

from harness.device import GUARD_BYTE, require
from harness.device.blocks import CopyAccess
from harness.plugin import Block, Bytes, pattern
from suites.memory.virtual.properties import GIB, GRANULE, TIB, Properties, grant, on_device
from suites.tracked import Caller

MAP = "aclrtMapMem"
MAP_NO_ACCESS = "aclrtMemMapNoAccess"

_DOING = "preparing virtual memory"

# The low part of the documented window may be in use, and a driver may refuse a place a second time.
_PLACES = cycle(range(20 * TIB + 8 * GIB, 24 * TIB - 8 * GIB, 8 * GIB))
_LAST_PLACES = cycle(range(24 * TIB - GRANULE, 24 * TIB - GIB, -GRANULE))


def fresh_place() -> int:
    """An address that a reservation may ask for: 8 GiB of its own, on a border of 1 GiB."""
    return next(_PLACES)


def last_place() -> int:
    """An address near the end of the window from which addresses may be chosen: a granule of its own."""
    return next(_LAST_PLACES)


@dataclass
class Mapping:
    """Physical memory that is mapped: its bytes as a block, and the handles behind it in the order of
    addresses.
    """

    block: Block
    handles: list[int]

    @property
    def ptr(self) -> int:
        """Where it starts."""
        return self.block.ptr

    @property
    def size(self) -> int:
        """Its length in bytes."""
        return self.block.size

    @property
    def handle(self) -> int:
        """The handle of a mapping of one piece."""
        (handle,) = self.handles
        return handle

    def at(self, offset: int) -> int:
        """The address `offset` bytes behind the start."""
        return self.block.ptr + offset

    def part(self, piece: int) -> Bytes:
        """What the granule of this number must hold."""
        return self.block.expected()[piece * GRANULE : (piece + 1) * GRANULE]

    def write(self, seed: int) -> Mapping:
        """Fill it with the bytes of a seed; gives the mapping back."""
        self.block.write(pattern(self.size, seed))
        return self


def viewer(caller: Caller) -> Callable[[int, int], Block]:
    """Makes blocks of device memory by address and size, reached through copies of the caller."""
    access = CopyAccess(caller)
    return lambda address, size: Block("vmm", address, size, 0, access, lambda: None)


class Space:
    """Makes ranges, physical memory and mappings in one process.

    `caller` makes the calls; `view(address, size)` gives a block through which device memory is reached.
    """

    def __init__(self, caller: Caller, view: Callable[[int, int], Block]) -> None:
        self._caller = caller
        self.view = view

    def call(self, api: str, /, **args: Any) -> Any:
        """A call that must succeed."""
        return require(self._caller.call(api, **args), _DOING)

    def range(self, size: int = GRANULE, at: int | None = None, flags: int = 0) -> int:
        """The start of a fresh reservation."""
        reserved = self.call("aclrtReserveMemAddress", size=size, alignment=0, expectPtr=at, flags=flags)
        return int(reserved.virPtr)

    def handle(self, size: int = GRANULE, properties: Properties | None = None) -> int:
        """Fresh physical memory; on device 0 with huge pages where nothing else is said."""
        wanted = on_device() if properties is None else properties
        return int(self.call("aclrtMallocPhysical", size=size, prop=wanted, flags=0).handle)

    def granularity(self, properties: Properties, option: str) -> int:
        """The answer of aclrtMemGetAllocationGranularity in bytes."""
        return int(self.call("aclrtMemGetAllocationGranularity", prop=properties, option=option).granularity)

    def map(self, address: int, handle: int, size: int = GRANULE, api: str = MAP, device: int = 0) -> Block:
        """Map all of a handle; with the call that gives no access, the device is granted it at once."""
        self.call(api, virPtr=address, size=size, offset=0, handle=handle, flags=0)
        if api == MAP_NO_ACCESS:
            self.call("aclrtMemSetAccess", virPtr=address, size=size, desc=[grant(device)], count=1)
        return self.view(address, size)

    def unmap(self, address: int) -> None:
        """Undo the mapping that starts here."""
        self.call("aclrtUnmapMem", virPtr=address)

    def free(self, handle: int) -> None:
        """Give a handle up."""
        self.call("aclrtFreePhysical", handle=handle)

    def release(self, address: int) -> None:
        """Give a reservation up."""
        self.call("aclrtReleaseMemAddress", virPtr=address)

    # Several of them

    def handles(self, count: int, size: int = GRANULE) -> list[int]:
        """Fresh pieces of physical memory of one size."""
        return [self.handle(size) for _ in range(count)]

    def filled_handles(self, count: int) -> list[int]:
        """Fresh granules, each filled with the bytes of its number as a seed."""
        return [self.write(self.handle(), seed) for seed in range(count)]

    def handles_of(self, sizes: Sequence[int]) -> list[int]:
        """Fresh pieces of physical memory of these sizes."""
        return [self.handle(size) for size in sizes]

    def mapped(
        self,
        size: int = GRANULE,
        pieces: int = 1,
        at: int | None = None,
        properties: Properties | None = None,
    ) -> Mapping:
        """A fresh range, filled without a gap by `pieces` handles of `size` bytes each."""
        start = self.range(size * pieces, at)
        handles = [self.handle(size, properties) for _ in range(pieces)]
        for index, handle in enumerate(handles):
            self.map(start + index * size, handle, size)
        return Mapping(self.view(start, size * pieces), handles)

    def filled(self, pieces: int) -> Mapping:
        """A mapping whose every byte is known, for copies into it."""
        mapping = self.mapped(pieces=pieces)
        mapping.block.fill(GUARD_BYTE)
        return mapping

    def mapped_inside(self, pieces: int, room: int) -> Mapping:
        """Granules side by side in a larger range: from its second one on where `pieces` leaves room for
        that.
        """
        start = self.range(room * GRANULE) + (GRANULE if room > pieces + 1 else 0)
        handles = self.handles(pieces)
        for index, handle in enumerate(handles):
            self.map(start + index * GRANULE, handle)
        return Mapping(self.view(start, pieces * GRANULE), handles)

    def mapped_blocks(self, sizes: Sequence[int], room: int) -> list[Block]:
        """Pieces of different sizes in one range, with a granule free before each."""
        place, blocks = self.range(room), []
        for size in sizes:
            blocks.append(self.map(place + GRANULE, self.handle(size), size))
            place += GRANULE + size
        return blocks

    def mapped_without_access(self, handle: int) -> int:
        """Where a granule is mapped that nobody may touch yet."""
        start = self.range()
        self.call(MAP_NO_ACCESS, virPtr=start, size=GRANULE, offset=0, handle=handle, flags=0)
        return start

    def holding(self, address: int, seed: int) -> Block:
        """A mapped granule that must hold the bytes of a seed."""
        block = self.view(address, GRANULE)
        block.written = pattern(GRANULE, seed)
        return block

    def side_by_side(self, size: int, chosen: bool) -> tuple[int, int]:
        """Two ranges of their own, the second beginning where the first ends if that can be had.

        `chosen` says that addresses may be asked for; otherwise the nearest two of several fresh ranges are
        taken.
        """
        if chosen:
            place = fresh_place()
            return self.range(size, at=place), self.range(size, at=place + size)
        starts = sorted(self.range(size) for _ in range(6))
        first, second = nearest(starts)
        for start in starts:
            if start not in (first, second):
                self.release(start)
        return first, second

    def give_up(self, mapping: Mapping) -> None:
        """Unmap a mapping of one piece, free its handle and release its range."""
        self.unmap(mapping.ptr)
        self.free(mapping.handle)
        self.release(mapping.ptr)

    # What physical memory holds

    def read(self, handle: int, size: int = GRANULE) -> Bytes:
        """What physical memory holds, seen through a mapping of its own."""
        with self.window(handle, size) as block:
            return block.read()

    def write(self, handle: int, seed: int, size: int = GRANULE) -> int:
        """Fill physical memory through a mapping of its own; gives the handle back."""
        with self.window(handle, size) as block:
            block.write(pattern(size, seed))
        return handle

    def fill_in_turn(self, start: int, seeds: dict[int, int]) -> None:
        """Map each handle at the same address in turn and fill it with the bytes of its seed."""
        for handle, seed in seeds.items():
            self.map(start, handle).write(pattern(GRANULE, seed))
            self.unmap(start)

    @contextmanager
    def window(self, handle: int, size: int = GRANULE) -> Iterator[Block]:
        """A handle mapped in a range of its own, for the length of a `with`."""
        start = self.range(size)
        block = self.map(start, handle, size)
        try:
            yield block
        finally:
            self.unmap(start)
            self.release(start)


def nearest(starts: Sequence[int]) -> tuple[int, int]:
    """The two neighbours with the smallest distance in a rising sequence."""
    return min(pairwise(starts), key=lambda pair: pair[1] - pair[0])
