"""What the library says about accelerators that reach host memory."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from harness.plugin import Case, Expect

_NOT_SUPPORTED = "ACL_ERROR_RT_FEATURE_NOT_SUPPORT"


class Capabilities:
    """Asks about every accelerator on the surface under test, and judges the answers."""

    def __init__(self, acl: Any, case: Case, expect: Expect) -> None:
        self._acl = acl
        self._case = case
        self._expect = expect

    def ask_for_all(self, device: int) -> dict[str, Any]:
        """The answer for every accelerator, by name."""
        return {
            name: self._acl.call("aclrtHostMemMapCapabilities", deviceId=device, hacType=name)
            for name in self._case.contract.enums["aclrtHacType"].values
        }

    def expect_yes_or_no(self, answers: Mapping[str, Any]) -> None:
        """Every answer is 0 or 1, or the question is not supported and the output is untouched."""
        self._expect.true("questions were asked", len(answers) > 0)
        for name, answer in answers.items():
            if answer.name == _NOT_SUPPORTED:
                self._expect.true(f"the output for {name} is untouched", answer.untouched("capabilities"))
            else:
                self._expect.success(answer)
                self._expect.within(f"the answer for {name}", answer.capabilities, 0, 1)
