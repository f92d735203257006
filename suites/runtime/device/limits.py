"""Limits of the devices: stacks and print buffers."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from harness.plugin import Case, Expect

KIB, MIB = 1 << 10, 1 << 20
SIMT_STACK = "ACL_RT_DEV_LIMIT_SIMT_STACK_SIZE"
SIMT_DIVERGENCE = "ACL_RT_DEV_LIMIT_SIMT_DVG_WARP_STACK_SIZE"
SIMD_STACK = "ACL_RT_DEV_LIMIT_SIMD_STACK_SIZE"
SIMD_FIFO = "ACL_RT_DEV_LIMIT_SIMD_PRINTF_FIFO_SIZE_PER_CORE"
SIMT_FIFO = "ACL_RT_DEV_LIMIT_SIMT_PRINTF_FIFO_SIZE"
LARGEST_STACK = {"950": 128 * KIB, "A3": 192 * KIB, "910b": 192 * KIB}
"""Bytes of the largest stack of an AI Core by product."""


class Limits:
    """Limits on the surface under test, of a process that ends with the case."""

    def __init__(self, acl: Any, case: Case, expect: Expect) -> None:
        self._acl = acl
        self._case = case
        self._expect = expect

    def set(self, value: int, limit: str = SIMD_STACK) -> Any:
        """The answer to setting a limit."""
        return self._acl.call("aclrtDeviceSetLimit", limit=limit, value=value)

    def read(self, limit: str = SIMD_STACK) -> int:
        """What a limit reads, in bytes."""
        told = self._acl.call("aclrtDeviceGetLimit", limit=limit)
        return int(self._expect.success(told).value)

    def set_and_read(self, values: Sequence[int], limit: str = SIMD_STACK) -> list[int]:
        """What is read after each of these values was set."""
        read = []
        for value in values:
            self._expect.success(self.set(value, limit))
            read.append(self.read(limit))
        return read

    def largest_stack(self) -> int:
        """Bytes of the largest stack of an AI Core."""
        return LARGEST_STACK[self._case.profile.product]

    def set_and_activate(self, value: int) -> list[Any]:
        """The answers to setting a stack and then the first device."""
        return [self.set(value), self._acl.call("aclrtSetDevice", deviceId=0)]
