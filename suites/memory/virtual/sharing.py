"""Physical memory shared between processes: offers of one, taken by others, and the claims about them."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, replace
from typing import Any, NamedTuple

import numpy as np

from harness.device import pattern, require
from harness.plugin import Block, Bytes, Case, Expect, Memory
from suites.memory.virtual.ledger import Ledger
from suites.memory.virtual.properties import GRANULE
from suites.memory.virtual.space import Mapping, Space
from suites.memory.virtual.virtual_memory import VirtualMemory
from suites.partners import Outfit, Partner, outfit_of
from suites.tracked import Tracked

LISTED, ANYBODY = "ACL_RT_VMM_EXPORT_FLAG_DEFAULT", "ACL_RT_VMM_EXPORT_FLAG_DISABLE_PID_VALIDATION"
"""Flags of an export: only listed processes may import, or all."""

_DEFAULT = "ACL_MEM_SHARE_HANDLE_TYPE_DEFAULT"
_FABRIC = "ACL_MEM_SHARE_HANDLE_TYPE_FABRIC"
_FABRIC_SIZE = 128
_VISIBLE_DEVICES = "ASCEND_RT_VISIBLE_DEVICES"


class Family(NamedTuple):
    """The three functions of one version of sharing."""

    export: str
    set_pid: str
    take: str
    second: bool


_FIRST = Family(
    "aclrtMemExportToShareableHandle",
    "aclrtMemSetPidToShareableHandle",
    "aclrtMemImportFromShareableHandle",
    False,
)
_SECOND = Family(
    "aclrtMemExportToShareableHandleV2",
    "aclrtMemSetPidToShareableHandleV2",
    "aclrtMemImportFromShareableHandleV2",
    True,
)
EXPORTS = (_FIRST.export, _SECOND.export)
SET_PIDS = (_FIRST.set_pid, _SECOND.set_pid)
IMPORTS = (_FIRST.take, _SECOND.take)


def family(api: str) -> Family:
    """The version of sharing that a function belongs to."""
    return next(each for each in (_FIRST, _SECOND) if api in each)


@dataclass(frozen=True)
class Offer:
    """A shareable handle: what other processes import."""

    family: Family
    value: bytes
    share_type: str = _DEFAULT
    mapping: Mapping | None = None
    """The exporter's own mapping of the memory, where the exporter is another process."""

    @property
    def number(self) -> int:
        """The value as a number."""
        return int.from_bytes(self.value, "little")

    def shifted(self, by: int) -> Offer:
        """An offer whose value is another number."""
        return replace(self, value=((self.number + by) % 2**64).to_bytes(8, "little"))

    def to_import(self, device: int, flags: int = 0) -> dict[str, Any]:
        """Arguments of the import, for another process or, with `address` in place of the value, for this
        one.
        """
        if self.family.second:
            return {"shareableHandle": self.value, "shareType": self.share_type, "flags": flags}
        return {"shareableHandle": self.number, "deviceId": device}

    def to_admit(self, pids: list[int], count: int) -> dict[str, Any]:
        """Arguments of the call that lists processes."""
        if self.family.second:
            return {"shareableHandle": self.value, "shareType": self.share_type, "pid": pids, "pidNum": count}
        return {"shareableHandle": self.number, "pid": pids, "pidNum": count}


@dataclass(frozen=True)
class Exported:
    """The answer to an export: the call, and the memory it has written the value to."""

    call: Any
    family: Family
    value: bytes

    @property
    def offer(self) -> Offer:
        """What others import."""
        return Offer(self.family, self.value[:8])


@dataclass(frozen=True)
class Imported:
    """One piece of physical memory by its handles in two processes."""

    ours: int
    theirs: int


def export(caller: Any, api: str, handle: int, flags: str | int, memory: Memory | None = None) -> Exported:
    """Export a handle in the process that the caller stands for; with `memory`, that is this one."""
    kind = family(api)
    if not kind.second:
        result = caller.call(api, handle=handle, handleType="ACL_MEM_HANDLE_TYPE_NONE", flags=flags)
        return Exported(result, kind, int(result.outputs.get("shareableHandle", 0)).to_bytes(8, "little"))
    args: dict[str, Any] = {"handle": handle, "flags": flags, "shareType": _DEFAULT}
    if memory is None:
        result = caller.call(api, **args, shareableHandle=bytes(8))
        return Exported(result, kind, result["shareableHandle"])
    room = memory.pageable(8).fill(0)
    result = caller.call(api, **args, shareableHandle=room.ptr)
    return Exported(result, kind, room.read().tobytes())


