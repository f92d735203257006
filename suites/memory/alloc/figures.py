"""How much device memory there is and how much is free, by kind of page, and claims about it."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from harness.device import require
from harness.plugin import Case, Expect
from suites.memory.alloc.sizes import HUGE_PAGE, has_1g_pages
from suites.memory.copy.peers import Peer
from suites.memory.virtual.properties import MIB

SLACK = 64 * MIB
"""Bytes by which a figure may be off on hardware: drivers keep pools, and other processes take memory."""

_KINDS = ("HBM", "DDR")
_COMBINED = tuple(f"ACL_{kind}_MEM" for kind in _KINDS)
_NOT_SUPPORTED = "ACL_ERROR_RT_FEATURE_NOT_SUPPORT"


class Figures:
    """What aclrtGetMemInfo says on the surface under test."""

    def __init__(self, acl: Any, case: Case, expect: Expect) -> None:
        self._acl = acl
        self._case = case
        self._expect = expect
        self._kind = ""
        self.exact = case.engine.library.control is not None
        """Whether figures are exact: on the reference device, which nobody else uses."""
        self.slack = 0 if self.exact else SLACK
        """Bytes by which a figure may be off."""

    def attribute(self, pages: str = "") -> str:
        """The name of the product's own memory, HBM or DDR, or of its HUGE, NORMAL or HUGE1G pages."""
        if not self._kind:
            self._kind = next((kind for kind in _KINDS if self._answer(f"ACL_{kind}_MEM").total), _KINDS[0])
        return f"ACL_{self._kind}_MEM{'_' if pages else ''}{pages}"

    def free(self, pages: str = "") -> int:
        """Bytes that are free, of all memory or of one kind of page."""
        return int(self._answer(self.attribute(pages)).free)

    def total(self, pages: str = "") -> int:
        """Bytes that there are, of all memory or of one kind of page."""
        return int(self._answer(self.attribute(pages)).total)

    def expect_missing(self, before: int, size: int, pages: str = "", *, up_to: int | None = None) -> None:
        """So many bytes are missing from what was free before, `up_to` so many at most.

        Exactly on the reference device, within the slack elsewhere.
        """
        least, most = size - self.slack, (size if up_to is None else up_to) + self.slack
        self._expect.within("bytes missing from the free memory", before - self.free(pages), least, most)

    def free_of(self, peer: Peer) -> int:
        """Bytes that are free on a second device, which is current for the question."""
        answer = peer.call("aclrtGetMemInfo", attr=self.attribute())
        return int(require(answer, "asking for the second device's free memory").free)

    def expect_missing_of(self, peer: Peer, before: int, size: int) -> None:
        """So many bytes, and one page at most, are missing from what a second device had free."""
        missing = before - self.free_of(peer)
        self._expect.within(
            "bytes missing on the second device", missing, size - self.slack, size + HUGE_PAGE + self.slack
        )

    def expect_sound(self, answers: Mapping[str, Any]) -> None:
        """Of every kind that is there, no more is free than there is; of the product's own there is some."""
        told = {name: self._expect.success(answer) for name, answer in answers.items() if answer.ok}
        there = [name for name, answer in told.items() if answer.total]
        self._expect.true("the product's own memory is told", any(name in there for name in _COMBINED))
        above = [name for name, answer in told.items() if answer.free > answer.total]
        self._expect.true("kinds of which more is free than there is", above, [])

    def expect_absent_kinds_zero(self, answers: Mapping[str, Any]) -> None:
        """Every kind is answered, and what is absent has two zeros.

        1 GiB pages may be refused as not supported where no document promises them.
        """
        for name, answer in answers.items():
            absent = "1G" in name and not has_1g_pages(self._case.profile)
            if not (absent and answer.name == _NOT_SUPPORTED):
                self._expect.success(answer)
                self._expect.within(f"bytes of {name}", answer.total, 0, 0 if absent else 2**60)
                self._expect.within(f"free bytes of {name}", answer.free, 0, answer.total)

    def expect_below_capacity(self, total: int) -> None:
        """No more than the memory of the device's SoC; blocked where that is not known."""
        self._case.needs("aclrtGetSocName")
        name = (self._case.engine.c.call("aclrtGetSocName").value or b"").decode()
        known = self._case.contract.products[self._case.profile.product].soc.get(name)
        if known is None or known.memory_size is None:
            self._expect.blocked(f"the memory of {name or 'this SoC'} is not known")
        self._expect.within("bytes in all", total, 1, known.memory_size)

    def every_kind(self) -> dict[str, Any]:
        """The answer for every attribute there is, by name."""
        return {name: self._ask(name) for name in self._case.contract.enums["aclrtMemAttr"].values}

    def _answer(self, attribute: str) -> Any:
        return require(self._ask(attribute), "asking for free memory")

    def _ask(self, attribute: str) -> Any:
        return self._acl.call("aclrtGetMemInfo", attr=attribute)
