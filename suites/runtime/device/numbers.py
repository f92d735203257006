"""The numbers a device has: the process's own, and the machine's logical and physical ones."""

from __future__ import annotations

import os
from collections.abc import Sequence
from typing import Any

from harness.device import VISIBLE_DEVICES, require
from harness.plugin import Case


class Numbers:
    """Turns numbers into others, on the surface under test."""

    def __init__(self, acl: Any, case: Case) -> None:
        self._acl = acl
        self._case = case

    def all(self) -> list[int]:
        """The process's numbers of its devices."""
        count = require(self._case.engine.c.call("aclrtGetDeviceCount"), "counting devices").count
        return list(range(int(count)))

    def without_list(self) -> list[int]:
        """The numbers where the process sees every device; blocked where a list leaves some out."""
        if VISIBLE_DEVICES in os.environ:
            self._case.expect.blocked(f"{VISIBLE_DEVICES} is set, so that the numbers differ")
        return self.all()

    def told(self, api: str, numbers: Sequence[int]) -> list[int | None]:
        """What a function makes of each number; None where it is refused."""
        given, made = (param.name for param in self._case.contract.function(api).params)
        results = [self._acl.call(api, **{given: number}) for number in numbers]
        return [int(result[made]) if result.ok else None for result in results]

    def round_trips(self) -> list[int | None]:
        """What becomes of each number of the process on its way to a physical one and back."""
        physical = self.told("aclrtGetPhyDevIdByUserDevId", self.all())
        return self.told("aclrtGetUserDevIdByPhyDevId", [one for one in physical if one is not None])
