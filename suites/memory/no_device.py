"""A process without a device: what a refused call must not have changed."""

from __future__ import annotations

from typing import Any

from harness.device import require
from harness.plugin import Expect


class NoDevice:
    """Judges a call that was made after aclInit and before aclrtSetDevice."""

    def __init__(self, acl: Any, expect: Expect) -> None:
        self._acl = acl
        self._expect = expect

    def expect_still_unset(self, result: Any, *outputs: str) -> None:
        """The outputs are untouched, there is still no device, and with one memory can be had and counted."""
        for output in outputs:
            self._expect.true(f"{output} is untouched", result.untouched(output))
        self._expect.true("there is still no device", not self._acl.call("aclrtGetDevice").ok)
        require(self._acl.call("aclrtSetDevice", deviceId=0), "setting the device")
        wanted = {"size": 4096, "policy": "ACL_MEM_MALLOC_HUGE_FIRST"}
        made = self._expect.success(self._acl.call("aclrtMalloc", **wanted))
        told = [self._acl.call("aclrtGetMemInfo", attr=kind) for kind in ("ACL_HBM_MEM", "ACL_DDR_MEM")]
        self._expect.true("memory is counted", any(one.ok and 0 < one.free <= one.total for one in told))
        self._expect.success(self._acl.call("aclrtFree", devPtr=made.devPtr))
        require(self._acl.call("aclrtResetDevice", deviceId=0), "resetting the device")
