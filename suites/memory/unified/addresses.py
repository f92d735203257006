"""What addresses are: memory of every kind, what the query says of it, and claims about that."""

from __future__ import annotations

import mmap
from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Any

from harness.device import require
from harness.device.blocks import HostAccess
from harness.plugin import Block, Case, Expect, Memory
from suites.memory.alloc.sizes import HUGE1G_ONLY, HUGE_ONLY, NORMAL_ONLY, has_1g_pages
from suites.memory.copy.peers import Peer
from suites.memory.unified.places import GLOBAL, STEP
from suites.memory.virtual.ledger import Ledger
from suites.memory.virtual.properties import GIB, GRANULE, KIB, MIB, on_node
from suites.memory.virtual.space import Space, viewer
from suites.tracked import Tracked

PAGE = mmap.PAGESIZE

_QUERY = "aclrtPointerGetAttributes"
_TYPE = "ACL_MEM_LOCATION_TYPE_"
_SIZES = (64 * KIB, 2 * MIB, 5 * MIB)
_HUGE, _SMALL = range(2 * MIB, 2 * MIB + 1), range(1, 2 * MIB)
"""Sizes of a page in bytes."""

_NOT_SUPPORTED = "ACL_ERROR_RT_FEATURE_NOT_SUPPORT"


