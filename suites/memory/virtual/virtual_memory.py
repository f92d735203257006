"""The virtual memory of a case on the surface under test."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import cycle, islice
from typing import Any

from harness.device import pattern
from harness.plugin import Block, BlockKind, Case, Expect
from suites.memory.alloc.sizes import APPLICATION
from suites.memory.virtual.claims import Claims
from suites.memory.virtual.ledger import Ledger
from suites.memory.virtual.properties import (
    GENERIC_1G,
    GIB,
    GRANULE,
    HUGE1G,
    MIB,
    MINIMUM,
    NORMAL,
    Properties,
    grant,
    grant_to_host,
    on_device,
    on_host,
)
from suites.memory.virtual.space import MAP_NO_ACCESS, Mapping
from suites.tracked import Tracked

_MIXED_SIZES = (GRANULE, 3 * GRANULE, 64 * MIB, 2 * GRANULE, GIB, 5 * GRANULE, 4 * GIB, GRANULE)
"""Sizes of reservations, small ones between large ones."""

_1G_PRODUCTS = ("950", "A3", "910b")


class VirtualMemory(Claims):
    """What a case does with virtual memory in several calls, and what it must know about its product."""

    def __init__(self, acl: Any, case: Case, expect: Expect) -> None:
        """`acl` is the surface under test; what it lacks is called in C."""
        ledger = Ledger()
        self.tracked = Tracked(acl, case.engine.c, ledger)
        """The surface, with everything that is taken through it given back after the case."""
        super().__init__(self.tracked, case, expect, ledger)
        case.resources.at_end(lambda: self.ledger.give_back(self.tracked))

    def outcome_open(self) -> None:
        """The call under test may leave things in a state in which giving them back is refused."""
        self.ledger.outcome_open()

    # What product and version mean

    def since(self, major: int, minor: int) -> bool:
        """Whether the version whose promises hold is this one or a later one."""
        return tuple(int(part) for part in self._case.profile.cann.split(".")[:2]) >= (major, minor)

    def needs_version(self, major: int, minor: int) -> None:
        """The case is blocked for documents older than this version."""
        if not self.since(major, minor):
            self._expect.blocked(f"not documented before {major}.{minor}")

    def needs_ranges(self) -> None:
        """The case is blocked in RC form, where no ranges can be reserved."""
        if self._case.profile.form == "RC":
            self._expect.blocked("ranges are not reserved in RC form")

    def needs_1g_pages(self) -> None:
        """The case is blocked where no document promises 1 GiB pages."""
        if self._case.profile.product not in _1G_PRODUCTS or not self.since(8, 3):
            self._expect.blocked("1 GiB pages are promised for 950, A3 and 910b since 8.3")

    def needs_attribute(self, attribute: str) -> None:
        """The case is blocked where no document promises 1 GiB pages, or none promises the attribute for
        them and it is refused.
        """
        if attribute == HUGE1G:
            self.needs_1g_pages()
        elif attribute in GENERIC_1G and not self.granularity_or(0, on_device(attribute)):
            self._expect.blocked(f"{attribute} is not given")

    @property
    def chosen_places(self) -> bool:
        """Whether a reservation may ask for an address here."""
        return self.since(8, 5) and self._case.profile.product != "950"

    # Calls of the surface under test, several at a time

    def frees(self, handles: Sequence[int]) -> list[Any]:
        """The answers to freeing each handle."""
        return [self._acl.call("aclrtFreePhysical", handle=handle) for handle in handles]

    def reserve_many(self, count: int, first: int = 0) -> list[Any]:
        """The answers to reservations of mixed sizes, beginning with one of them."""
        sizes = islice(cycle(_MIXED_SIZES), first, first + count)
        return [self._reserve(size) for size in sizes]

    def release_every_second(self, reserved: Sequence[Any]) -> None:
        """Release every second one of these ranges."""
        for result in reserved[::2]:
            self.release(result.virPtr)

    def map_pieces(
        self,
        api: str,
        start: int,
        handles: Sequence[int],
        order: Sequence[int],
        sizes: Sequence[int] = (),
    ) -> list[Any]:
        """The answers to mapping handles of these sizes side by side, in this order, with access to all of
        them; without sizes each is a granule.
        """
        results = []
        sizes = sizes or (GRANULE,) * len(handles)
        for index in order:
            place, size = start + sum(sizes[:index]), sizes[index]
            handle = handles[index]
            mapped = self._acl.call(api, virPtr=place, size=size, offset=0, handle=handle, flags=0)
            if api == MAP_NO_ACCESS:
                self.needs_driver(mapped)
            results.append(mapped)
            if api == MAP_NO_ACCESS and mapped.ok:
                results.append(self._grant(place, size))
        return results

    def map_odd_size(self, api: str, size: int) -> Any:
        """The answer to mapping memory whose size is no multiple of the grain; to its allocation where that
        fails.
        """
        start = self.range(4 * GRANULE)
        made = self._acl.call("aclrtMallocPhysical", size=size, prop=on_device(), flags=0)
        if not made.ok:
            return made
        self.outcome_open()
        return self._acl.call(api, virPtr=start, size=size, offset=0, handle=made.handle, flags=0)

    def cycle(self, rounds: int) -> None:
        """Go through the life of virtual memory again and again: every call succeeds, every byte is right."""
        for number in range(rounds):
            self._round(pattern(4096, number % 32))

    @property
    def many_rounds(self) -> int:
        """Rounds after which a small loss shows: fewer on a reference device, which counts what is alive."""
        return 250 if self._case.engine.library.control is not None else 1000

    def take_and_give_back(self, rounds: int, free_first: bool) -> None:
        """Map a granule and write to it, then unmap and free it, in either order, again and again."""
        for number in range(rounds):
            mapping = self.mapped()
            self.view(mapping.at(GRANULE // 2), 4096).write(pattern(4096, number % 32))
            orders = [
                ("aclrtUnmapMem", {"virPtr": mapping.ptr}),
                ("aclrtFreePhysical", {"handle": mapping.handle}),
            ]
            for api, args in reversed(orders) if free_first else orders:
                self._expect.success(self._acl.call(api, **args))
            self._expect.success(self._acl.call("aclrtReleaseMemAddress", virPtr=mapping.ptr))

    # What a case needs

    def retained(self, times: int, seed: int) -> tuple[list[int], int]:
        """Handles to one granule, retained so often, the allocation's own last; and what was free before.

        The granule is filled and mapped nowhere.
        """
        before = self.free_memory()
        mapping = self.mapped().write(seed)
        handles = []
        for _ in range(times):
            result = self._acl.call("aclrtMemRetainAllocationHandle", virPtr=mapping.ptr)
            self.needs_driver(result)
            handles.append(self._expect.success(result).handle)
        self.unmap(mapping.ptr)
        return [*handles, mapping.handle], before

    def mapped_at(self, place: int, pieces: int) -> Mapping:
        """Granules side by side in a range at a chosen address."""
        return self.mapped(pieces=pieces, at=place)

    def neighbouring_mappings(self, gone: int) -> tuple[int, Mapping]:
        """Two ranges side by side, the one of this number empty after use; its start, and the other's
        mapping.
        """
        starts = self.side_by_side(GRANULE, self.chosen_places)
        mappings = [Mapping(self.map(start, handle := self.handle()), [handle]) for start in starts]
        for seed, mapping in enumerate(mappings):
            mapping.write(seed)
        self.unmap(mappings[gone].ptr)
        self.free(mappings[gone].handle)
        return mappings[gone].ptr, mappings[1 - gone]

    def range_without_uc(self, size: int, at: int) -> int:
        """A range of the call that takes an address only."""
        made = self.call("aclrtReserveMemAddressNoUCMemory", size=size, alignment=0, expectPtr=at, flags=0)
        return int(made.virPtr)

    def fill_device(self, pieces: int = 8) -> tuple[int, list[int]]:
        """Take an eighth of what is free again and again until the device refuses; that size, and the
        handles.
        """
        size = max(GRANULE, self.free_memory() // pieces // GRANULE * GRANULE)
        taken: list[int] = []
        while len(taken) <= pieces:
            result = self._acl.call("aclrtMallocPhysical", size=size, prop=on_device(), flags=0)
            if not result.ok:
                break
            taken.append(result.handle)
        return size, taken

    def granularity_or(self, other: int, properties: Properties) -> int:
        """The smallest grain, or another size where the query is refused."""
        result = self._acl.call("aclrtMemGetAllocationGranularity", prop=properties, option=MINIMUM)
        return int(result.granularity) if result.ok else other

    def handle_or_nothing(self, properties: Properties) -> int:
        """Physical memory; the case is blocked where such memory is not given."""
        result = self._acl.call("aclrtMallocPhysical", size=GRANULE, prop=properties, flags=0)
        if not result.ok:
            self._expect.blocked(
                f"such memory is not given: {result.api} returned {result.code} ({result.name})"
            )
        return int(result.handle)

    def shown_to_the_host(self) -> int:
        """A mapped granule that the host was granted access to; the case is blocked where that is refused."""
        start = self.mapped().ptr
        result = self._acl.call(
            "aclrtMemSetAccess", virPtr=start, size=GRANULE, desc=[grant_to_host()], count=1
        )
        if not result.ok:
            self._expect.blocked(f"the host cannot be granted access: {result.code} ({result.name})")
        return start

    def alias(self, handle: int) -> Block:
        """A handle mapped once more; the case is blocked where that is refused, as the documents leave it
        open.
        """
        start = self.range()
        result = self._acl.call("aclrtMapMem", virPtr=start, size=GRANULE, offset=0, handle=handle, flags=0)
        if not result.ok:
            self._expect.blocked(
                f"one handle is not mapped twice: {result.api} returned {result.code} ({result.name})"
            )
        return self.view(start, GRANULE)

    def other_memory(self) -> None:
        """Memory of another place, alive beside what a case looks at, where the version documents such
        memory.
        """
        if self.since(9, 0):
            self.handle(properties=on_host())

    def handle_among_others(self, properties: Properties, size: int = GRANULE) -> int:
        """Physical memory, with normal pages allocated before and after it."""
        self.handle(properties=on_device(NORMAL))
        made = self.handle(size, properties)
        self.handle(properties=on_device(NORMAL))
        return made

    def blocks(self, kind: BlockKind, count: int, size: int) -> list[Block]:
        """Blocks of ordinary memory of one kind."""
        memory = self._case.resources.memory()
        return [memory.of(kind, size, guard=0) for _ in range(count)]

    def configured_blocks(self, sizes: Sequence[int]) -> list[Block]:
        """Blocks of aclrtMallocWithCfg."""
        policy = "ACL_MEM_MALLOC_HUGE_FIRST"
        starts = [
            self.call("aclrtMallocWithCfg", size=size, policy=policy, cfg=APPLICATION).devPtr
            for size in sizes
        ]
        for start in starts:
            self._case.resources.afterwards("aclrtFree", devPtr=start)
        return [self.view(start, size) for start, size in zip(starts, sizes, strict=True)]

    def queued_touches(self, address: int, other: Block, stream: int) -> list[bool]:
        """Whether an asynchronous copy to the address, one from it and a fill of it were done."""
        size, to_device, to_host = other.size, "ACL_MEMCPY_HOST_TO_DEVICE", "ACL_MEMCPY_DEVICE_TO_HOST"
        to = {"dst": address, "src": other.ptr, "destMax": size, "count": size, "kind": to_device}
        out = {"dst": other.ptr, "src": address, "destMax": size, "count": size, "kind": to_host}
        fill = {"devPtr": address, "maxCount": size, "value": 0x5A, "count": size}
        calls = (("aclrtMemcpyAsync", to), ("aclrtMemcpyAsync", out), ("aclrtMemsetAsync", fill))
        return [self._done(api, args, stream) for api, args in calls]

    def settle(self, stream: int) -> None:
        """Wait for a stream."""
        self._expect.success(self._acl.call("aclrtSynchronizeStream", stream=stream))

    @staticmethod
    def if_refused(result: Any, block: Block) -> list[Block]:
        """The block, where the call was refused: then it must be as it was."""
        return [] if result.ok else [block]

    # Answers in words

    def place(self, result: Any) -> tuple[str, int]:
        """Kind and number of the location in the answer to a question for properties."""
        location = result["prop"]["location"]
        return self._name("aclrtMemLocationType", location["type"]), location["id"]

    def attribute(self, result: Any) -> str:
        """The attribute in the answer to a question for properties."""
        return self._name("aclrtMemAttr", result["prop"]["memAttr"])

    def told_attribute(self, properties: Properties, result: Any) -> str:
        """What was asked for and what came back."""
        answer = self.attribute(result) if result.ok else f"{result.code} ({result.name})"
        return f"{properties['memAttr']} at {properties['location']['type']}: {answer}"

    def told_access(self, result: Any) -> str:
        """Which access came back."""
        return f"{result.api} returned {result.code}, flag {result.flag:#x}"

    def told_content(self, mapping: Mapping) -> str:
        """How much of a mapping is not zero."""
        content = mapping.block.read()
        return f"{int((content != 0).sum())} of {content.size} bytes of fresh memory are not zero"

    def _done(self, api: str, args: dict[str, Any], stream: int) -> bool:
        if not self._acl.call(api, **args, stream=stream).ok:
            return False
        return bool(self._acl.call("aclrtSynchronizeStream", stream=stream).ok)

    def _name(self, enum: str, value: int) -> str:
        values = self._case.contract.enums[enum].values
        return next((name for name, number in values.items() if number == value), str(value))

    def _reserve(self, size: int) -> Any:
        return self._acl.call("aclrtReserveMemAddress", size=size, alignment=0, expectPtr=None, flags=0)

    def _grant(self, address: int, size: int) -> Any:
        return self._acl.call("aclrtMemSetAccess", virPtr=address, size=size, desc=[grant()], count=1)

    def _round(self, data: Any) -> None:
        acl, expect = self._acl, self._expect
        start = expect.success(self._reserve(GRANULE)).virPtr
        made = acl.call("aclrtMallocPhysical", size=GRANULE, prop=on_device(), flags=0)
        handle = expect.success(made).handle
        expect.success(acl.call("aclrtMapMem", virPtr=start, size=GRANULE, offset=0, handle=handle, flags=0))
        for offset in (0, GRANULE - data.size):
            expect.data(self.view(start + offset, data.size).write(data), data, f"the granule at +{offset}")
        expect.success(acl.call("aclrtUnmapMem", virPtr=start))
        expect.success(acl.call("aclrtFreePhysical", handle=handle))
        expect.success(acl.call("aclrtReleaseMemAddress", virPtr=start))
