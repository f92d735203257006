"""What aclrtCheckMemType is asked, and what it must answer."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from harness.device import require
from harness.plugin import Case, Expect
from suites.memory.alloc.allocations import Allocations
from suites.memory.alloc.sizes import FAMILY
from suites.memory.virtual.properties import KIB, MIB

DEVICE, DVPP, RESERVED = 0x2, 0x8, 0x10


class Types:
    """Addresses of memory of several types, and claims about the answer."""

    def __init__(self, acl: Any, case: Case, expect: Expect, allocations: Allocations) -> None:
        self._acl = acl
        self._case = case
        self._expect = expect
        self._allocations = allocations

    @staticmethod
    def question(addresses: Sequence[int], types: int) -> dict[str, Any]:
        """The arguments that ask whether these addresses are memory of these types."""
        return {"addrList": list(addresses), "size": len(addresses), "memType": types, "reserve": 0}

    def blocks(self, count: int) -> list[int]:
        """Addresses of blocks of aclrtMalloc, small and large."""
        sizes = [4 * KIB, 2 * MIB + 1, 64]
        return [self._allocations.taken(sizes[number % 3]).ptr for number in range(count)]

    def blocks_of_every_source(self) -> list[int]:
        """Addresses of blocks from every function that gives device memory here."""
        return [self._allocations.taken(4 * KIB, api=api).ptr for api in FAMILY if self._case.supports(api)]

    def inside_a_block(self) -> list[int]:
        """Addresses in the middle and at the end of a block."""
        block = self._allocations.taken(2 * MIB)
        return [block.at(offset) for offset in (64, MIB + 1, block.size - 1)]

    def reserved(self) -> int:
        """An address of a reservation."""
        self._case.needs("aclrtReserveMemAddress")
        made = self._acl.call("aclrtReserveMemAddress", size=2 * MIB, alignment=0, expectPtr=None, flags=0)
        address = int(require(made, "reserving addresses").virPtr)
        self._case.resources.afterwards("aclrtReleaseMemAddress", virPtr=address)
        return address

    def blocks_and_reserved(self, place: int) -> list[int]:
        """Addresses of two blocks at least, and of a reservation at this place of the list."""
        addresses = self.blocks(max(2, place))
        addresses.insert(place, self.reserved())
        return addresses

    def expect_match(self, result: Any) -> None:
        """The call succeeded and says that the addresses are of that type."""
        self._expect.success(result)
        self._expect.true("checkResult", result.checkResult, 1)

    def expect_no_match(self, result: Any) -> None:
        """The call succeeded and says that the addresses are not of that type."""
        self._expect.success(result)
        self._expect.true("checkResult", result.checkResult, 0)
