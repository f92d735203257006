"""What a case holds of virtual memory: taken down call by call, and given back in the right order."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from typing import Any

from suites.books import Books, Debt, number_of

_RESERVING = frozenset({"aclrtReserveMemAddress", "aclrtReserveMemAddressNoUCMemory"})
_TAKING = frozenset(
    {
        "aclrtMallocPhysical",
        "aclrtMemImportFromShareableHandle",
        "aclrtMemImportFromShareableHandleV2",
        "aclrtMemRetainAllocationHandle",
    }
)
_MAPPING = frozenset({"aclrtMapMem", "aclrtMemMapNoAccess"})


class Ledger(Books):
    """The ranges, handles and mappings that live, by the calls that made them and gave them back."""

    doing = "giving virtual memory back"

    def __init__(self) -> None:
        super().__init__()
        self.ranges: dict[int, int] = {}
        """Start of a reservation -> its size."""
        self.handles: Counter[int] = Counter()
        """Handle of physical memory -> how often it must be freed."""
        self.mappings: dict[int, int] = {}
        """Start of a mapping -> its size."""

    def _note(self, api: str, args: dict[str, Any], result: Any) -> None:
        if api in _RESERVING:
            if "virPtr" in result.outputs:
                self.ranges[result.outputs["virPtr"]] = number_of(args["size"])
        elif api in _TAKING:
            if "handle" in result.outputs:
                self.handles[result.outputs["handle"]] += 1
        elif api in _MAPPING:
            self.mappings[number_of(args["virPtr"])] = number_of(args["size"])
        elif api == "aclrtMemMapSelectedLink":
            self._mirror(number_of(args["virPtrSrc"]), number_of(args["virPtrDst"]), number_of(args["size"]))
        elif api == "aclrtUnmapMem":
            self.mappings.pop(number_of(args["virPtr"]), None)
        elif api == "aclrtFreePhysical":
            self.handles[number_of(args["handle"])] -= 1
        elif api == "aclrtReleaseMemAddress":
            self.ranges.pop(number_of(args["virPtr"]), None)

    def _mirror(self, source: int, target: int, size: int) -> None:
        """A second range has got mappings like those inside the first."""
        inside = {start: length for start, length in self.mappings.items() if source <= start < source + size}
        self.mappings.update({target + start - source: length for start, length in inside.items()})

    def _debts(self) -> Iterator[Debt]:
        for start in self.mappings:
            yield "aclrtUnmapMem", {"virPtr": start}
        for handle in self.handles.elements():
            yield "aclrtFreePhysical", {"handle": handle}
        for start in self.ranges:
            yield "aclrtReleaseMemAddress", {"virPtr": start}

    def _forget(self) -> None:
        for held in (self.ranges, self.handles, self.mappings):
            held.clear()
