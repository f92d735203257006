"""Host memory of the library: asking for it, using it from the CPU, the system and the device."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Any

from harness.device import require
from harness.device.blocks import HostAccess
from harness.plugin import Block, Case, Expect, Memory, pattern
from suites.memory.alloc.figures import Figures
from suites.memory.virtual.properties import KIB, MIB, overlaps

MALLOC_HOST = "aclrtMallocHost"
MALLOC_HOST_WITH_CFG = "aclrtMallocHostWithCfg"
FAMILY = (MALLOC_HOST, MALLOC_HOST_WITH_CFG)
"""Every function that hands out host memory."""

PLAIN = {"attrs": [{"attr": "ACL_RT_MEM_ATTR_VA_FLAG", "value": {"vaFlag": 0}}], "numAttrs": 1}
"""A configuration that says what holds without one as well: addresses of the host's own."""

ALIGNMENT = 64
SIZES = (1, 63, 64, 65, 4095, 4096, 4097, 3 * 4096 + 5, 64 * KIB, 256 * KIB + 1)
"""Sizes round the borders of 64 bytes and of a page."""

_OUTPUTS = {MALLOC_HOST: "hostPtr", MALLOC_HOST_WITH_CFG: "ptr"}


@dataclass(frozen=True)
class Asked:
    """A request for host memory and what came of it."""

    api: str
    size: int
    result: Any

    @property
    def ptr(self) -> int:
        """Where the memory begins."""
        return int(self.result.outputs[_OUTPUTS[self.api]])


