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
    "ACL_UINT32": "<u4",
}
"""Types that some product sums up, and what numpy calls them."""

_SUMMED = 33
"""Numbers in an array: no type fills whole words with them, and three times the largest is exact in all."""


class Reductions:
    """Two arrays in device memory and what becomes of the first when the second is reduced into it."""

    def __init__(self, acl: Any, case: Case, memory: Memory, expect: Expect, stream: int) -> None:
        self._acl, self._case, self._memory, self._expect = acl, case, memory, expect
        self._stream = stream

    def array(self, numbers: Sequence[float], type_name: str = "ACL_FLOAT") -> Block:
        """Numbers in device memory."""
        data = self.bytes_of(numbers, type_name)
        return self._memory.device(len(data)).write(data)

    def numbered(self, count: int) -> Block:
        """So many floats in device memory, 0 and up."""
        return self._memory.device(4 * count).write(np.arange(count, dtype=np.float32).view(np.uint8))

    def expect_doubled(self, target: Block) -> None:
        """The target holds twice the numbers that it was made with."""
        want = 2 * np.arange(target.size // 4, dtype=np.float32)
        self._expect.data(target, want.view(np.uint8), "the sums")

    def queue(
        self,
        target: Block,
        source: Block,
        kind: str = "SUM",
        type_name: str = "ACL_FLOAT",
        count: int = 0,
        offset: int = 0,
    ) -> Any:
        """The answer to a reduction put on the stream; `count` are bytes, all of the source when 0, and
        `offset` bytes of the target come before its range.
        """
        return self._acl.aclrtReduceAsync(
            dst=target.at(offset),
            src=source,
            count=count or source.size,
            kind=f"ACL_RT_MEMCPY_SDMA_AUTOMATIC_{kind}",
            type=type_name,
            stream=self._stream,
            reserve=None,
        )

    def queue_many(self, target: Block, source: Block, times: int) -> None:
        """So many sums on the stream, each of which has to be accepted."""
        for _ in range(times):
            self._expect.success(self.queue(target, source))

    def copy(self, target: Block, source: Block) -> None:
        """Queue a copy inside the device."""
        args = {"dst": target, "destMax": target.size, "src": source, "count": source.size}
        self._must("aclrtMemcpyAsync", **args, kind="ACL_MEMCPY_DEVICE_TO_DEVICE", stream=self._stream)

    def recorded(self, target: Block, source: Block) -> int:
        """The model that a capture of a sum leaves; the sum has to be accepted."""
        self._case.needs("aclmdlRICaptureBegin", "aclmdlRICaptureEnd", "aclmdlRIExecuteAsync")
        self._must("aclmdlRICaptureBegin", stream=self._stream, mode="ACL_MODEL_RI_CAPTURE_MODE_RELAXED")
        result = self.queue(target, source)
        model = int(self._must("aclmdlRICaptureEnd", stream=self._stream).modelRI)
        self._case.resources.afterwards("aclmdlRIDestroy", modelRI=model)
        self._expect.success(result)
        return model

    def replay(self, model: int, times: int) -> None:
        """Run a model so many times and wait."""
        for _ in range(times):
            self._must("aclmdlRIExecuteAsync", modelRI=model, stream=self._stream)
        self.wait()

    def wait(self) -> None:
        """Wait for the stream."""
        self._must("aclrtSynchronizeStream", stream=self._stream)

    def _must(self, api: str, **args: Any) -> Any:
        return require(self._case.engine.c.call(api, **args), "arranging a reduction")

    def expect_holds(self, block: Block, numbers: Sequence[float], type_name: str = "ACL_FLOAT") -> None:
        """The block holds these numbers."""
        self._expect.data(block, self.bytes_of(numbers, type_name), "the array after the reduction")

    def bytes_of(self, numbers: Sequence[float], type_name: str = "ACL_FLOAT") -> bytes:
        """Numbers as they lie in memory."""
        if type_name == "ACL_BF16":
            # The upper half of a float.
            return (np.array(numbers, "<f4").view("<u4") >> 16).astype("<u2").tobytes()
        return np.array(numbers, TYPES[type_name]).tobytes()

    def expect_sum(self, type_name: str) -> None:
        """Numbers of this type are summed up."""
        numbers, sums = range(_SUMMED), range(0, 3 * _SUMMED, 3)
        target, source = self.array(numbers, type_name), self.array([2 * each for each in numbers], type_name)
        self._expect.success(self.queue(target, source, type_name=type_name))
        self.wait()
        self.expect_holds(target, sums, type_name)

    def queue_elsewhere(self, target: Block, source: Block) -> Any:
        """The answer to a sum put on the stream by a thread that has only just set the device."""
        call = self._case.engine.c.call
        require(call("aclrtSetDevice", deviceId=0), "setting the device in another thread")
        result = self.queue(target, source)
        require(call("aclrtResetDevice", deviceId=0), "resetting it")
        return result
