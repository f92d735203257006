"""Valid calls of chapter 11-07: device memory shared between processes by key.

Where a product has no such keys, a recipe makes one up, so that a refusal is the only sensible answer.
"""

from __future__ import annotations

from typing import Any

from harness.plugin import Block
from suites.memory.ipc.books import KeyBooks
from suites.memory.ipc.keys import ANYBODY, EXPORT, KEY_SIZE, LINK, LISTED, Process, Sharer
from suites.memory.virtual.properties import GRANULE
from suites.memory.virtual.space import viewer
from suites.partners import outfit_of
from suites.recipes import Bench, Call, recipe
from suites.tracked import Tracked

_HUGE_FIRST = "ACL_MEM_MALLOC_HUGE_FIRST"
_MADE_UP_KEY = "0123456789abcdef" * 4
_ROOM = 4096
"""Bytes of a key buffer: room for every length that a case says."""


class _Means:
    """Shared memory for one call: what the recipe has taken, and what the call takes, is given back."""

    def __init__(self, bench: Bench) -> None:
        self.bench = bench
        self._books = KeyBooks()
        c = bench.case.engine.c
        self.sharer = Sharer(Tracked(c, c, self._books), viewer(c))
        self.exist = bench.case.supports(EXPORT)
        """Whether there are keys here at all."""
        bench.at_end(lambda: self._books.give_back(c))

    def block(self) -> Block:
        """Device memory of whole pages."""
        return self.sharer.block(GRANULE, seed=1, policy=_HUGE_FIRST)

    def key(self, flags: str = ANYBODY) -> str:
        """The key of a fresh block of this process."""
        return self.sharer.key_of(self.block(), flags) if self.exist else _MADE_UP_KEY

    def key_of_another(self) -> str:
        """The key of a block of another process."""
        if not self.exist:
            return _MADE_UP_KEY
        other = Process(outfit_of(self.bench.case))
        self.bench.at_end(other.close)
        return other.memory.shared(seed=1).key

    def room(self) -> dict[str, Any]:
        """Room for a key, where the surface takes any."""
        fits = self.bench.case.surface == "c"
        return {"key": self.bench.memory.pageable(_ROOM)} if fits else {}

    def own_id(self) -> int:
        """The id of this process as the driver knows it; a made-up one where nothing tells it."""
        answer = self.bench.case.engine.c.call("aclrtDeviceGetBareTgid")
        return int(answer.pid) if answer.ok else 1

    @property
    def settled(self) -> bool:
        """Whether the library is one whose answers to links and other servers are settled."""
        return self.bench.case.engine.library.control is not None

    def call(self, api: str, args: dict[str, Any], *watch: Block, control: bool = True) -> Call:
        """A call whose effects are taken down and undone."""
        call = Call(args, watch=watch, control=control)
        call.undo = lambda result: self._books.note(api, call.args, result)
        return call


@recipe("aclrtIpcMemGetExportKey")
def get_export_key(bench: Bench) -> Call:
    """A block of 2 MiB, for listed processes."""
    means = _Means(bench)
    block, room = means.block(), means.room()
    args = {"devPtr": block, "size": GRANULE, "len": KEY_SIZE, "flags": 0, **room}
    return means.call("aclrtIpcMemGetExportKey", args, block, *room.values())


@recipe("aclrtIpcMemSetImportPid")
def set_import_pid(bench: Bench) -> Call:
    """The process itself, for a block it has exported."""
    means = _Means(bench)
    return means.call(
        "aclrtIpcMemSetImportPid", {"key": means.key(LISTED), "pid": [means.own_id()], "num": 1}
    )


@recipe("aclrtIpcMemImportPidInterServer")
def import_pid_inter_server(bench: Bench) -> Call:
    """A process of another server; tried first only where that server may be made up."""
    means = _Means(bench)
    servers = [{"sdid": 1, "pid": [means.own_id()], "num": 1}]
    args = {"key": means.key(LISTED), "serverPids": servers, "num": 1}
    return means.call("aclrtIpcMemImportPidInterServer", args, control=means.settled)


@recipe("aclrtIpcMemImportByKey")
def import_by_key(bench: Bench) -> Call:
    """A block of another process."""
    means = _Means(bench)
    return means.call("aclrtIpcMemImportByKey", {"key": means.key_of_another(), "flags": 0})


@recipe("aclrtIpcMemSetAttr")
def set_attr(bench: Bench) -> Call:
    """The default link of a key; tried first only where links are known to be chosen."""
    means = _Means(bench)
    args = {"key": means.key(), "type": LINK, "attr": 0}
    return means.call("aclrtIpcMemSetAttr", args, control=means.settled)


@recipe("aclrtIpcMemClose")
def close(bench: Bench) -> Call:
    """A key of this process."""
    means = _Means(bench)
    return means.call("aclrtIpcMemClose", {"key": means.key()})
