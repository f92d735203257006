"""Valid calls of the allocator functions."""

from __future__ import annotations

from typing import Any

from suites.memory.allocator.hooks import Hooks
from suites.recipes import Bench, Call, recipe
from suites.recipes.memory_alloc import Means

_OBJECT = 0x5EED


class _Parts:
    """Descriptors, callbacks and registrations for one call."""

    def __init__(self, bench: Bench) -> None:
        self.bench = bench
        self.means = Means(bench)
        self.hooks = Hooks(bench.case.engine.library)

    def descriptor(self) -> int:
        """A fresh descriptor; the address of host memory where the product has no descriptors."""
        if not self.bench.case.supports("aclrtAllocatorCreateDesc"):
            return self.bench.memory.pageable(4096).fill(0).ptr
        return int(self.means.needed("aclrtAllocatorCreateDesc").value)

    def complete(self) -> int:
        """A descriptor with everything set."""
        descriptor = self.descriptor()
        if self.bench.case.supports("aclrtAllocatorCreateDesc"):
            for api, value in self.hooks.settings(_OBJECT):
                self.means.needed(api, allocatorDesc=descriptor, **value)
        return descriptor

    def registered(self) -> int:
        """A stream with an allocator, where the product knows registrations."""
        stream, descriptor = self.bench.extra("stream"), self.complete()
        if self.bench.case.supports("aclrtAllocatorRegister"):
            self.means.needed("aclrtAllocatorRegister", stream=stream, allocatorDesc=descriptor)
        return stream

    def set(self, api: str) -> Call:
        """One setting of a fresh descriptor."""
        value = dict(self.hooks.settings(_OBJECT))[api]
        return Call({"allocatorDesc": self.descriptor(), **value})


@recipe("aclrtAllocatorCreateDesc")
def create_desc(bench: Bench) -> Call:
    """Nothing is asked for but a descriptor."""
    return Means(bench).call("aclrtAllocatorCreateDesc", {})


@recipe("aclrtAllocatorDestroyDesc")
def destroy_desc(bench: Bench) -> Call:
    """A descriptor with nothing set."""
    parts = _Parts(bench)
    return parts.means.call("aclrtAllocatorDestroyDesc", {"allocatorDesc": parts.descriptor()})


@recipe("aclrtAllocatorSetObjToDesc")
def set_obj(bench: Bench) -> Call:
    """Any number but 0."""
    return _Parts(bench).set("aclrtAllocatorSetObjToDesc")


@recipe("aclrtAllocatorSetAllocFuncToDesc")
def set_alloc(bench: Bench) -> Call:
    """A callback that allocates."""
    return _Parts(bench).set("aclrtAllocatorSetAllocFuncToDesc")


@recipe("aclrtAllocatorSetAllocAdviseFuncToDesc")
def set_alloc_advise(bench: Bench) -> Call:
    """A callback that allocates near an address."""
    return _Parts(bench).set("aclrtAllocatorSetAllocAdviseFuncToDesc")


@recipe("aclrtAllocatorSetFreeFuncToDesc")
def set_free(bench: Bench) -> Call:
    """A callback that releases."""
    return _Parts(bench).set("aclrtAllocatorSetFreeFuncToDesc")


@recipe("aclrtAllocatorSetGetAddrFromBlockFuncToDesc")
def set_get_addr(bench: Bench) -> Call:
    """A callback that tells a block's address."""
    return _Parts(bench).set("aclrtAllocatorSetGetAddrFromBlockFuncToDesc")


@recipe("aclrtAllocatorRegister")
def register(bench: Bench) -> Call:
    """A complete descriptor for a stream."""
    parts = _Parts(bench)
    args: dict[str, Any] = {"stream": bench.extra("stream"), "allocatorDesc": parts.complete()}
    return parts.means.call("aclrtAllocatorRegister", args)


@recipe("aclrtAllocatorGetByStream")
def get_by_stream(bench: Bench) -> Call:
    """A stream with an allocator."""
    return Call({"stream": _Parts(bench).registered()})


@recipe("aclrtAllocatorUnregister")
def unregister(bench: Bench) -> Call:
    """A stream with an allocator."""
    parts = _Parts(bench)
    return parts.means.call("aclrtAllocatorUnregister", {"stream": parts.registered()})
