"""Claims about virtual memory that several tests make."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import accumulate
from typing import Any

from harness.device import pattern, require
from harness.plugin import Block, Bytes, Case, Expect
from suites.memory.virtual.host_view import host_sees
from suites.memory.virtual.ledger import Ledger
from suites.memory.virtual.properties import GRANULE, KIB, MIB, Properties, grant, on_device, overlaps
from suites.memory.virtual.space import Mapping, Space, viewer
from suites.tracked import Caller

_SLACK = 32 * MIB
"""Bytes by which a figure of free memory may be off on hardware, whose driver keeps pools of its own."""

_ALL_AT_ONCE = 16 * MIB
"""Memory up to this size is looked at byte by byte, larger one at its ends."""

_MEMORY_KINDS = ("ACL_HBM_MEM", "ACL_DDR_MEM")
_NOT_SUPPORTED = "ACL_ERROR_RT_FEATURE_NOT_SUPPORT"


class Claims(Space):
    """Ranges, physical memory and mappings of this process, and what must be true of them."""

    def __init__(self, acl: Caller, case: Case, expect: Expect, ledger: Ledger) -> None:
        """`acl` notes its calls in the ledger."""
        super().__init__(acl, viewer(case.engine.c))
        self._acl = acl
        self._case = case
        self._expect = expect
        self.ledger = ledger
        self.exact = case.engine.library.control is not None
        """Whether figures of free memory are exact: on the reference device, which nobody else uses."""

    def call(self, api: str, /, **args: Any) -> Any:
        """A call that must succeed; on hardware the case is blocked where the driver is too old for it."""
        result = self._caller.call(api, **args)
        self.needs_driver(result)
        return require(result, "preparing virtual memory")

    # Figures

    def free_memory(self) -> int:
        """Bytes of free device memory."""
        return self._memory("free")

    def total_memory(self) -> int:
        """Bytes of device memory there are."""
        return self._memory("total")

    def expect_missing(self, before: int, size: int, slack: int = _SLACK) -> None:
        """So many bytes are missing from what was free before: exactly, or on hardware within the slack."""
        missing, allowed = before - self.free_memory(), 0 if self.exact else slack
        self._expect.within("bytes missing from the free memory", missing, size - allowed, size + allowed)

    # Physical memory

    def expect_given(self, result: Any, size: int, open_on: Sequence[str] = ()) -> None:
        """Physical memory was given, is there from end to end, and can be freed.

        On the products in `open_on` what the call gives is only recorded.
        """
        if self._case.profile.product in open_on:
            self.expect_observed_or_given(result, size)
            return
        handle = self._expect.success(result).handle
        self._expect.true("a handle that is not null", handle != 0)
        self._expect_memory(handle, size)
        self._expect.success(self._acl.call("aclrtFreePhysical", handle=handle))

    def expect_observed_or_given(self, result: Any, size: int) -> None:
        """What the call gives is recorded; where it succeeded, the memory is there and can be freed."""
        self._expect.observed(result)
        if result.ok:
            self.expect_given(result, size)

    def expect_given_where_driver_can(self, result: Any) -> None:
        """A granule was given; on hardware the case is blocked where the driver lacks the feature."""
        self.needs_driver(result)
        self.expect_given(result, GRANULE)

    def expect_given_by_the_host(self, result: Any, before: int) -> None:
        """Physical memory was given that the device, where it has a memory of its own, does not miss."""
        self._expect.success(result)
        if not self._case.shares_memory:
            self.expect_missing(before, 0)

    def expect_contents(self, handles: Sequence[int]) -> None:
        """The handles differ, and each holds the bytes of its number as a seed."""
        self._expect.true("different handles", len(set(handles)), len(handles))
        for number, handle in enumerate(handles):
            self._expect.data(self.read(handle), pattern(GRANULE, number), f"handle {number}")

    def expect_makes_memory(self, size: int, properties: Properties) -> None:
        """Physical memory of exactly this size is allocated, mapped and used."""
        made = self._acl.call("aclrtMallocPhysical", size=size, prop=properties, flags=0)
        self.expect_given(made, size)

    def expect_out_of_memory(self, result: Any, before: int) -> None:
        """The request was refused and took nothing, and a request of a granule succeeds."""
        self._expect.refused(result)
        self.expect_missing(before, 0)
        self.expect_makes_memory(GRANULE, on_device())

    def expect_refused_until_freed(self, result: Any, size: int, taken: list[int]) -> None:
        """The request was refused; after one of the taken pieces is freed it succeeds."""
        self._expect.true("the device gave several pieces before it was full", len(taken) > 1)
        self._expect.refused(result)
        self.free(taken.pop())
        again = self._acl.call("aclrtMallocPhysical", size=size, prop=on_device(), flags=0)
        self._expect.success(again)

    def expect_handle_of(self, result: Any, mapping: Mapping, piece: int = 0) -> None:
        """A handle was given that is not null, leads to the memory of a mapped piece, and can be freed."""
        self.needs_driver(result)
        handle = self._expect.success(result).handle
        self._expect.true("a handle that is not null", handle != 0)
        size = mapping.size // len(mapping.handles)
        start = piece * size
        self.unmap(mapping.at(start))
        held = mapping.block.expected()[start : start + size]
        self._expect.data(self.read(handle, size), held, "the memory of the handle")
        self._expect.success(self._acl.call("aclrtFreePhysical", handle=handle))

    def expect_succeeded(self, results: Sequence[Any]) -> None:
        """Every call succeeded."""
        self._expect.true("calls were made", len(results) > 0)
        for result in results:
            self._expect.success(result)

    def expect_given_back(self, result: Any, start: int, handle: int, before: int) -> None:
        """Whatever a mapping at the address gave, the memory is back once the handle is freed."""
        if result.ok:
            self.unmap(start)
        self._expect.success(self._acl.call("aclrtFreePhysical", handle=handle))
        self.expect_missing(before, 0)

    def expect_all_freed(self, results: Sequence[Any], before: int) -> None:
        """Every free succeeded, and the memory is back."""
        self.expect_succeeded(results)
        self.expect_missing(before, 0)

    # Ranges

    def expect_range(self, result: Any, size: int) -> None:
        """A range was given whose first and last granule take memory, and which can be released."""
        start = self._expect.success(result).virPtr
        self._expect.true("an address that is not null", start != 0)
        self.expect_takes(start)
        self.expect_takes(start + size - GRANULE)
        self.expect_released(start)

    def expect_released(self, start: int) -> None:
        """A range can be released."""
        self._expect.success(self._acl.call("aclrtReleaseMemAddress", virPtr=start))

    def expect_takes(self, address: int, properties: Properties | None = None) -> None:
        """A fresh granule can be mapped at the address, used, unmapped and freed."""
        handle = self.handle(properties=properties)
        mapped = self._acl.call("aclrtMapMem", virPtr=address, size=GRANULE, offset=0, handle=handle, flags=0)
        self._expect.success(mapped)
        self._expect_kept(self.view(address, GRANULE), seed=7)
        self.unmap(address)
        self.free(handle)

    def expect_disjoint(self, results: Sequence[Any]) -> None:
        """Every reservation succeeded, and none of the live ranges begins inside another."""
        self.expect_succeeded(results)
        self._expect.true("ranges that begin inside another", overlaps(list(self.ledger.ranges.items())), [])

    # Mappings

    def expect_usable(self, block: Block, holds: Bytes) -> None:
        """Memory holds these bytes, and keeps others that are written to it."""
        self._expect.data(block, holds, "the memory")
        block.write(~holds)
        self._expect.data(block, ~holds, "the memory after it was written")

    def expect_kept_until_unmapped(self, mapping: Mapping, before: int) -> None:
        """The memory of a freed handle is usable and taken; unmapped, it is given back."""
        self.expect_usable(mapping.block, mapping.block.expected())
        self.expect_missing(before, 0)
        self._expect.success(self._acl.call("aclrtUnmapMem", virPtr=mapping.ptr))
        self.expect_missing(before, -mapping.size)

    def expect_kept_by_other_mapping(self, mapping: Mapping, other: Block, before: int) -> None:
        """The memory of a freed handle stays when one of its two mappings goes, and goes with the other
        one.
        """
        self.unmap(mapping.ptr)
        self.expect_missing(before, 0)
        self._expect.data(other, mapping.block.expected(), "the mapping that is left")
        other.written = mapping.block.expected()
        self.expect_kept_until_unmapped(Mapping(other, mapping.handles), before)

    def expect_seamless(
        self,
        results: Sequence[Any],
        start: int,
        handles: Sequence[int],
        sizes: Sequence[int] = (),
    ) -> None:
        """The pieces were mapped; one copy fills all of them, one reads them, and each holds its own part.

        Without sizes each piece is a granule.
        """
        self.expect_succeeded(results)
        sizes = sizes or (GRANULE,) * len(handles)
        data = pattern(sum(sizes), seed=5)
        block = self.view(start, data.size).write(data)
        self._expect.data(block, data, "the pieces together")
        for offset in _offsets(sizes):
            self.unmap(start + offset)
        for handle, offset, size in zip(handles, _offsets(sizes), sizes, strict=True):
            self._expect.data(
                self.read(handle, size), data[offset : offset + size], f"the piece at +{offset}"
            )

    def expect_pieces(self, mapping: Mapping, without: int) -> None:
        """All granules of a mapping but one hold what was written to them and stay usable; so does its
        memory.
        """
        for piece, handle in enumerate(mapping.handles):
            if piece != without:
                self.expect_usable(self.view(mapping.at(piece * GRANULE), GRANULE), mapping.part(piece))
            else:
                self._expect.data(self.read(handle), mapping.part(piece), "the memory that was unmapped")

    def expect_filled(self, mapping: Mapping, offset: int, count: int, byte: int) -> None:
        """A window of a mapping holds one byte value, and the rest what it held before."""
        want = mapping.block.expected().copy()
        want[offset : offset + count] = byte
        self._expect.data(mapping.block, want, "the mapping after the fill")

    def expect_same_memory(self, result: Any, first: Block, second: Block, writer: int) -> None:
        """Where the second mapping was accepted, what is written through one is read through the other."""
        self._expect.observed(result, corrupted=[first])
        if result.ok:
            self._expect_same(first, second, writer)

    def expect_second_range(
        self, result: Any, source: Block, target: Block, writer: int, pieces: int = 1
    ) -> None:
        """A second range shows the memory of the first, in both directions, and is unmapped piece by
        piece.
        """
        self._expect.success(result)
        self._expect_same(source, target, writer)
        for piece in range(pieces):
            self._expect.success(self._acl.call("aclrtUnmapMem", virPtr=target.at(piece * GRANULE)))
        self.expect_usable(source, source.expected())

    def expect_holds_once_granted(self, start: int, data: Bytes) -> None:
        """With access granted to a granule, it shows these bytes."""
        self.call("aclrtMemSetAccess", virPtr=start, size=GRANULE, desc=[grant()], count=1)
        self._expect.data(self.view(start, GRANULE), data, "the memory once access was granted")

    def expect_out_of_reach(self, start: int, data: Bytes, room: Block) -> None:
        """Neither a copy of the library nor the host itself finds these bytes at an address: the last, the
        second granule's and the first ones, in this order.
        """
        for offset in (data.size - room.size, GRANULE, 0):
            self._expect_not_found(start + offset, data[offset : offset + room.size].tobytes(), room)

    def expect_closed(self, results: Sequence[Any], start: int, data: Bytes) -> None:
        """Every call was refused; with access granted to the granule, it shows these bytes."""
        for result in results:
            self._expect.refused(result)
        self.expect_holds_once_granted(start, data)

    def _expect_not_found(self, address: int, data: bytes, room: Block) -> None:
        kind = "ACL_MEMCPY_DEVICE_TO_HOST"
        self._acl.call(
            "aclrtMemcpy", dst=room.ptr, destMax=room.size, src=address, count=room.size, kind=kind
        )
        self._expect.true("a copy found the memory", room.read().tobytes() == data, False)
        self._expect.true("the host saw the memory", host_sees(address, room.size) == data, False)

    def _expect_same(self, first: Block, second: Block, writer: int) -> None:
        self._expect.data(second, first.expected(), "the second mapping")
        written, read = (second, first) if writer else (first, second)
        data = pattern(first.size, seed=6)
        written.write(data)
        self._expect.data(read, data, "the other mapping after a write")
        first.written = second.written = data

    def _expect_memory(self, handle: int, size: int) -> None:
        """The memory of a handle can be mapped and keeps what is written, from end to end."""
        with self.window(handle, size) as block:
            if size <= _ALL_AT_ONCE:
                self._expect_kept(block, seed=1)
                return
            for seed, offset in enumerate((0, size - 64 * KIB)):
                self._expect_kept(self.view(block.at(offset), 64 * KIB), seed)

    def _expect_kept(self, block: Block, seed: int) -> None:
        data = pattern(block.size, seed)
        self._expect.data(block.write(data), data, "the memory after it was written")

    # Blocks

    def ask_for_blocks(self, blocks: Sequence[Block]) -> list[tuple[Block, Any]]:
        """The answers for the first, second, middle and last address of every block."""
        return [
            (block, self._acl.call("aclrtMemGetAddressRange", ptr=block.at(offset)))
            for block in blocks
            for offset in dict.fromkeys((0, min(1, block.size - 1), block.size // 2, block.size - 1))
        ]

    def expect_covered(self, results: Sequence[tuple[Block, Any]], blocks: Sequence[Block]) -> None:
        """Every answer is the start of its block and a size that covers it, and reaches into no other
        block.
        """
        for block, result in results:
            self._expect.success(result)
            self._expect.true("the start of the block", result.pbase, block.ptr)
            self._expect.true(
                f"a size of at least {block.size}, not {result.psize}", result.psize >= block.size
            )
            inside = [each.ptr for each in blocks if block.ptr < each.ptr < block.ptr + result.psize]
            self._expect.true("other blocks inside the range", inside, [])

    def expect_exactly(self, results: Sequence[tuple[Block, Any]], blocks: Sequence[Block]) -> None:
        """Every answer is the start and the size of its block."""
        self._expect.true("every block was asked for", len(results) >= len(blocks))
        for block, result in results:
            self._expect.success(result)
            self._expect.true("start and size", (result.pbase, result.psize), (block.ptr, block.size))

    # What a case needs

    def needs_driver(self, result: Any) -> None:
        """On hardware the case is blocked where the driver is too old for the call and says so."""
        if not self.exact and result.name == _NOT_SUPPORTED:
            self._expect.blocked(f"the driver does not support {result.api}")

    def _memory(self, figure: str) -> int:
        for kind in _MEMORY_KINDS:
            info = self._acl.call("aclrtGetMemInfo", attr=kind)
            if info.ok and info.total:
                return int(info[figure])
        return 0


def _offsets(sizes: Sequence[int]) -> list[int]:
    return [0, *accumulate(sizes)][:-1]