class HostBlocks:
    """Asks for host memory on the surface under test and judges it; the case gives all of it back."""

    def __init__(self, acl: Any, case: Case, memory: Memory, expect: Expect, figures: Figures) -> None:
        self._acl = acl
        self._case = case
        self._memory = memory
        self._expect = expect
        self._figures = figures

    # Asking

    def request(self, api: str, size: int) -> dict[str, Any]:
        """The arguments of a function of the family, with a configuration where it takes one."""
        return {"size": size, "cfg": PLAIN} if api == MALLOC_HOST_WITH_CFG else {"size": size}

    def ask(self, api: str, size: int) -> Asked:
        """One request."""
        return Asked(api, size, self._acl.call(api, **self.request(api, size)))

    def ask_for(self, api: str, sizes: Iterable[int]) -> list[Asked]:
        """A request for every size; what is given stays live."""
        return [self.ask(api, size) for size in sizes]

    def taken(self, size: int, api: str = MALLOC_HOST) -> Block:
        """A block that a test needs: it must be had."""
        return self.block(self.expect_given(self.ask(api, size)))

    def unconfigured(self, size: int) -> Block:
        """A block that a test needs, asked for with NULL for a configuration."""
        result = self._acl.call(MALLOC_HOST_WITH_CFG, size=size, cfg=None)
        return self.block(self.expect_given(Asked(MALLOC_HOST_WITH_CFG, size, result)))

    def block(self, asked: Asked) -> Block:
        """The memory of a request as a block that the CPU reaches."""
        return host_view(asked.ptr, asked.size)

    def block_of(self, result: Any, size: int) -> Block:
        """The memory of a call with a configuration, which must have succeeded, filled."""
        made = require(result, "allocating host memory with a configuration")
        return host_view(int(made.ptr), size).write(pattern(size, 1))

    def free_all(self, blocks: Iterable[Block]) -> list[Any]:
        """The answers to releasing every block."""
        return [self._acl.call("aclrtFreeHost", hostPtr=block.ptr) for block in blocks]

    def rounds(self, count: int, size: int) -> list[Any]:
        """Allocate and release, over and over; the answers that are no success."""
        failed = []
        for _ in range(count):
            asked = self.ask(MALLOC_HOST, size)
            freed = self._acl.call("aclrtFreeHost", hostPtr=asked.ptr) if asked.result.ok else asked.result
            failed += [result for result in (asked.result, freed) if not result.ok]
        return failed

    # Judging

    def expect_given(self, asked: Asked) -> Asked:
        """The request succeeded with an address that is not null; gives the request back."""
        self._expect.success(asked.result)
        self._expect.true("an address that is not null", asked.ptr != 0)
        return asked

    def expect_aligned(self, *asked: Asked) -> None:
        """Every address is a multiple of 64."""
        self._expect.true("requests were made", len(asked) > 0)
        for each in asked:
            self.expect_given(each)
            self._expect.true(f"the remainder of {each.ptr:#x} ({each.size} bytes)", each.ptr % ALIGNMENT, 0)

    def expect_usable(self, *asked: Asked) -> None:
        """Every block was given, none reaches into another, each keeps what the CPU writes to every byte."""
        self._expect.true("requests were made", len(asked) > 0)
        for each in asked:
            self.expect_given(each)
        found = overlaps([(each.ptr, each.size) for each in asked])
        self._expect.true("blocks that begin inside another", found, [])
        blocks = [self.block(each).write(pattern(each.size, seed)) for seed, each in enumerate(asked)]
        for block in blocks:
            self._expect.data(block, block.expected(), f"a host block of {block.size} bytes")

    def expect_location(self, result: Any, location: str) -> None:
        """The query says that an address lies on the host, or on a device."""
        self._expect.success(result)
        wanted = self._case.contract.value(f"ACL_MEM_LOCATION_TYPE_{location}")
        self._expect.true(f"the location is {location}", result.attributes["location"]["type"], wanted)

    def expect_same_location(self, addresses: Iterable[int], other: int) -> None:
        """The query says of every address what it says of another one."""
        wanted = self._location(other)
        for address in addresses:
            self._expect.true("the location", self._location(address), wanted)

    def expect_refused_cleanly(self, result: Any) -> None:
        """The request was refused, has left its output alone, and small requests succeed, again and again."""
        self._expect.refused(result)
        self._expect.true("hostPtr is untouched", result.untouched("hostPtr"))
        self.expect_usable(self.ask(MALLOC_HOST, MIB))
        self._expect.true("calls that failed afterwards", self.rounds(100, MIB), [])

    def expect_device_memory(self, asked: Asked, before: int) -> None:
        """The block was given, and is missing from the free normal pages of the device."""
        self.expect_given(asked)
        self._figures.expect_missing(before, asked.size, "NORMAL", up_to=asked.size + 2 * MIB)

    def expect_moved(self, result: Any, source: Block, target: Block) -> None:
        """The copy succeeded, and the target holds what the source does."""
        self._expect.success(result)
        self._expect.data(target, source.expected(), "what was copied from the host block")

    def expect_passed(self, problem: str, block: Block) -> None:
        """The operating system could use the block, and what it has read into it is right."""
        self._expect.true("what went wrong", problem, "")
        self._expect.data(block, block.expected(), "what the system has read into the block")

    # Work of the device

    def queue_copy(self, target: Block, source: Block, stream: int | None) -> Any:
        """The answer to an asynchronous copy between a host block and the device."""
        to_device = target.kind == "device"
        kind = "ACL_MEMCPY_HOST_TO_DEVICE" if to_device else "ACL_MEMCPY_DEVICE_TO_HOST"
        ends = {"dst": target.ptr, "destMax": target.size, "src": source.ptr, "count": source.size}
        return self._acl.call("aclrtMemcpyAsync", **ends, kind=kind, stream=stream)

    def wait_for_copy(self, stream: int, event: int) -> None:
        """Record an event behind the work on a stream and wait for it."""
        call = self._case.engine.c.call
        require(call("aclrtRecordEvent", event=event, stream=stream), "recording an event")
        require(call("aclrtSynchronizeEvent", event=event), "waiting for an event")

    def _location(self, address: int) -> Any:
        answer = self._expect.success(self._acl.call("aclrtPointerGetAttributes", ptr=address))
        return answer.attributes["location"]


def host_view(address: int, size: int) -> Block:
    """Memory at an address as a block that the CPU reaches."""
    return Block("pinned", address, size, 0, HostAccess(), lambda: None)


def told_content(blocks: Sequence[Block]) -> str:
    """How many different bytes fresh blocks hold, in words."""
    return ", ".join(f"{len(set(block.read().tolist()))} different bytes" for block in blocks)
