"""Every way to copy between imported memory and a process's own."""

from __future__ import annotations

from dataclasses import dataclass

from harness.plugin import Block, Bytes
from suites.memory.ipc.keys import D2D, D2H, DEFAULT, H2D, Process
from suites.memory.virtual.properties import KIB

_SYNC, _ASYNC = "aclrtMemcpy", "aclrtMemcpyAsync"
_PART = 64 * KIB
"""Bytes of the imported memory that are copied: what they lead to is asked, not how they are moved."""


@dataclass(frozen=True)
class RemoteCopy:
    """A copy between imported memory and memory of the importer, on its device or page-locked on its host."""

    api: str
    kind: str
    with_host: bool
    out: bool = True
    """Whether the imported memory is the source; it is written with what it holds already otherwise."""

    def __str__(self) -> str:
        way = self.kind.removeprefix("ACL_MEMCPY_").lower().replace("_", "-")
        side = f"{'to' if self.out else 'from'}-{'host' if self.with_host else 'device'}"
        return f"{'async' if self.api == _ASYNC else 'sync'}-{way}-{side}"

    def run(self, importer: Process, seen: Block, data: Bytes) -> str:
        """What the copy has led to, in words; `data` is what the imported memory holds."""
        told = importer.told(lambda: self._copied(importer, seen, data))
        return f"{self}: {told}"

    def _copied(self, importer: Process, seen: Block, data: Bytes) -> str:
        data = data[:_PART]
        size = len(data)
        own = self._own(importer, size, data)
        to, source = (own, seen.ptr) if self.out else (seen.ptr, own)
        args = {"dst": to, "destMax": size, "src": source, "count": size, "kind": self.kind}
        if self.api == _ASYNC:
            args["stream"] = int(importer.memory.call("aclrtCreateStream").stream)
        result = importer.call(self.api, **args)
        if not result.ok:
            return f"refused with {result.name}"
        if self.api == _ASYNC:
            waited = importer.call("aclrtSynchronizeStream", stream=args["stream"])
            if not waited.ok:
                return f"accepted, then {waited.name}"
        if not self.out:
            return "done"
        kind = "ACL_MEMCPY_HOST_TO_HOST" if self.with_host else D2H
        room = importer.call(_SYNC, dst=bytes(size), destMax=size, src=own, count=size, kind=kind)
        return "the right bytes" if room.ok and room["dst"] == data.tobytes() else "other bytes"

    def _own(self, importer: Process, size: int, data: Bytes) -> int:
        if not self.with_host:
            block = importer.memory.block(size)
            return (block if self.out else block.write(data)).ptr
        address = int(importer.memory.call("aclrtMallocHost", size=size).hostPtr)
        source = (b"\xee" * size) if self.out else data.tobytes()
        kind = "ACL_MEMCPY_HOST_TO_HOST"
        importer.memory.call(_SYNC, dst=address, destMax=size, src=source, count=size, kind=kind)
        return address


EVERY_COPY = (
    RemoteCopy(_ASYNC, D2D, with_host=False),
    RemoteCopy(_ASYNC, D2D, with_host=False, out=False),
    RemoteCopy(_SYNC, D2D, with_host=False),
    RemoteCopy(_SYNC, D2H, with_host=True),
    RemoteCopy(_SYNC, H2D, with_host=True, out=False),
    RemoteCopy(_ASYNC, D2H, with_host=True),
    RemoteCopy(_ASYNC, H2D, with_host=True, out=False),
    RemoteCopy(_SYNC, DEFAULT, with_host=True),
    RemoteCopy(_ASYNC, DEFAULT, with_host=True),
)
"""The copies that the documents speak of for memory of another device."""


def every_copy(importer: Process, seen: Block, data: Bytes) -> str:
    """What each kind of copy has led to, one after the other; `data` is what the imported memory holds."""
    return "; ".join(copy.run(importer, seen, data) for copy in EVERY_COPY)
