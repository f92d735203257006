"""Memory that user space may only read: writing to it in every way that needs no kernel."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from harness.plugin import Block, Case, Expect, Memory, pattern
from suites.memory.alloc.allocations import Allocations
from suites.memory.alloc.sizes import WITH_CFG

WRITES = ("aclrtMemset", "aclrtMemsetAsync", "aclrtMemcpy", "aclrtMemcpyAsync")
"""Functions that try to change such memory; the copies come from other memory of the device."""

_POLICY = ("ACL_MEM_MALLOC_HUGE_FIRST", "ACL_MEM_ACCESS_USER_SPACE_READONLY")
_NOT_SUPPORTED = "ACL_ERROR_RT_FEATURE_NOT_SUPPORT"


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

    def block(self, size: int) -> Block:
        """Such a block, filled from the host where that works; blocked where there is no such memory."""
        asked = self._allocations.ask(WITH_CFG, size, combination(self._case, *_POLICY))
        if asked.result.name == _NOT_SUPPORTED:
            self._expect.blocked("there is no memory that user space may only read")
        block = self._allocations.block(self._allocations.expect_given(asked))
        source = self._memory.host(size).write(pattern(size, 5))
        self._copy("aclrtMemcpy", block, source, "ACL_MEMCPY_HOST_TO_DEVICE")
        block.snapshot()
        return block

    def write(self, api: str, block: Block) -> list[Any]:
        """The answers to an attempt to change the block, the wait for it included."""
        on_stream = api.endswith("Async")
        if "Memset" in api:
            fill = {"devPtr": block.ptr, "maxCount": block.size, "value": 0x11, "count": block.size}
            result = self._acl.call(api, **fill, **({"stream": self._stream} if on_stream else {}))
        else:
            source = self._memory.device(block.size).write(pattern(block.size, 6))
            result = self._copy(api, block, source, "ACL_MEMCPY_DEVICE_TO_DEVICE", on_stream)
        waited = [self._acl.call("aclrtSynchronizeStream", stream=self._stream)] if on_stream else []
        return [result, *waited]

    def expect_refused(self, results: Sequence[Any], block: Block) -> None:
        """The call or the wait for it failed, and the block holds what it held."""
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
