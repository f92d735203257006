"""Memory that user space may only read: writing to it in every way that needs no kernel."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, TypeAlias

from harness.plugin import Block, Case, Expect, Memory, pattern
from suites.memory.alloc.allocations import Allocations
from suites.memory.alloc.sizes import BASE_POLICIES, HUGE_FIRST, WITH_CFG

WRITES = (
    "aclrtMemset",
    "aclrtMemsetAsync",
    "aclrtMemsetD32",
    "aclrtMemsetD32Async",
    "aclrtMemcpy",
    "aclrtMemcpyAsync",
)
"""Functions that try to change such memory; the copies come from other memory of the device."""

_READ_ONLY = "ACL_MEM_ACCESS_USER_SPACE_READONLY"
_NOT_SUPPORTED = "ACL_ERROR_RT_FEATURE_NOT_SUPPORT"

Attempt: TypeAlias = tuple[Block, list[Any]]
"""A block, and the answers to the attempt to change it."""


class ReadOnly:
    """Makes such memory on the surface under test, writes to it, and judges what came of it."""

    def __init__(
        self, acl: Any, case: Case, memory: Memory, expect: Expect, allocations: Allocations, stream: int
    ) -> None:
        self._acl = acl
        self._case = case
        self._memory = memory
        self._expect = expect
        self._allocations = allocations
        self._stream = stream

    def blocks(self, size: int) -> list[Block]:
        """Such a block by every base policy."""
        return [self.block(size, policy) for policy in BASE_POLICIES]

    def block(self, size: int, policy: str = HUGE_FIRST) -> Block:
        """Such a block, filled from the host where that works; blocked where there is no such memory."""
        asked = self._allocations.ask(WITH_CFG, size, combination(self._case, policy, _READ_ONLY))
        if asked.result.name == _NOT_SUPPORTED:
            self._expect.blocked("there is no memory that user space may only read")
        block = self._allocations.block(self._allocations.expect_given(asked))
        source = self._memory.host(size).write(pattern(size, 5))
        self._copy("aclrtMemcpy", block, source, "ACL_MEMCPY_HOST_TO_DEVICE")
        block.snapshot()
        return block

    def write_to_all(self, api: str, blocks: Sequence[Block], offsets: Sequence[int]) -> list[Attempt]:
        """Attempts to change every block from each of these offsets on; blocked without the function."""
        self._case.needs(api)
        return [(block, self._write(api, block, offset)) for block in blocks for offset in offsets]

    def _write(self, api: str, block: Block, offset: int) -> list[Any]:
        on_stream = api.endswith("Async")
        start, size = block.at(offset), block.size - offset
        if "Memset" in api:
            words = {"ptr": start, "memSize": size, "value": 0x11111111, "N": size // 4}
            fill = {"devPtr": start, "maxCount": size, "value": 0x11, "count": size}
            args = words if "D32" in api else fill
            result = self._acl.call(api, **args, **({"stream": self._stream} if on_stream else {}))
        else:
            source = self._memory.device(size).write(pattern(size, 6))
            target = self._allocations.view(start, size)
            result = self._copy(api, target, source, "ACL_MEMCPY_DEVICE_TO_DEVICE", on_stream)
        waited = [self._acl.call("aclrtSynchronizeStream", stream=self._stream)] if on_stream else []
        return [result, *waited]

    def expect_all_refused(self, attempts: Sequence[Attempt]) -> None:
        """Every attempt failed, at the call or at the wait for it, and each block holds what it held."""
        self._expect.true("attempts were made", len(attempts) > 0)
        for block, results in attempts:
            refused = next((result for result in results if not result.ok), results[0])
            self._expect.refused(refused, unchanged=[block])

    def expect_copied(self, result: Any, target: Block, block: Block) -> None:
        """The call succeeded, and the target holds what the block does."""
        self._expect.true("the copy out of the memory succeeded", result.ok)
        self._expect.data(target, block.expected(), "the copy of the memory")

    def _copy(self, api: str, target: Block, source: Block, kind: str, on_stream: bool = False) -> Any:
        ends = {"dst": target.ptr, "destMax": target.size, "src": source.ptr, "count": source.size}
        return self._acl.call(api, **ends, kind=kind, **({"stream": self._stream} if on_stream else {}))


def combination(case: Case, *names: str) -> int:
    """Policies of several groups as one number."""
    number = 0
    for name in names:
        number |= case.contract.value(name)
    return number
