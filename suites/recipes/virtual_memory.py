"""Valid calls of chapter 11-04: physical memory, ranges, mappings, access and sharing.

Where a product or host form has no virtual memory, a recipe makes the arguments up: addresses and handles
that nothing has given out, so that a refusal is the only sensible answer.
"""

from __future__ import annotations

from functools import partial
from itertools import cycle
from typing import Any

from harness.device import require
from harness.plugin import Case
from suites.memory.virtual.ledger import Ledger
from suites.memory.virtual.properties import GIB, GRANULE, MINIMUM, TIB, device_place, grant, on_device
from suites.memory.virtual.sharing import ANYBODY, LISTED, Offer, Peers, export, family
from suites.memory.virtual.space import Space, viewer
from suites.recipes import Bench, Call, recipe
from suites.tracked import Tracked

FABRIC_SIZE = 128
_MADE_UP_ADDRESS = 0x1234_0000_0000
_NO_UC_PLACES = cycle(range(50 * TIB, 200 * TIB, GIB))


class _Means:
    """Virtual memory for one call: what the recipe has taken, and what the call takes, is given back."""

    def __init__(self, bench: Bench) -> None:
        self.bench = bench
        self.ledger = Ledger()
        c = bench.case.engine.c
        self._tracked = Tracked(c, c, self.ledger)
        self.space = Space(self._tracked, viewer(c))
        self.exist = bench.case.supports("aclrtMapMem")
        """Whether there is virtual memory here at all."""
        bench.at_end(lambda: self.ledger.give_back(self._tracked))

    def address(self) -> int:
        """The start of a reservation of two granules."""
        return self.space.range(2 * GRANULE) if self.exist else _MADE_UP_ADDRESS

    def handle(self) -> int:
        """Physical memory of a granule."""
        return self.space.handle() if self.exist else self.bench.extra("pageable_block")

    def mapping(self, size: int = GRANULE) -> int:
        """Where a granule of memory is mapped."""
        return self.space.mapped(size).ptr if self.exist else _MADE_UP_ADDRESS

    def offer(self, api: str, flags: str) -> Offer:
        """Memory of this process that is offered to others by the version of sharing that a function belongs
        to.
        """
        if not self.exist:
            return Offer(family(api), (1).to_bytes(8, "little"))
        made = export(self._tracked, family(api).export, self.space.handle(), flags, self.bench.memory)
        require(made.call, "preparing a valid call")
        return made.offer

    def offer_of_another(self, api: str) -> Offer:
        """Memory of another process that is offered to everybody."""
        if not self.exist:
            return Offer(family(api), (1).to_bytes(8, "little"))
        exporter = Peers(self.bench.case, self.bench.at_end).start()
        made = export(exporter, family(api).export, exporter.space.handle(), ANYBODY)
        require(made.call, "preparing a valid call")
        return made.offer

    def call(self, api: str, args: dict[str, Any], **more: Any) -> Call:
        """A call whose effects are taken down and undone."""
        return Call(args, undo=partial(self.ledger.note, api, args), control=self.exist, **more)


@recipe("aclrtMallocPhysical")
def malloc_physical(bench: Bench) -> Call:
    """A granule of device 0 with huge pages."""
    return _Means(bench).call("aclrtMallocPhysical", {"size": GRANULE, "prop": on_device(), "flags": 0})


@recipe("aclrtFreePhysical")
def free_physical(bench: Bench) -> Call:
    """A granule that nothing else uses."""
    means = _Means(bench)
    return means.call("aclrtFreePhysical", {"handle": means.handle()})


@recipe("aclrtReserveMemAddress")
def reserve_mem_address(bench: Bench) -> Call:
    """A granule of addresses wherever the library likes."""
    args = {"size": GRANULE, "alignment": 0, "expectPtr": None, "flags": 0}
    return _Means(bench).call("aclrtReserveMemAddress", args)


@recipe("aclrtReserveMemAddressNoUCMemory")
def reserve_mem_address_no_uc_memory(bench: Bench) -> Call:
    """1 GiB of addresses, each time at another place from 50 TiB on."""
    args = {"size": GIB, "alignment": 0, "expectPtr": next(_NO_UC_PLACES), "flags": 0}
    return _Means(bench).call("aclrtReserveMemAddressNoUCMemory", args)


@recipe("aclrtReleaseMemAddress")
def release_mem_address(bench: Bench) -> Call:
    """A range that nothing is mapped into."""
    means = _Means(bench)
    return means.call("aclrtReleaseMemAddress", {"virPtr": means.address()})


def _map(bench: Bench, api: str) -> Call:
    means = _Means(bench)
    handle = means.handle()
    args = {"virPtr": means.address(), "size": GRANULE, "offset": 0, "handle": handle, "flags": 0}
    return means.call(api, args)


@recipe("aclrtMapMem")
def map_mem(bench: Bench) -> Call:
    """A granule at the start of a range of two."""
    return _map(bench, "aclrtMapMem")


@recipe("aclrtMemMapNoAccess")
def mem_map_no_access(bench: Bench) -> Call:
    """A granule at the start of a range of two, out of everybody's reach."""
    return _map(bench, "aclrtMemMapNoAccess")


