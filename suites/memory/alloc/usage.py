"""Which components hold device memory, as aclrtGetMemUsageInfo tells it."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from harness.device import require
from harness.plugin import Expect


class Usage:
    """Lets modules hold memory, and judges what is told about them."""

    def __init__(self, acl: Any, expect: Expect) -> None:
        self._acl = acl
        self._expect = expect
        self._held: list[int] = []

    def hold(self, sizes: Mapping[int, int]) -> None:
        """Allocate so many bytes in the name of each module."""
        for module, size in sizes.items():
            cfg = {
                "attrs": [{"attr": "ACL_RT_MEM_ATTR_MODULE_ID", "value": {"moduleId": module}}],
                "numAttrs": 1,
            }
            args = {"size": size, "policy": "ACL_MEM_MALLOC_HUGE_FIRST", "cfg": cfg}
            made = require(self._acl.call("aclrtMallocWithCfg", **args), "allocating for a module")
            self._held.append(made.devPtr)

    def release_all(self) -> None:
        """Release what the modules hold."""
        while self._held:
            require(self._acl.call("aclrtFree", devPtr=self._held.pop()), "releasing a module's memory")

    def expect_sorted(self, result: Any) -> None:
        """Components are told, none holds less than the one behind it, and the first one holds memory."""
        entries = self._told(result)
        sizes = [entry["curMemSize"] for entry in entries]
        self._expect.true("components were told", len(sizes) > 0 and sizes[0] > 0)
        self._expect.true("the sizes, the largest first", sizes, sorted(sizes, reverse=True))

    def expect_first_ones(self, result: Any, wanted: int) -> None:
        """No more entries than wanted are told, and they begin the list of all components."""
        entries = self._told(result)
        everything = self._told(self._acl.call("aclrtGetMemUsageInfo", deviceId=0, inputNum=64))
        self._expect.true("the number of entries", len(entries), min(wanted, len(everything)))
        names = [entry["name"] for entry in entries]
        self._expect.true("the components", names, [entry["name"] for entry in everything[: len(names)]])

    def expect_peaks(self, result: Any) -> None:
        """Every peak is at least what the component holds now, and every name ends inside its field."""
        entries = self._told(result)
        self._expect.true("components were told", len(entries) > 0)
        below = [entry for entry in entries if entry["memPeakSize"] < entry["curMemSize"]]
        self._expect.true("peaks below the current size", below, [])
        endless = [entry for entry in entries if b"\0" not in entry["name"]]
        self._expect.true("names without an end", endless, [])

    def _told(self, result: Any) -> list[dict[str, Any]]:
        self._expect.success(result)
        self._expect.true(
            f"outputNum is {result.outputNum}, at most what was asked for",
            result.outputNum <= len(result.memUsageInfo),
        )
        told: list[dict[str, Any]] = result.memUsageInfo[: result.outputNum]
        return told
