"""Step objects of a training loop."""

from __future__ import annotations

from typing import Any

from harness.device import require


class Steps:
    """Makes step objects, on the surface under test."""

    def __init__(self, acl: Any) -> None:
        self._acl = acl

    def make(self) -> int:
        """A step object."""
        return int(require(self._acl.call("aclprofCreateStepInfo"), "making a step object").value)

    def make_and_destroy(self, count: int) -> None:
        """So many step objects, one after the other."""
        for _ in range(count):
            self._acl.call("aclprofDestroyStepInfo", stepinfo=self.make())