@recipe("aclrtUnmapMem")
def unmap_mem(bench: Bench) -> Call:
    """A mapping of a granule."""
    means = _Means(bench)
    return means.call("aclrtUnmapMem", {"virPtr": means.mapping()})


@recipe("aclrtMemExportToShareableHandle")
def mem_export(bench: Bench) -> Call:
    """A granule, for listed processes."""
    means = _Means(bench)
    args = {"handle": means.handle(), "handleType": "ACL_MEM_HANDLE_TYPE_NONE", "flags": 0}
    return means.call("aclrtMemExportToShareableHandle", args)


@recipe("aclrtMemExportToShareableHandleV2")
def mem_export_v2(bench: Bench) -> Call:
    """A granule, for listed processes, with room for a handle of any kind."""
    means = _Means(bench)
    room = bench.memory.pageable(FABRIC_SIZE)
    args = {
        "handle": means.handle(),
        "flags": 0,
        "shareType": "ACL_MEM_SHARE_HANDLE_TYPE_DEFAULT",
        "shareableHandle": room.ptr,
    }
    return means.call("aclrtMemExportToShareableHandleV2", args)


def _set_pid(bench: Bench, api: str) -> Call:
    means = _Means(bench)
    offer = means.offer(api, LISTED)
    own = [_own_id(bench.case)]
    args = _in_memory(bench, offer.to_admit(own, 1))
    return means.call(api, args)


@recipe("aclrtMemSetPidToShareableHandle")
def mem_set_pid(bench: Bench) -> Call:
    """The process itself, for memory it has exported."""
    return _set_pid(bench, "aclrtMemSetPidToShareableHandle")


@recipe("aclrtMemSetPidToShareableHandleV2")
def mem_set_pid_v2(bench: Bench) -> Call:
    """The process itself, for memory it has exported."""
    return _set_pid(bench, "aclrtMemSetPidToShareableHandleV2")


def _import(bench: Bench, api: str) -> Call:
    means = _Means(bench)
    offer = means.offer_of_another(api)
    return means.call(api, _in_memory(bench, offer.to_import(device=0)))


@recipe("aclrtMemImportFromShareableHandle")
def mem_import(bench: Bench) -> Call:
    """Memory of another process, for device 0."""
    return _import(bench, "aclrtMemImportFromShareableHandle")


@recipe("aclrtMemImportFromShareableHandleV2")
def mem_import_v2(bench: Bench) -> Call:
    """Memory of another process, for the current device."""
    return _import(bench, "aclrtMemImportFromShareableHandleV2")


@recipe("aclrtMemGetAllocationGranularity")
def mem_get_allocation_granularity(bench: Bench) -> Call:
    """The smallest grain of device 0 with huge pages."""
    return _Means(bench).call("aclrtMemGetAllocationGranularity", {"prop": on_device(), "option": MINIMUM})


@recipe("aclrtMemSetAccess")
def mem_set_access(bench: Bench) -> Call:
    """Device 0 may read and write a mapping of a granule."""
    means = _Means(bench)
    args = {"virPtr": means.mapping(), "size": GRANULE, "desc": [grant()], "count": 1}
    return means.call("aclrtMemSetAccess", args)


@recipe("aclrtMemGetAccess")
def mem_get_access(bench: Bench) -> Call:
    """What device 0 may do with a mapping of a granule."""
    means = _Means(bench)
    return means.call("aclrtMemGetAccess", {"virPtr": means.mapping(), "location": device_place(0)})


@recipe("aclrtMemRetainAllocationHandle")
def mem_retain_allocation_handle(bench: Bench) -> Call:
    """The handle of a mapping of a granule."""
    means = _Means(bench)
    return means.call("aclrtMemRetainAllocationHandle", {"virPtr": means.mapping()})


@recipe("aclrtMemGetAllocationPropertiesFromHandle")
def mem_get_allocation_properties_from_handle(bench: Bench) -> Call:
    """A granule of device 0."""
    means = _Means(bench)
    return means.call("aclrtMemGetAllocationPropertiesFromHandle", {"handle": means.handle()})


@recipe("aclrtMemGetAddressRange")
def mem_get_address_range(bench: Bench) -> Call:
    """The first byte of a device block."""
    return Call({"ptr": bench.memory.device(4096, guard=0).ptr})


@recipe("aclrtMemMapSelectedLink")
def mem_map_selected_link(bench: Bench) -> Call:
    """A range onto the memory of another one, over the first link."""
    means = _Means(bench)
    source = means.mapping()
    target = means.space.range() if means.exist else _MADE_UP_ADDRESS + GIB
    args = {"virPtrDst": target, "size": GRANULE, "virPtrSrc": source, "linkIdx": 0}
    return means.call("aclrtMemMapSelectedLink", args)


def _own_id(case: Case) -> int:
    """The id of this process as the driver knows it; a made-up one where nothing tells it."""
    answer = case.engine.c.call("aclrtDeviceGetBareTgid")
    return int(answer.pid) if answer.ok else 1


def _in_memory(bench: Bench, args: dict[str, Any]) -> dict[str, Any]:
    """The arguments with texts of bytes put into memory."""
    return {
        name: bench.memory.pageable(len(value)).write(value).ptr if isinstance(value, bytes) else value
        for name, value in args.items()
    }