class Peers:
    """Starts the other processes of a case; `at_end` is told how each is ended."""

    def __init__(self, case: Case, at_end: Callable[[Callable[[], None]], None], surface: str = "c") -> None:
        self._case = case
        self._at_end = at_end
        self._surface = surface

    def start(self, device: int | None = 0, environment: dict[str, str] | None = None) -> Process:
        """A fresh process; it gives everything back and ends when the case does."""
        made = Process(outfit_of(self._case, self._surface, device, environment))
        self._at_end(made.close)
        return made


class Process(Partner):
    """Another process that imports and exports."""

    def __init__(self, outfit: Outfit) -> None:
        super().__init__(outfit, Ledger())
        self._device = outfit.device or 0
        self.space = Space(self, self.view)
        """Virtual memory of that process."""

    def take(self, offer: Offer, device: int | None = None) -> Any:
        """Import there; the result of the call."""
        wanted = self._device if device is None else device
        return self.call(offer.family.take, **offer.to_import(wanted))

    def device_of(self, handle: int) -> int:
        """The device that a granule is told to lie on once it is mapped there."""
        start = self.space.map(self.space.range(), handle).ptr
        told = self.space.call("aclrtPointerGetAttributes", ptr=start)
        return int(told.attributes["location"]["id"])

    def mapped(self, size: int = GRANULE) -> Mapping:
        """Fresh memory of that process."""
        return self.space.mapped(size)

    def give_up(self, mapping: Mapping) -> None:
        """Unmap and free memory there, and release its range."""
        self.space.give_up(mapping)


