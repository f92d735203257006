"""Valid calls of chapters 11-09 to 11-11: values on streams, memory pools, device variables.

Where a product has no pools, a recipe makes a handle up, so that a refusal is the only sensible answer.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import Any

from harness.plugin import Block
from suites.memory.stream.conditions import NOR
from suites.memory.stream.pool_books import PoolBooks
from suites.memory.stream.pools import STEP, THRESHOLD, properties
from suites.memory.stream.variables import BYTES, INITIAL, Variables
from suites.memory.virtual.properties import MIB
from suites.recipes import Bench, Call, recipe
from suites.tracked import Tracked

_POOL_SIZE = 64 * MIB
_COUNT = 16
"""Bytes of a variable that are copied."""


def _waiting(bench: Bench, stream: int) -> Callable[[], Any]:
    """How to wait for a stream."""
    return partial(bench.case.engine.c.call, "aclrtSynchronizeStream", stream=stream)


# Values on streams


@recipe("aclrtValueWrite")
def value_write(bench: Bench) -> Call:
    """A value into a block of 64 bytes."""
    block, stream = bench.memory.device(64), bench.stream()
    args = {"devAddr": block, "value": 0x1122334455667788, "flag": 0, "stream": stream}
    return Call(args, watch=(block,), settle=_waiting(bench, stream))


@recipe("aclrtValueWait")
def value_wait(bench: Bench) -> Call:
    """A condition that hardly any word misses: some bit of it is 0."""
    block, stream = bench.memory.device(64), bench.stream()
    args = {"devAddr": block, "value": 0, "flag": NOR, "stream": stream}
    return Call(args, watch=(block,), settle=_waiting(bench, stream))


# Memory pools


class _Means:
    """Pools for one call: what the recipe has taken, and what the call takes, is given back."""

    def __init__(self, bench: Bench) -> None:
        self.bench = bench
        self._books = PoolBooks()
        c = bench.case.engine.c
        self._tracked = Tracked(c, c, self._books)
        self.exist = bench.case.supports("aclrtMemPoolCreate")
        """Whether there are pools here at all."""
        bench.at_end(lambda: self._books.give_back(c))

    def needed(self, api: str, **args: Any) -> Any:
        """A call that must succeed."""
        result = self._tracked.call(api, **args)
        assert result.ok, f"{api} returned {result.name}"
        return result

    def pool(self) -> int:
        """A fresh pool."""
        if not self.exist:
            return self.bench.extra("pageable_block")
        return int(self.needed("aclrtMemPoolCreate", poolProps=properties(_POOL_SIZE)).memPool)

    def block(self, stream: int) -> int:
        """A block of a fresh pool; ordinary device memory where there are no pools."""
        if not self.exist:
            return self.bench.memory.device(4096).ptr
        asked = {"size": 4096, "memPool": self.pool(), "stream": stream}
        return int(self.needed("aclrtMemPoolMallocAsync", **asked).ptr)

    def call(self, api: str, args: dict[str, Any], *watch: Block) -> Call:
        """A call whose effects are taken down and undone."""
        call = Call(args, watch=watch, control=self.exist)
        call.undo = lambda result: self._books.note(api, call.args, result)
        return call

    def attribute(self, api: str, value: int) -> Call:
        """A call about the release threshold, with this value in memory."""
        room = self.bench.memory.pageable(64).write(value.to_bytes(8, "little"))
        return self.call(api, {"memPool": self.pool(), "attr": THRESHOLD, "value": room}, room)


@recipe("aclrtMemPoolCreate")
def mem_pool_create(bench: Bench) -> Call:
    """A pool of 64 MiB."""
    return _Means(bench).call("aclrtMemPoolCreate", {"poolProps": properties(_POOL_SIZE)})


@recipe("aclrtMemPoolDestroy")
def mem_pool_destroy(bench: Bench) -> Call:
    """A pool that was never used."""
    means = _Means(bench)
    return means.call("aclrtMemPoolDestroy", {"memPool": means.pool()})


@recipe("aclrtMemPoolSetAttr")
def mem_pool_set_attr(bench: Bench) -> Call:
    """A release threshold of 2 MiB."""
    return _Means(bench).attribute("aclrtMemPoolSetAttr", STEP)


@recipe("aclrtMemPoolGetAttr")
def mem_pool_get_attr(bench: Bench) -> Call:
    """The release threshold."""
    return _Means(bench).attribute("aclrtMemPoolGetAttr", 0xAAAA)


@recipe("aclrtMemPoolMallocAsync")
def mem_pool_malloc_async(bench: Bench) -> Call:
    """4096 bytes of a fresh pool."""
    means = _Means(bench)
    args = {"size": 4096, "memPool": means.pool(), "stream": bench.stream()}
    return means.call("aclrtMemPoolMallocAsync", args)


@recipe("aclrtMemPoolFreeAsync")
def mem_pool_free_async(bench: Bench) -> Call:
    """A block of a fresh pool, on its stream."""
    means, stream = _Means(bench), bench.stream()
    return means.call("aclrtMemPoolFreeAsync", {"ptr": means.block(stream), "stream": stream})


@recipe("aclrtMemPoolTrimTo")
def mem_pool_trim_to(bench: Bench) -> Call:
    """A pool that was never used gives everything back."""
    means = _Means(bench)
    return means.call("aclrtMemPoolTrimTo", {"memPool": means.pool(), "minBytesToKeep": 0})


# Device variables


def _symbol(bench: Bench) -> tuple[int, bool]:
    """A device variable, and whether there is one; host memory that is none otherwise."""
    variables = Variables(bench.case, bench.memory, bench.at_end)
    exist = variables.there and bench.case.supports("aclrtGetSymbolAddress")
    return (variables.named(BYTES).symbol if exist else bench.extra("pageable_block2")), exist


@recipe("aclrtGetSymbolAddress", "aclrtGetSymbolSize")
def get_symbol(bench: Bench) -> Call:
    """A device variable."""
    symbol, exist = _symbol(bench)
    return Call({"symbol": symbol}, control=exist)


def _copy(bench: Bench, to_host: bool, queued: bool) -> Call:
    symbol, exist = _symbol(bench)
    host = bench.memory.host(len(INITIAL[BYTES]))
    args: dict[str, Any] = {"symbol": symbol, "count": _COUNT, "offset": 8}
    args["kind"] = f"ACL_MEMCPY_{'DEVICE_TO_HOST' if to_host else 'HOST_TO_DEVICE'}"
    args.update({"dst": host, "dstMax": _COUNT} if to_host else {"src": host})
    if not queued:
        return Call(args, watch=(host,), control=exist)
    args["stream"] = bench.stream()
    return Call(args, watch=(host,), settle=_waiting(bench, args["stream"]), control=exist)


@recipe("aclrtMemcpyFromSymbol")
def memcpy_from_symbol(bench: Bench) -> Call:
    """16 bytes of a device variable to the host."""
    return _copy(bench, to_host=True, queued=False)


@recipe("aclrtMemcpyFromSymbolAsync")
def memcpy_from_symbol_async(bench: Bench) -> Call:
    """16 bytes of a device variable to the host, on a stream."""
    return _copy(bench, to_host=True, queued=True)


@recipe("aclrtMemcpyToSymbol")
def memcpy_to_symbol(bench: Bench) -> Call:
    """16 bytes of the host to a device variable."""
    return _copy(bench, to_host=False, queued=False)


@recipe("aclrtMemcpyToSymbolAsync")
def memcpy_to_symbol_async(bench: Bench) -> Call:
    """16 bytes of the host to a device variable, on a stream."""
    return _copy(bench, to_host=False, queued=True)
