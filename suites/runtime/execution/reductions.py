"""Reductions of arrays in device memory."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from harness.device import require
from harness.plugin import Block, Case, Expect, Memory

TYPES = {
    "ACL_FLOAT": "<f4",
    "ACL_FLOAT16": "<f2",
    "ACL_INT8": "i1",
    "ACL_INT16": "<i2",
    "ACL_INT32": "<i4",
}
"""Types that some product sums up, and what numpy calls them."""


class Reductions:
    """Two arrays in device memory and what becomes of the first when the second is reduced into it."""

    def __init__(self, acl: Any, case: Case, memory: Memory, expect: Expect, stream: int) -> None:
        self._acl, self._case, self._memory, self._expect = acl, case, memory, expect
        self._stream = stream

    def array(self, numbers: Sequence[float], type_name: str = "ACL_FLOAT") -> Block:
        """Numbers in device memory."""
        data = np.array(numbers, TYPES[type_name]).tobytes()
        return self._memory.device(len(data)).write(data)

    def queue(
        self, target: Block, source: Block, kind: str = "SUM", type_name: str = "ACL_FLOAT", count: int = 0
    ) -> Any:
        """The answer to a reduction put on the stream; `count` are bytes, all of the source when 0."""
        return self._acl.aclrtReduceAsync(
            dst=target,
            src=source,
            count=count or source.size,
            kind=f"ACL_RT_MEMCPY_SDMA_AUTOMATIC_{kind}",
            type=type_name,
            stream=self._stream,
            reserve=None,
        )

    def wait(self) -> None:
        """Wait for the stream."""
        require(self._case.engine.c.call("aclrtSynchronizeStream", stream=self._stream), "waiting")

    def expect_holds(self, block: Block, numbers: Sequence[float], type_name: str = "ACL_FLOAT") -> None:
        """The block holds these numbers."""
        wanted = np.frombuffer(np.array(numbers, TYPES[type_name]).tobytes(), np.uint8)
        self._expect.data(block, wanted, "the array after the reduction")
