"""The callbacks of an allocator: Python functions behind C pointers that count how often they are called."""

from __future__ import annotations

import ctypes
from collections import Counter
from collections.abc import Mapping
from typing import Any

from harness.binding import Library

OBJECT = "aclrtAllocatorSetObjToDesc"
ALLOC = "aclrtAllocatorSetAllocFuncToDesc"
ADVISE = "aclrtAllocatorSetAllocAdviseFuncToDesc"
FREE = "aclrtAllocatorSetFreeFuncToDesc"
ADDRESS = "aclrtAllocatorSetGetAddrFromBlockFuncToDesc"
SETTERS = (OBJECT, ALLOC, ADVISE, FREE, ADDRESS)
"""Every function that puts something into a descriptor."""

OUTPUTS = {
    OBJECT: "allocator",
    ALLOC: "allocFunc",
    ADVISE: "allocAdviseFunc",
    FREE: "freeFunc",
    ADDRESS: "getAddrFromBlockFunc",
}
"""The output of aclrtAllocatorGetByStream that shows what a setter has set."""

_TYPES = {
    ALLOC: "aclrtAllocatorAllocFunc",
    ADVISE: "aclrtAllocatorAllocAdviseFunc",
    FREE: "aclrtAllocatorFreeFunc",
    ADDRESS: "aclrtAllocatorGetAddrFromBlockFunc",
}


class Hooks:
    """One set of the four callbacks."""

    def __init__(self, library: Library) -> None:
        self.calls: Counter[str] = Counter()
        """How often each was called, by its setter."""
        self._pointers = {
            setter: library.callback(kind, self._counting(setter)) for setter, kind in _TYPES.items()
        }

    def settings(self, obj: int) -> list[tuple[str, dict[str, Any]]]:
        """Each setter with its value by parameter name."""
        callbacks = [(setter, {"func": pointer}) for setter, pointer in self._pointers.items()]
        return [(OBJECT, {"allocator": obj}), *callbacks]

    def address(self, setter: str) -> int:
        """Where a callback lies, as C sees it."""
        return int(ctypes.cast(self._pointers[setter], ctypes.c_void_p).value or 0)

    def call_all(self, addresses: Mapping[str, int]) -> None:
        """Call the function at each address as the callback of its setter, with zeros."""
        for setter, pointer in self._pointers.items():
            function = type(pointer)(addresses[setter])
            function(*[0] * len(function.argtypes))

    def _counting(self, setter: str) -> Any:
        def reached(*args: int) -> int:
            self.calls[setter] += 1
            return 0

        return reached
