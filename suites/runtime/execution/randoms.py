"""Random numbers that a stream makes in device memory."""

from __future__ import annotations

import struct
from typing import Any

import numpy as np

from harness.device import require
from harness.plugin import Block, Case, Memory

COUNT = 1000
_TASK = struct.Struct("<ii16s16sQQQ16s16s8x")
_PARAMETER = struct.Struct("<B8sB6x")


class Randoms:
    """Uniform numbers of single precision between 0 and 1, from one counter, on one stream."""

    def __init__(self, acl: Any, case: Case, memory: Memory, stream: int) -> None:
        self._acl, self._memory, self._stream = acl, memory, stream
        self._value = case.contract.value
        self._call = case.engine.c.call

    def made(self, task: Block | None = None) -> Any:
        """The numbers that the surface under test has made, from a fresh counter."""
        given = self.task() if task is None else task
        queued = self._acl.aclrtRandomNumAsync(taskInfo=given, stream=self._stream, reserve=None)
        require(queued, "asking for random numbers")
        require(self._call("aclrtSynchronizeStream", stream=self._stream), "waiting for them")
        return self._result.read().view("<f4")

    def task(self) -> Block:
        """What to ask for, in memory: so many numbers from a seed."""
        self._result = self._memory.device(4 * COUNT)
        uniform = self._value("ACL_RT_RANDOM_NUM_FUNC_TYPE_UNIFORM_DIS")
        bounds = _parameter(struct.pack("<f", 0.0)), _parameter(struct.pack("<f", 1.0))
        places = (self._memory.device(64), self._result, self._memory.device(64).fill(0))
        amounts = _parameter(struct.pack("<Q", 7)), _parameter(struct.pack("<Q", COUNT))
        kind = self._value("ACL_FLOAT")
        packed = _TASK.pack(kind, uniform, *bounds, *(each.ptr for each in places), *amounts)
        return self._memory.pageable(len(packed)).write(packed)


def _parameter(value: bytes) -> bytes:
    """A value that stands in the task itself."""
    return _PARAMETER.pack(0, value, len(value))


def varied(numbers: Any) -> bool:
    """Whether the numbers are not all the same."""
    return bool(np.unique(numbers).size > 1)
