"""Registered host memory: ranges of pages, their device pointers, and what must be true of both."""

from __future__ import annotations

import mmap
import platform
import re
from collections.abc import Iterable, Sequence
from itertools import cycle
from typing import Any

from harness.device import require
from harness.device.blocks import HostAccess
from harness.plugin import Block, Case, Expect, Memory, pattern
from suites.memory.holdings import Holdings
from suites.memory.virtual.properties import KIB, overlaps
from suites.threads import elsewhere

PAGE = mmap.PAGESIZE
LARGE_PAGE = 64 * KIB

REGISTER = "aclrtHostRegister"
REGISTER_V2 = "aclrtHostRegisterV2"
BOTH = (REGISTER, REGISTER_V2)
GET_POINTER = "aclrtHostGetDevicePointer"
UNREGISTER = "aclrtHostUnregister"

MAPPED = "ACL_HOST_REG_MAPPED"
PINNED = "ACL_HOST_REG_PINNED"

# Where a second range lies, in pages from the start of the first one, which has sixteen.
OVERLAPS = {
    "same": (0, 16),
    "shifted": (1, 16),
    "from-before": (-4, 5),
    "inside": (4, 2),
    "around": (-2, 20),
    "last-page": (15, 1),
}
NEIGHBOURS = {"before": (-4, 4), "behind": (16, 4)}

_UNPINNED_BEFORE = (5, 10)


