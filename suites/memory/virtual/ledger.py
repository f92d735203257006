"""What a case holds of virtual memory: taken down call by call, and given back in the right order."""

from __future__ import annotations

import operator
from collections import Counter
from collections.abc import Callable
from functools import partial
from typing import Any

from harness.device import DeviceError, require
from suites.tracked import Caller

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


class Ledger:
    """The ranges, handles and mappings that live, by the calls that made them and gave them back."""

    def __init__(self) -> None:
        self.ranges: dict[int, int] = {}
        """Start of a reservation -> its size."""
        self.handles: Counter[int] = Counter()
        """Handle of physical memory -> how often it must be freed."""
        self.mappings: dict[int, int] = {}
        """Start of a mapping -> its size."""

    def note(self, api: str, args: dict[str, Any], result: Any) -> None:
        """Take down a call; one that failed, or was given nowhere to put its answer, changes nothing."""
        if not result.ok:
            return
        if api in _RESERVING:
            if "virPtr" in result.outputs:
                self.ranges[result.outputs["virPtr"]] = _int(args["size"])
        elif api in _TAKING:
            if "handle" in result.outputs:
                self.handles[result.outputs["handle"]] += 1
        elif api in _MAPPING:
            self.mappings[_int(args["virPtr"])] = _int(args["size"])
        elif api == "aclrtMemMapSelectedLink":
            self._mirror(_int(args["virPtrSrc"]), _int(args["virPtrDst"]), _int(args["size"]))
        elif api == "aclrtUnmapMem":
            self.mappings.pop(_int(args["virPtr"]), None)
        elif api == "aclrtFreePhysical":
            self.handles[_int(args["handle"])] -= 1
        elif api == "aclrtReleaseMemAddress":
            self.ranges.pop(_int(args["virPtr"]), None)

    def give_back(self, caller: Caller, forgiving: bool = False) -> None:
        """Unmap, free and release all that is left; unless forgiving, DeviceError for the first call that
        fails.

        Whatever fails, everything is tried.
        """
        problems = [problem for step in self._steps(caller) if (problem := _tried(step)) is not None]
        for held in (self.ranges, self.handles, self.mappings):
            held.clear()
        if problems and not forgiving:
            raise problems[0]

    def _mirror(self, source: int, target: int, size: int) -> None:
        """A second range has got mappings like those inside the first."""
        inside = {start: length for start, length in self.mappings.items() if source <= start < source + size}
        self.mappings.update({target + start - source: length for start, length in inside.items()})

    def _steps(self, caller: Caller) -> list[Callable[[], Any]]:
        calls: list[tuple[str, dict[str, int]]] = []
        calls += [("aclrtUnmapMem", {"virPtr": start}) for start in self.mappings]
        calls += [("aclrtFreePhysical", {"handle": handle}) for handle in self.handles.elements()]
        calls += [("aclrtReleaseMemAddress", {"virPtr": start}) for start in self.ranges]
        return [partial(_give_back, caller, api, args) for api, args in calls]


def _int(value: Any) -> int:
    pointer = getattr(value, "ptr", None)
    return operator.index(value if pointer is None else pointer)


def _give_back(caller: Caller, api: str, args: dict[str, int]) -> None:
    require(caller.call(api, **args), "giving virtual memory back")


def _tried(step: Callable[[], None]) -> DeviceError | None:
    try:
        step()
    except DeviceError as error:
        return error
    return None