class Addresses:
    """Asks on the surface under test what addresses are, and judges the answers."""

    def __init__(self, acl: Any, case: Case, memory: Memory, expect: Expect) -> None:
        self._acl = acl
        self._case = case
        self._memory = memory
        self._expect = expect

    # Memory

    def managed(self) -> int:
        """The start of managed memory."""
        self._case.needs("aclrtMemAllocManaged")
        made = self._acl.call("aclrtMemAllocManaged", size=STEP, flag=GLOBAL)
        return int(require(made, "allocating managed memory").ptr)

    def on_every_page(self) -> list[tuple[Block, range]]:
        """Blocks on small and large pages, and on those of 1 GiB where there are any; the sizes of page that
        each may tell.
        """
        found = [
            (self._memory.device(size, policy=policy, guard=0), pages)
            for policy, pages in ((HUGE_ONLY, _HUGE), (NORMAL_ONLY, _SMALL))
            for size in _SIZES
        ]
        if has_1g_pages(self._case.profile):
            made = self._acl.call("aclrtMalloc", size=GIB, policy=HUGE1G_ONLY)
            # On hardware all of them may be in use.
            if made.ok or self._case.engine.library.control is not None:
                start = int(require(made, "allocating a page of 1 GiB").devPtr)
                found.append((viewer(self._case.engine.c)(start, GIB), range(GIB, GIB + 1)))
        return found

    def of_node(self) -> int:
        """Where memory of the host's NUMA node 0 is mapped; blocked where the driver does not have it."""
        self._case.needs("aclrtMallocPhysical", "aclrtMapMem", "aclrtReserveMemAddress")
        c = self._case.engine.c
        ledger = Ledger()
        space = Space(Tracked(c, c, ledger), viewer(c))
        self._case.resources.at_end(lambda: ledger.give_back(c))
        made = c.call("aclrtMallocPhysical", size=GRANULE, prop=on_node(0), flags=0)
        if made.name == _NOT_SUPPORTED:
            self._expect.blocked("the driver gives no host memory by NUMA node")
        ledger.note("aclrtMallocPhysical", {}, require(made, "allocating memory of a NUMA node"))
        start = space.range()
        space.map(start, int(made.handle))
        return start

    def pages(self, count: int = 4) -> Block:
        """Whole pages of ordinary host memory, with a page of the same memory on both sides."""
        whole = self._memory.pageable((count + 3) * PAGE, guard=0)
        start = -(-whole.ptr // PAGE) * PAGE + PAGE
        return Block("pageable", start, count * PAGE, 0, HostAccess(), lambda: None)

    def pinned(self, block: Block) -> Block:
        """The block, registered to be pinned only."""
        self._case.needs("aclrtHostRegisterV2")
        args = {"ptr": block.ptr, "size": block.size, "flag": "ACL_HOST_REG_PINNED"}
        require(self._acl.call("aclrtHostRegisterV2", **args), "registering host memory")
        return block

    def alias(self, block: Block, api: str) -> int:
        """The device's address of a host block that a function has registered."""
        if api == "aclrtHostRegister":
            args = {"ptr": block.ptr, "size": block.size, "type": "ACL_HOST_REGISTER_MAPPED"}
            return int(require(self._acl.call(api, **args), "registering host memory").devPtr)
        args = {"ptr": block.ptr, "size": block.size, "flag": "ACL_HOST_REG_MAPPED"}
        require(self._acl.call(api, **args), "registering host memory")
        asked = self._acl.call("aclrtHostGetDevicePointer", pHost=block.ptr, flag=0)
        return int(require(asked, "asking for the device pointer").pDevice)

    def foreign(self) -> dict[str, int]:
        """Addresses that the library has not given, by what they are."""
        found = {"of ordinary memory": self._memory.pageable(4096).ptr, "of a static object": id(None)}
        for line in Path("/proc/self/maps").read_text().splitlines():
            if line.endswith("[stack]"):
                found["on the stack"] = int(line.partition("-")[2].partition(" ")[0], 16) - 4096
        return found

    # Calls

    def ask(self, address: int) -> Any:
        """The answer about an address."""
        return self._acl.call(_QUERY, ptr=address)

    def ask_all(self, addresses: Iterable[int]) -> list[Any]:
        """The answers about several addresses."""
        return [self.ask(address) for address in addresses]

    def ask_beside(self, peer: Peer, address: int) -> Any:
        """The answer about an address while the second device is current."""
        with peer.current():
            return self.ask(address)

    # Claims

    def expect_on_device(self, results: Iterable[Any], device: int = 0) -> None:
        """Every address is memory of this device, on pages of some size."""
        for result in results:
            self.expect_kind([result], "DEVICE")
            self._expect.true("the device", result.attributes["location"]["id"], device)
            self._expect.true("the page has a size", result.attributes["pageSize"] > 0)

    def expect_kind(self, results: Iterable[Any], kind: str) -> None:
        """Every address is of this kind, by the name behind ACL_MEM_LOCATION_TYPE_."""
        for result in results:
            self._expect.success(result)
            wanted = self._case.contract.value(f"{_TYPE}{kind}")
            self._expect.true(f"the location is {kind}", result.attributes["location"]["type"], wanted)

    def expect_unregistered(self, addresses: Mapping[str, int]) -> None:
        """No address belongs to memory that the library knows."""
        for what, address in addresses.items():
            result = self._expect.success(self.ask(address))
            wanted = self._case.contract.value(f"{_TYPE}UNREGISTERED")
            self._expect.true(
                f"the location of an address {what}", result.attributes["location"]["type"], wanted
            )

    def expect_registered_for_a_while(self, results: Iterable[Any], block: Block) -> None:
        """The block is host memory until its registration is undone, and unknown from then on."""
        self.expect_kind(results, "HOST")
        self._expect.success(self._acl.call("aclrtHostUnregister", ptr=block.ptr))
        self.expect_kind([self.ask(block.ptr)], "UNREGISTERED")

    def expect_pages(self, blocks: Iterable[tuple[Block, range]]) -> None:
        """First and last byte of every block lie on a page of one of its sizes."""
        for block, pages in blocks:
            for address in (block.ptr, block.at(block.size - 1)):
                result = self._expect.success(self.ask(address))
                self._expect.within("bytes of a page", result.attributes["pageSize"], pages[0], pages[-1])

    def told(self, result: Any) -> str:
        """What the query gave, in words."""
        if not result.ok:
            return f"{_QUERY} returned {result.code} ({result.name})"
        return f"{_QUERY} tells the location type {result.attributes['location']['type']}"
