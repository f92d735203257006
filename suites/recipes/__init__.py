"""One valid call of every function: what the derived tests start from.

The modules of this folder, one a chapter, hold functions under `@recipe("aclrt…")`. `harness.contract.cases`
says what the rules assume about each of them.
"""

from __future__ import annotations

import importlib
import pkgutil
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field
from functools import cache
from typing import Any, TypeAlias

from harness.binding import Result
from harness.contract.cases import EXTRAS
from harness.device import require
from harness.plugin import Block, Case, Memory, Resources

EXTRA_SIZE = 4096
"""Bytes of the blocks that rules name as extras."""

_SLOT_BYTES = 8

LATE = object()
"""Stands for an argument that is known only where the call is made: see `Call.within`."""


@dataclass
class Call:
    """The arguments of a valid call by C parameter name (outputs left out), and what belongs to it.

    `watch` are the blocks that a refused call leaves alone. `settle` waits until an asynchronous call has
    ended and gives the result of the wait. `undo` gives back what the valid call has made; it gets the call's
    result. `worked` tells whether the call has done its work, for a function that gives back no code.
    `extras` are values that rules may name as `@name` beyond those every bench offers. Without `control` the
    call is not tried as it is first: it cannot succeed here; only its refusals are promised. `waits` is the
    argument that says how long the call lasts, for what it waits for does not come.
    `within` is for a call that can be made only inside something, such as a callback: it does what it is
    given there, with the values of the arguments that are `LATE` until then, and gives its result.
    """

    args: dict[str, Any]
    watch: Iterable[Block] = ()
    settle: Callable[[], Result] | None = None
    undo: Callable[[Result], Any] | None = None
    worked: Callable[[Result], bool] | None = None
    extras: Mapping[str, Any] = field(default_factory=dict)
    control: bool = True
    waits: str = ""
    within: Callable[[Callable[..., Result]], Result] | None = None

    def make(self, acl: Any, api: str) -> Result:
        """Make the call on a surface."""

        def now(**late: Any) -> Result:
            known = {name: value for name, value in late.items() if self.args.get(name) is LATE}
            result: Result = acl.call(api, **{**self.args, **known})
            return result

        return now() if self.within is None else self.within(now)


class Bench:
    """What a recipe may take; all of it is given back after the call."""

    def __init__(self, case: Case, resources: Resources) -> None:
        self.case = case
        self.memory: Memory = resources.memory()
        self.resources = resources
        """What the bench has taken; for things that take something themselves."""
        self._extras: dict[str, int] = {}

    def stream(self) -> int:
        """A stream of device 0."""
        return self.resources.stream()

    def event(self) -> int:
        """An event."""
        return self.resources.event()

    def call(self, api: str, /, **args: Any) -> Result:
        """A call of the C surface that must succeed."""
        result: Result = require(self.case.engine.c.call(api, **args), "preparing a valid call")
        return result

    def afterwards(self, api: str, /, **args: Any) -> None:
        """A call of the C surface that gives something back at the end; it must succeed."""
        self.resources.afterwards(api, **args)

    def at_end(self, step: Callable[[], None]) -> None:
        """Do this when everything is given back, the last one first; DeviceError says what went wrong."""
        self.resources.at_end(step)

    def forget(self, handle: int) -> None:
        """The call under test has destroyed this stream or event."""
        self.resources.forget(handle)

    def extra(self, name: str) -> int:
        """The number behind an `@name` that every bench offers; KeyError for any other."""
        if name not in EXTRAS:
            raise KeyError(name)
        if name not in self._extras:
            self._extras[name] = self._make_extra(name)
        return self._extras[name]

    def granule(self) -> int:
        """The smallest physical allocation of device 0 in bytes."""
        return self.extra("granularity")

    def _make_extra(self, name: str) -> int:
        if name.startswith("slot_"):
            number = int(name.removeprefix("slot_").replace("minus_", "-"))
            return (
                self.memory.pageable(_SLOT_BYTES)
                .write(number.to_bytes(_SLOT_BYTES, "little", signed=True))
                .ptr
            )
        kind = name.rstrip("2").removesuffix("_block")
        if kind in ("pinned", "device", "pageable"):
            return self.memory.of(kind, EXTRA_SIZE).ptr  # type: ignore[arg-type]
        made: int = getattr(self, f"_{name}")()
        return made

    def _freed_device_block(self) -> int:
        block = self.memory.device(EXTRA_SIZE)
        block.free()
        return block.ptr

    def _reserved_block(self) -> int:
        self.case.needs("aclrtReserveMemAddress")
        size = self.granule()
        start = self.call("aclrtReserveMemAddress", size=size, alignment=0, expectPtr=None, flags=0).virPtr
        self.afterwards("aclrtReleaseMemAddress", virPtr=start)
        return int(start)

    def _stream(self) -> int:
        return self.stream()

    def _other_stream(self) -> int:
        return self.stream()

    def _event(self) -> int:
        return self.event()

    def _other_event(self) -> int:
        return self.event()

    def _captured_stream(self) -> int:
        return int(self._graphs().begin())

    def _captured_instance(self) -> int:
        return int(self._graphs().captured())

    def _built_instance(self) -> int:
        return int(self._graphs().built().instance)

    def _unfinished_instance(self) -> int:
        return int(self._graphs().building().instance)

    def _graphs(self) -> Any:
        # Only here: graphs are the business of one chapter.
        from suites.graph.graphs import Graphs

        self.case.needs("aclmdlRICaptureBegin", "aclmdlRIBuildBegin")
        return Graphs(self.case, self.resources)

    def _device_count(self) -> int:
        return int(self.call("aclrtGetDeviceCount").count)

    def _granularity(self) -> int:
        self.case.needs("aclrtMemGetAllocationGranularity")
        prop = {"memAttr": "ACL_HBM_MEM_HUGE", "location": {"id": 0, "type": "ACL_MEM_LOCATION_TYPE_DEVICE"}}
        minimum = "ACL_RT_MEM_ALLOC_GRANULARITY_MINIMUM"
        return int(self.call("aclrtMemGetAllocationGranularity", prop=prop, option=minimum).granularity)


Recipe: TypeAlias = Callable[[Bench], Call]

_RECIPES: dict[str, Recipe] = {}


def recipe(*apis: str) -> Callable[[Recipe], Recipe]:
    """The decorated function makes a valid call of each of these C functions; one function has one recipe."""

    def register(make: Recipe) -> Recipe:
        for api in apis:
            if api in _RECIPES:
                raise ValueError(f"{api} has two recipes: {_RECIPES[api].__module__} and {make.__module__}")
            _RECIPES[api] = make
        return make

    return register


def all_recipes() -> Mapping[str, Recipe]:
    """Every recipe by C function, from all modules of this folder."""
    _load_all()
    return _RECIPES


@cache
def _load_all() -> None:
    for module in pkgutil.iter_modules(__path__):
        importlib.import_module(f"{__name__}.{module.name}")