class Sharing:
    """Offers and imports of a case on the surface under test, and claims about what they lead to."""

    _SIZES = (GRANULE, 3 * GRANULE, 2 * GRANULE)

    def __init__(
        self, acl: Tracked, case: Case, vm: VirtualMemory, memory: Memory, expect: Expect, peers: Peers
    ) -> None:
        self._acl = acl
        self._case = case
        self._vm = vm
        self._memory = memory
        self._expect = expect
        self._peers = peers

    # Other processes

    def process(self, device: int | None = 0) -> Process:
        """Another process, with a device set or none."""
        return self._peers.start(device)

    def process_on(self, device: int) -> Process:
        """Another process on a device, with access to device 0's memory enabled where the product knows
        peers.
        """
        other = self._peers.start(device)
        if device and self._case.supports("aclrtDeviceEnablePeerAccess"):
            other.space.call("aclrtDeviceEnablePeerAccess", peerDeviceId=0, flags=0)
        return other

    def process_seeing(self, devices: str) -> Process:
        """Another process with a list of visible devices; blocked where these do not exist here."""
        count = int(require(self._acl.call("aclrtGetDeviceCount"), "counting devices").count)
        if count < 2:
            self._expect.blocked("there is no second device")
        return self._peers.start(0, {_VISIBLE_DEVICES: devices})

    def end(self, other: Process, how: str) -> None:
        """End another process with everything still held: by "leave" on its own, by "kill" with a signal."""
        (other.kill if how == "kill" else other.leave)()

    # Offers of this process

    def export(self, api: str, handle: int, flags: str | int = LISTED) -> Exported:
        """Export a handle of this process."""
        return export(self._acl, api, handle, flags, self._memory)

    def exports(self, api: str, handles: Iterable[int], flags: str | int = LISTED) -> list[Exported]:
        """Export several handles, or one several times."""
        return [self.export(api, handle, flags) for handle in handles]

    def offer(self, api: str, handle: int, flags: str | int = LISTED) -> Offer:
        """An export of this process, by the version of sharing that a function belongs to; it must
        succeed.
        """
        made = self.export(family(api).export, handle, flags)
        require(made.call, "exporting memory")
        return made.offer

    def offers_of_sizes(self, api: str) -> list[Offer]:
        """Memory of three sizes for everybody, filled with the bytes of its number as a seed."""
        handles = [self._vm.write(self._vm.handle(size), seed, size) for seed, size in enumerate(self._SIZES)]
        return [self.offer(api, handle, ANYBODY) for handle in handles]

    def offer_where_possible(self, api: str) -> Offer:
        """An export, or where nothing can be exported a made-up value."""
        if self._case.supports(family(api).export):
            return self.offer(api, self._vm.handle())
        return Offer(family(api), (1).to_bytes(8, "little"))

    def export_fabric(self, handle: int, fill: int) -> tuple[Any, Block]:
        """A fabric export into a block that was filled before and is longer than it need be."""
        room = self._memory.pageable(_FABRIC_SIZE + 64).fill(fill)
        result = self._acl.call(
            _SECOND.export, handle=handle, flags=ANYBODY, shareType=_FABRIC, shareableHandle=room.ptr
        )
        self._vm.needs_driver(result)
        return result, room

    def offer_fabric(self, handle: int) -> Offer:
        """A fabric export that must succeed."""
        result, room = self.export_fabric(handle, 0)
        require(result, "exporting memory")
        return Offer(_SECOND, room.read(0, _FABRIC_SIZE).tobytes(), _FABRIC)

    def admit(
        self, offer: Offer, others: Sequence[Process], count: int | None = None, caller: Process | None = None
    ) -> Any:
        """List processes for an offer; `count` is pidNum where it is not their number.

        A longer list begins with this process's own id.
        """
        pids = [other.bare_id for other in others]
        number = len(pids) if count is None else count
        pids = [self._own_id()] * (number - len(pids)) + pids
        arguments = offer.to_admit(pids, number)
        if caller is not None:
            return caller.call(offer.family.set_pid, **arguments)
        return self._acl.call(offer.family.set_pid, **self._in_memory(arguments))

    def lent(self, handle: int) -> tuple[Process, int]:
        """Memory of this process, imported by another one; that process, and its handle."""
        other = self.process()
        taken = other.take(self.offer(_FIRST.export, handle, ANYBODY))
        return other, int(require(taken, "importing memory in another process").handle)

    # Imports

    def take(self, offer: Offer) -> Any:
        """Import here; the result of the call."""
        return self._acl.call(offer.family.take, **self._in_memory(offer.to_import(device=0)))

    def offers_from(
        self, exporter: Process, api: str, seeds: Iterable[int], size: int = GRANULE
    ) -> list[Offer]:
        """Memory of another process for everybody, one piece for each seed, mapped and its first granule
        filled.
        """
        return [self._offer_from(exporter, api, seed, size) for seed in seeds]

    def imported_from(self, exporter: Process, size: int = GRANULE) -> Imported:
        """Memory of another process, imported here and mapped nowhere."""
        theirs = exporter.space.handle(size)
        made = export(exporter, _FIRST.export, theirs, ANYBODY)
        require(made.call, "exporting memory")
        ours = require(self.take(made.offer), "importing memory").handle
        return Imported(ours, theirs)

    def mapped_from(self, exporter: Process, seed: int) -> SharedMapping:
        """Memory of another process, filled by it, and imported and mapped here."""
        handle = self.imported_from(exporter)
        exporter.space.write(handle.theirs, seed)
        start = self._vm.range()
        self._vm.map(start, handle.ours)
        return SharedMapping(self._vm.view(start, GRANULE), handle.ours, handle.theirs)

    def mapped_here(self, offer: Offer) -> Mapping:
        """An offer of another process, imported and mapped here; it must show what the exporter has
        written.
        """
        handle = require(self.take(offer), "importing memory").handle
        size = offer.mapping.size if offer.mapping is not None else GRANULE
        start = self._vm.range(size)
        self._vm.map(start, handle, size)
        return Mapping(self._vm.view(start, size), [handle])

    # Claims

    def expect_offer(self, exported: Exported) -> None:
        """The export succeeded and gave a value that is not zero."""
        self._expect.success(exported.call)
        self._expect.true("a value that is not zero", exported.offer.number != 0)

    def expect_different_offers(self, exported: Sequence[Exported]) -> None:
        """The exports succeeded and gave as many values."""
        for each in exported:
            self.expect_offer(each)
        self._expect.true("different values", len({each.value for each in exported}), len(exported))

    def expect_none_accepted(self, exported: Sequence[Exported]) -> None:
        """Every export was refused."""
        for each in exported:
            self._expect.refused(each.call)

    def expect_importable(self, offer: Offer, data: Bytes, by: Process | None = None) -> None:
        """Another process imports the offer, maps it and reads these bytes."""
        other = by or self.process()
        handle = self._expect.success(other.take(offer)).handle
        self._expect.data(other.space.read(handle, data.size), data, "the memory as the importer sees it")

    def expect_importable_by_each(self, offer: Offer, data: Bytes, others: Iterable[Process]) -> None:
        """Each of the other processes imports the offer and reads these bytes."""
        for other in others:
            self.expect_importable(offer, data, by=other)

    def expect_each_importable(self, offers: Sequence[Offer]) -> None:
        """One other process imports all offers and finds in each the bytes of its number as a seed."""
        other = self.process()
        for number, (offer, size) in enumerate(zip(offers, self._SIZES, strict=True)):
            self.expect_importable(offer, pattern(size, number), by=other)

    def expect_importable_here(self, offer: Offer, data: Bytes) -> None:
        """This process imports the offer, maps it and reads these bytes."""
        self.expect_readable_here(self.take(offer), data)

    def expect_readable_here(self, result: Any, data: Bytes) -> None:
        """The import succeeded, and its handle is mapped here and shows these bytes."""
        handle = self._expect.success(result).handle
        self._expect.data(self._vm.read(handle, data.size), data, "the imported memory")

    def expect_only_second_accepted(self, results: Sequence[Any]) -> None:
        """The first and the third import were refused, the second one was not."""
        before, accepted, after = results
        self._expect.success(accepted)
        self._expect.true("a process that is not listed is refused", (before.ok, after.ok), (False, False))

    def expect_shared(self, result: Any, mapping: Mapping, other: Process) -> None:
        """The import succeeded; each process reads what either has written, in place."""
        handle = self._expect.success(result).handle
        with other.space.window(handle, mapping.size) as theirs:
            self._expect.data(theirs, mapping.block.expected(), "what the importer reads")
            theirs.write(pattern(mapping.size, 3))
            self._expect.data(mapping.block, pattern(mapping.size, 3), "what the exporter reads")
            mapping.write(seed=4)
            self._expect.data(theirs, pattern(mapping.size, 4), "what the importer reads afterwards")

    def expect_usable(self, block: Block, holds: Bytes) -> None:
        """A block, of whichever process, holds these bytes and keeps others that are written to it."""
        self._vm.expect_usable(block, holds)

    def expect_fabric_filled(self, results: Sequence[tuple[Any, Block]]) -> None:
        """Two exports into differently filled blocks wrote each of the first 128 bytes and none behind
        them.
        """
        for result, room in results:
            self._expect.success(result)
            behind = room.read(_FABRIC_SIZE)
            self._expect.data(behind, room.expected()[_FABRIC_SIZE:], "the bytes behind the handle")
        left = [room.read(0, _FABRIC_SIZE) == room.expected()[:_FABRIC_SIZE] for _, room in results]
        self._expect.true("bytes that were not written", np.flatnonzero(left[0] & left[1]).tolist(), [])

    # What a case needs

    def needs_compute_group(self) -> None:
        """The case is blocked where the device has no compute groups."""
        self._case.needs("aclrtGetGroupCount")
        answer = self._acl.call("aclrtGetGroupCount")
        if not (answer.ok and answer.count):
            self._expect.blocked("the device has no compute groups")

    def _own_id(self) -> int:
        return int(require(self._acl.call("aclrtDeviceGetBareTgid"), "asking for the process id").pid)

    def _offer_from(self, exporter: Process, api: str, seed: int, size: int) -> Offer:
        mapping = exporter.space.mapped(size)
        exporter.view(mapping.ptr, GRANULE).write(pattern(GRANULE, seed))
        made = export(exporter, family(api).export, mapping.handle, ANYBODY)
        require(made.call, "exporting memory")
        return replace(made.offer, mapping=mapping)

    def _in_memory(self, arguments: dict[str, Any]) -> dict[str, Any]:
        """Arguments for this process: a value in bytes becomes memory that holds it."""
        return {
            name: self._memory.pageable(len(value)).write(value) if isinstance(value, bytes) else value
            for name, value in arguments.items()
        }


@dataclass(frozen=True)
class SharedMapping:
    """Memory of another process, mapped here, by its handles in both."""

    block: Block
    ours: int
    theirs: int
