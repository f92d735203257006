"""What a case holds of blocks, registrations and allocators: noted call by call, given back at its end."""

from __future__ import annotations

import threading
from collections import Counter
from collections.abc import Iterator
from typing import Any, NamedTuple

from harness.plugin import Case
from suites.books import Books, Debt, number_of
from suites.tracked import Tracked


class Place(NamedTuple):
    """Where a call says what it takes or gives back: a kind of thing, and the parameter that names it."""

    kind: str
    name: str


_TAKING = {
    "aclrtMalloc": Place("device", "devPtr"),
    "aclrtMallocAlign32": Place("device", "devPtr"),
    "aclrtMallocCached": Place("device", "devPtr"),
    "aclrtMallocWithCfg": Place("device", "devPtr"),
    "aclrtMallocForTaskScheduler": Place("device", "devPtr"),
    "aclrtMemAllocManaged": Place("device", "ptr"),
    "aclrtMallocHost": Place("host", "hostPtr"),
    "aclrtMallocHostWithCfg": Place("host", "ptr"),
    "aclrtHostRegister": Place("registration", "ptr"),
    "aclrtHostRegisterV2": Place("registration", "ptr"),
    "aclrtAllocatorCreateDesc": Place("descriptor", ""),
    "aclrtAllocatorRegister": Place("allocator", "stream"),
}
_GIVING = {
    "aclrtFree": Place("device", "devPtr"),
    "aclrtFreeWithDevSync": Place("device", "devPtr"),
    "aclrtFreeHost": Place("host", "hostPtr"),
    "aclrtFreeHostWithDevSync": Place("host", "hostPtr"),
    "aclrtHostUnregister": Place("registration", "ptr"),
    "aclrtAllocatorDestroyDesc": Place("descriptor", "allocatorDesc"),
    "aclrtAllocatorUnregister": Place("allocator", "stream"),
}
# How what is left is given back, in this order: nothing goes before what still uses it.
_AT_THE_END = (
    ("allocator", "aclrtAllocatorUnregister", "stream"),
    ("descriptor", "aclrtAllocatorDestroyDesc", "allocatorDesc"),
    ("registration", "aclrtHostUnregister", "ptr"),
    ("host", "aclrtFreeHost", "hostPtr"),
    ("device", "aclrtFree", "devPtr"),
)


# An address of these can be given out again before the thread that has released it has noted so.
_COUNTED = frozenset({"device", "host"})


class Holdings(Books):
    """The addresses and handles of what lives, by kind, in the order in which it was taken."""

    doing = "giving back what the case has taken"

    def __init__(self) -> None:
        super().__init__()
        self._lock = threading.Lock()
        self._held: dict[str, Counter[int]] = {kind: Counter() for kind, _, _ in _AT_THE_END}

    def of(self, kind: str) -> list[int]:
        """What is held of a kind: device, host, registration, descriptor, allocator."""
        return [thing for thing, count in self._held[kind].items() if count > 0]

    def _note(self, api: str, args: dict[str, Any], result: Any) -> None:
        place, change = _TAKING.get(api), 1
        if place is None:
            place, change = _GIVING.get(api), -1
        if place is not None:
            self._change(place.kind, _named(place, args, result), change)

    def _debts(self) -> Iterator[Debt]:
        for kind, api, name in _AT_THE_END:
            for thing in reversed(self.of(kind)):
                yield api, {name: thing}

    def _forget(self) -> None:
        for held in self._held.values():
            held.clear()

    def _change(self, kind: str, thing: int, change: int) -> None:
        held = self._held[kind]
        with self._lock:
            count = held[thing] + change if kind in _COUNTED else max(change, 0)
            held[thing] = count
            if count == 0:
                del held[thing]


def _named(place: Place, args: dict[str, Any], result: Any) -> int:
    """The address or handle that a call is about; a call without a parameter for it returns it."""
    if not place.name:
        return int(result.value)
    value = args[place.name] if place.name in args else result.outputs[place.name]
    return number_of(value)


def tracked(case: Case, holdings: Holdings) -> Tracked:
    """The surface of a case, with everything taken through it given back at the end of the case.

    What the surface lacks is called in C.
    """
    c = case.engine.c
    surface = Tracked(case.engine.surface(case.surface), c, holdings)
    case.resources.at_end(lambda: holdings.give_back(c))
    return surface