class Registrations:
    """Registers memory on the surface under test and judges it; the case undoes all of it."""

    def __init__(self, acl: Any, case: Case, memory: Memory, expect: Expect, holdings: Holdings) -> None:
        self._acl = acl
        self._case = case
        self._memory = memory
        self._expect = expect
        self._holdings = holdings

    # Memory

    def pages(self, size: int, kind: str = "pageable", border: int = PAGE, behind: int = 0) -> Block:
        """Filled host memory that begins on a border, or some bytes behind one; the case frees it."""
        whole = self._memory.of(kind, size + 2 * border + behind, guard=0)  # type: ignore[arg-type]
        start = -(-whole.ptr // border) * border + behind
        return Block("pageable", start, size, 0, HostAccess(), lambda: None).write(pattern(size, 1))

    def range_in(self, count: int = 16, margin: int = 8) -> Block:
        """So many pages of host memory, with more of the same memory on both sides."""
        whole = self.pages((count + 2 * margin) * PAGE)
        return self.part(whole, margin, count)

    @staticmethod
    def part(block: Block, first: int, count: int) -> Block:
        """Pages of host memory, counted from the start of a block."""
        made = Block("pageable", block.at(first * PAGE), count * PAGE, 0, HostAccess(), lambda: None)
        made.snapshot()
        return made

    def single_pages(self, count: int) -> list[Block]:
        """So many pages of host memory side by side."""
        whole = self.pages(count * PAGE, "pinned")
        return [self.part(whole, number, 1) for number in range(count)]

    @staticmethod
    def rest(block: Block, offset: int) -> Block:
        """Host memory from some bytes behind the start of a block to its end."""
        made = Block("pageable", block.at(offset), block.size - offset, 0, HostAccess(), lambda: None)
        made.snapshot()
        return made

    def needs_kernel(self, newer: bool) -> None:
        """The case is blocked where the kernel is older, or newer, than what the documents are about."""
        found = re.match(r"(\d+)\.(\d+)", platform.release())
        version = (int(found[1]), int(found[2])) if found else (0, 0)
        if (version > _UNPINNED_BEFORE) != newer:
            self._expect.blocked(f"the kernel is {'older' if newer else 'newer'}: {platform.release()}")

    # Calls

    def request(self, api: str, block: Block, flag: str | int = MAPPED) -> dict[str, Any]:
        """The arguments that register a block; the older function knows one kind of registration."""
        if api == REGISTER:
            return {"ptr": block.ptr, "size": block.size, "type": "ACL_HOST_REGISTER_MAPPED"}
        return {"ptr": block.ptr, "size": block.size, "flag": flag}

    def flags(self, *names: str) -> int:
        """Several flags as one number."""
        number = 0
        for name in names:
            number |= self._case.contract.value(name)
        return number

    def made(self, api: str, block: Block, flag: str | int = MAPPED) -> Block:
        """Register a block; it must succeed."""
        require(self._acl.call(api, **self.request(api, block, flag)), "registering host memory")
        return block

    def register(self, blocks: Iterable[Block]) -> list[Any]:
        """The answers to registering every block, by both calls in turn."""
        return [self._acl.call(api, **self.request(api, block)) for api, block in zip(cycle(BOTH), blocks)]

    def many(self, count: int) -> list[Block]:
        """So many pages, each registered on its own, by both calls in turn; all must succeed."""
        blocks = self.single_pages(count)
        for result in self.register(blocks):
            require(result, "registering host memory")
        return blocks

    def undo(self, blocks: Iterable[Block]) -> list[Any]:
        """The answers to undoing every registration."""
        return [self._acl.call(UNREGISTER, ptr=block.ptr) for block in blocks]

    def undone(self, block: Block) -> Block:
        """Undo the registration of a block; it must succeed."""
        require(self._acl.call(UNREGISTER, ptr=block.ptr), "undoing a registration")
        return block

    def refused(self, api: str, block: Block) -> Block:
        """Try to register a block in a way that is refused."""
        wrong = "type" if api == REGISTER else "flag"
        result = self._acl.call(api, **{**self.request(api, block), wrong: 0x100})
        self._expect.true("the wrong registration was refused", not result.ok)
        return block

    def refused_once_by_the_driver(self, api: str, block: Block) -> Block:
        """Let the first attempt to register a block fail; blocked where that cannot be brought about."""
        control = self._case.engine.library.control
        if control is None:
            self._expect.blocked("only the reference device can be told to let a call fail")
        control.inject_call_error(api, self._case.contract.value("ACL_ERROR_RT_DRV_INTERNAL_ERROR"))
        result = self._acl.call(api, **self.request(api, block))
        self._expect.true("the first attempt has failed", not result.ok)
        return block

    def pointer_elsewhere(self, address: int) -> Any:
        """The answer to another thread that asks for the device pointer."""
        return elsewhere(self._acl, lambda: self._ask(address))

    def pointer(self, address: int) -> int:
        """The device pointer of registered memory; it must be had."""
        return int(require(self._acl.call(GET_POINTER, pHost=address, flag=0), "asking for it").pDevice)

    def copy(self, target: int, source: int, size: int, kind: str) -> Any:
        """The answer to a synchronous copy."""
        ends = {"dst": target, "destMax": size, "src": source, "count": size}
        return self._acl.call("aclrtMemcpy", **ends, kind=f"ACL_MEMCPY_{kind}")

    @staticmethod
    def changed(block: Block) -> Any:
        """Put other bytes into a block; what is in it now."""
        return block.write(pattern(block.size, 9)).expected()

    # Judging

    def expect_same_address(self, result: Any, block: Block) -> None:
        """The block was registered, and host and device know it by the same address."""
        self._expect.success(result)
        self._expect.true("the device pointer", result.devPtr, block.ptr)
        self._expect.true("the device pointer that is asked for", self._pointer_of(block.ptr), block.ptr)

    def expect_other_stays(self, result: Any, other: Block) -> None:
        """The call succeeded, and the other registration has a device pointer and can be undone."""
        self._expect.success(result)
        self._expect.true("the other device pointer", self._pointer_of(other.ptr) != 0)
        self.expect_undone(other)

    def expect_others_stay(self, results: Sequence[Any], others: Sequence[Block]) -> None:
        """Every call succeeded, and each other registration has a device pointer and can be undone."""
        self._expect.true("calls were made", len(results) > 0)
        for result in results:
            self._expect.success(result)
        for other in others:
            self.expect_other_stays(results[0], other)

    def expect_registered(self, api: str, result: Any, block: Block, rule: str | None = None) -> None:
        """The block was registered, its device pointer is not null, and the registration can be undone."""
        self._expect.success(result, rule=rule)
        pointer = result.devPtr if api == REGISTER else self._pointer_of(block.ptr, rule)
        self._expect.true("a device pointer that is not null", pointer != 0, rule=rule)
        self.expect_undone(block, rule)

    def expect_all_registered(self, results: Sequence[Any], blocks: Sequence[Block]) -> None:
        """Every block was registered, and has a device pointer to memory of its own."""
        self._expect.true("registrations were made", len(results), len(blocks))
        for result in results:
            self._expect.success(result)
        found = overlaps([(self._pointer_of(block.ptr), block.size) for block in blocks])
        self._expect.true("device ranges that begin inside another", found, [])

    def expect_undone(self, block: Block, rule: str | None = None) -> None:
        """The registration can be undone; the block holds what it held, without a device pointer."""
        self._expect.success(self._acl.call(UNREGISTER, ptr=block.ptr), rule=rule)
        self._expect.unchanged(block, where="after its registration", rule=rule)
        self._expect.true("the device pointer is gone", not self._ask(block.ptr).ok, rule=rule)

    def expect_intact(self, result: Any, block: Block, pointer: int) -> None:
        """The call was refused; the earlier registration has its device pointer and can be undone once."""
        self._expect.refused(result, unchanged=[block])
        self._expect.true("the earlier device pointer", self._ask(block.ptr).outputs.get("pDevice"), pointer)
        self._expect.success(self._acl.call(UNREGISTER, ptr=block.ptr))
        self._expect.true("it can be undone once", not self._acl.call(UNREGISTER, ptr=block.ptr).ok)

    def expect_free_again(self, result: Any, api: str, block: Block) -> None:
        """The registration was undone: a second call finds none, and the block can be registered anew."""
        self._expect.success(result)
        self._expect.true("it can be undone once", not self._acl.call(UNREGISTER, ptr=block.ptr).ok)
        self.expect_registered(api, self._acl.call(api, **self.request(api, block)), block)

    def expect_both(self, result: Any, first: Block, second: Block) -> None:
        """Two ranges are registered, each with a device pointer; one can be undone without the other."""
        self._expect.success(result)
        pointers = [self._pointer_of(block.ptr) for block in (first, second)]
        found = overlaps([(pointers[0], first.size), (pointers[1], second.size)])
        self._expect.true("device ranges that begin inside another", found, [])
        self.expect_undone(first)
        self._expect.true("the other device pointer", self._pointer_of(second.ptr), pointers[1])
        self.expect_undone(second)

    def expect_no_pointer(self, result: Any) -> None:
        """The query was refused and has left its output alone."""
        self._expect.refused(result)
        self._expect.true("pDevice is untouched", result.untouched("pDevice"))

    def expect_error_told_once(self, result: Any, block: Block) -> None:
        """The registration was refused, and no later call repeats the error."""
        self._expect.refused(result, unchanged=[block])
        for api, args in _INNOCENT_CALLS:
            self._expect.true(f"{api} after it", self._acl.call(api, **args).ok)
        self._expect.success(self._acl.call(UNREGISTER, ptr=block.ptr))

    def expect_same_bytes(self, result: Any, target: Block, data: Any, open_rule: str, rule: str) -> None:
        """Where the copy through a device pointer was accepted, it has moved the range's own bytes."""
        self._expect.observed(result, rule=open_rule)
        if result.ok:
            self._expect.data(target, data, "what was copied through the device pointer", rule=rule)

    def expect_right_copies(self, result: Any, api: str, block: Block, target: Block, stream: int) -> None:
        """Where the registration was accepted, copies from the whole range see what is there now.

        Where it was refused, a page can be registered.
        """
        self._expect.observed(result)
        if not result.ok:
            page = self.part(block, 0, 1)
            self.expect_registered(api, self._acl.call(api, **self.request(api, page)), page)
            return
        block.write(pattern(block.size, 7))
        ends = {"dst": target.ptr, "destMax": block.size, "src": block.ptr, "count": block.size}
        copied = self._acl.call("aclrtMemcpyAsync", **ends, kind="ACL_MEMCPY_HOST_TO_DEVICE", stream=stream)
        self._expect.success(copied)
        self._expect.success(self._acl.call("aclrtSynchronizeStream", stream=stream))
        self._expect.data(target, block.expected(), "what was copied from the registered range")
        self._expect.success(self._acl.call(UNREGISTER, ptr=block.ptr))

    def expect_edges_copied(self, result: Any, block: Block, target: Block, stream: int) -> None:
        """The registration was accepted, first and last byte are copied right, and it can be undone."""
        self._expect.success(result)
        for offset in (0, block.size - 1):
            ends = {"dst": target.at(offset), "destMax": 1, "src": block.at(offset), "count": 1}
            kind = "ACL_MEMCPY_HOST_TO_DEVICE"
            self._expect.success(self._acl.call("aclrtMemcpyAsync", **ends, kind=kind, stream=stream))
        self._expect.success(self._acl.call("aclrtSynchronizeStream", stream=stream))
        ends_copied = target.read()[[0, -1]]
        self._expect.data(ends_copied, block.expected()[[0, -1]], "the first and the last byte")
        self.expect_undone(block)

    def expect_fresh_blocks_register(self, result: Any, size: int, open_rule: str, rule: str) -> None:
        """What releasing a registered block gave is recorded; blocks given later can be registered."""
        self._expect.observed(result, rule=open_rule)
        self._holdings.outcome_open()
        for _ in range(4):
            made = require(self._acl.call("aclrtMallocHost", size=size), "allocating host memory").hostPtr
            block = Block("pinned", made, size, 0, HostAccess(), lambda: None)
            block.snapshot()
            again = self._acl.call(REGISTER, **self.request(REGISTER, block))
            self.expect_registered(REGISTER, again, block, rule)

    def told_interior(self, address: int, offset: int, pointer: int) -> str:
        """What the device pointer of an address inside a registered range is, in words."""
        result = self._ask(address)
        if not result.ok:
            return f"{GET_POINTER} returned {result.name}"
        distance = result.pDevice - pointer
        return f"the device pointer {offset} bytes inside is {distance} bytes behind the first one"

    def _ask(self, address: int) -> Any:
        return self._acl.call(GET_POINTER, pHost=address, flag=0)

    def _pointer_of(self, address: int, rule: str | None = None) -> int:
        return int(self._expect.success(self._ask(address), rule=rule).pDevice)


_INNOCENT_CALLS: Sequence[tuple[str, dict[str, Any]]] = (
    ("aclrtMalloc", {"size": 4096, "policy": "ACL_MEM_MALLOC_HUGE_FIRST"}),
    ("aclrtMallocHost", {"size": 4096}),
    ("aclrtGetMemInfo", {"attr": "ACL_HBM_MEM"}),
    ("aclrtSynchronizeDevice", {}),
)
