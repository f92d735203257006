"""Valid calls of chapters 11-05 and 11-06: managed memory, what addresses are, cache operations.

Where a product has no managed memory, a recipe takes ordinary device memory, so that a refusal is the only
sensible answer.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import Any

from harness.binding import Result
from harness.device import require
from harness.plugin import Block
from suites.memory.copy.peers import Peer
from suites.memory.unified.models import BoundStream
from suites.memory.unified.places import GLOBAL, ON_DEVICE, ON_HOST, READ_MOSTLY, STEP
from suites.recipes import Bench, Call, recipe

_PIECES = 4
_BYTES = 4096


def _has_managed(bench: Bench) -> bool:
    return bench.case.supports("aclrtMemAllocManaged")


def _managed(bench: Bench, size: int) -> int:
    """The start of fresh managed memory."""
    if not _has_managed(bench):
        return bench.memory.device(_BYTES).ptr
    start = int(bench.call("aclrtMemAllocManaged", size=size, flag=GLOBAL).ptr)
    bench.afterwards("aclrtFree", devPtr=start)
    return start


def _waiting(bench: Bench, call: Call) -> Callable[[], Result]:
    """How to wait for the stream that a call names in the end."""
    return lambda: bench.case.engine.c.call("aclrtSynchronizeStream", stream=call.args["stream"])


def _queued(bench: Bench, args: dict[str, Any], *watch: Block, control: bool = True) -> Call:
    """A call on a stream, with something to wait for."""
    call = Call({**args, "stream": bench.stream()}, watch=watch, control=control)
    call.settle = _waiting(bench, call)
    return call


# Managed memory


@recipe("aclrtMemAllocManaged")
def mem_alloc_managed(bench: Bench) -> Call:
    """2 MiB for the host and every device."""
    free = partial(bench.case.engine.c.call, "aclrtFree")
    return Call({"size": STEP, "flag": GLOBAL}, undo=lambda result: free(devPtr=result.outputs.get("ptr")))


@recipe("aclrtMemManagedAdvise")
def mem_managed_advise(bench: Bench) -> Call:
    """Device 0 as the place that the first half of a fresh block prefers."""
    args = {"ptr": _managed(bench, 2 * STEP), "size": STEP, "location": dict(ON_DEVICE)}
    args["advise"] = "ACL_MEM_ADVISE_SET_PREFERRED_LOCATION"
    return Call(args, control=_has_managed(bench))


@recipe("aclrtMemManagedGetAttr")
def mem_managed_get_attr(bench: Bench) -> Call:
    """Whether a fresh block is read mostly."""
    room = bench.memory.pageable(64)
    args = {"attribute": READ_MOSTLY, "ptr": _managed(bench, STEP), "size": STEP, "data": room, "dataSize": 4}
    return Call(args, watch=(room,), control=_has_managed(bench))


@recipe("aclrtMemManagedGetAttrs")
def mem_managed_get_attrs(bench: Bench) -> Call:
    """One attribute: whether a fresh block is read mostly."""
    room = bench.memory.pageable(64)
    args = {"ptr": _managed(bench, STEP), "size": STEP, "numAttributes": 1}
    lists = {"attributes": [READ_MOSTLY], "data": [room.ptr], "dataSizes": [4]}
    return Call({**args, **lists}, watch=(room,), control=_has_managed(bench))


@recipe("aclrtMemManagedPrefetchAsync")
def mem_managed_prefetch_async(bench: Bench) -> Call:
    """Half a block to device 0."""
    args = {"ptr": _managed(bench, 2 * STEP), "size": STEP, "location": dict(ON_DEVICE), "flags": 0}
    return _queued(bench, args, control=_has_managed(bench))


@recipe("aclrtMemManagedPrefetchBatchAsync")
def mem_managed_prefetch_batch_async(bench: Bench) -> Call:
    """Four pieces of a block: the first two to device 0, the others to the host."""
    start = _managed(bench, _PIECES * STEP)
    args = {"ptrs": [start + piece * STEP for piece in range(_PIECES)], "sizes": [STEP] * _PIECES}
    places = {"prefetchLocs": [dict(ON_DEVICE), dict(ON_HOST)], "prefetchLocIdxs": [0, 2]}
    counts = {"count": _PIECES, "numPrefetchLocs": 2, "flags": 0}
    return _queued(bench, {**args, **places, **counts}, control=_has_managed(bench))


# Peers and addresses


@recipe("aclrtMemP2PMap")
def mem_p2p_map(bench: Bench) -> Call:
    """A block of device 0 for device 1, with access enabled; device 0 itself where there is no second one."""
    block = bench.memory.device(_BYTES)
    reachable = _open_peer(bench)
    args = {"devPtr": block, "size": _BYTES, "dstDevId": int(reachable), "flags": 0}
    return Call(args, watch=(block,), control=reachable)


def _open_peer(bench: Bench) -> bool:
    """Enable access between the first two devices, until the end; whether that can be had."""
    c, case = bench.case.engine.c, bench.case
    if not case.supports("aclrtMemP2PMap") or bench.extra("device_count") < 2:
        return False
    asked = c.call("aclrtDeviceCanAccessPeer", deviceId=0, peerDeviceId=1)
    if not require(asked, "asking for peer access").canAccessPeer:
        return False
    peer = Peer(case, 1)
    peer.__enter__()
    bench.at_end(lambda: peer.__exit__())
    peer.open()
    return True


@recipe("aclrtPointerGetAttributes")
def pointer_get_attributes(bench: Bench) -> Call:
    """A block of device 0."""
    return Call({"ptr": bench.memory.device(_BYTES)})


# Cache operations


@recipe("aclrtCmoAsync")
def cmo_async(bench: Bench) -> Call:
    """A block of device 0 into the cache."""
    block = bench.memory.device(_BYTES)
    return _queued(bench, {"src": block, "size": _BYTES, "cmoType": "ACL_RT_CMO_TYPE_PREFETCH"}, block)


@recipe("aclrtCmoAsyncWithBarrier")
def cmo_async_with_barrier(bench: Bench) -> Call:
    """The cached bytes of a block dropped, with barrier 1, on a stream that is bound to a model."""
    block = bench.memory.device(_BYTES)
    args = {"src": block, "size": _BYTES, "cmoType": "ACL_RT_CMO_TYPE_INVALID", "barrierId": 1}
    return _bound(bench, "aclrtCmoAsyncWithBarrier", args, block)


@recipe("aclrtCmoWaitBarrier")
def cmo_wait_barrier(bench: Bench) -> Call:
    """A wait for barrier 1 on a stream that is bound to a model."""
    info = {"cmoType": "ACL_RT_CMO_TYPE_INVALID", "barrierId": 1}
    task = {"barrierNum": 1, "cmoInfo": [dict(info) for _ in range(6)]}
    return _bound(bench, "aclrtCmoWaitBarrier", {"taskInfo": task, "flag": 0})


def _bound(bench: Bench, api: str, args: dict[str, Any], *watch: Block) -> Call:
    """A call on a stream that is bound to a model; on any stream where the function is not supported."""
    if not bench.case.supports(api):
        return _queued(bench, args, *watch, control=False)
    bound = BoundStream(bench.case.engine.c)
    bench.at_end(bound.give_back)
    return Call({**args, "stream": bound.stream}, watch=watch)


# Cache operations by descriptor


@recipe("aclrtCmoGetDescSize")
def cmo_get_desc_size(bench: Bench) -> Call:
    """The size of a descriptor."""
    return Call({})


def _descriptor(bench: Bench) -> Block:
    """Room for a descriptor in device memory."""
    known = bench.case.supports("aclrtCmoGetDescSize")
    return bench.memory.device(int(bench.call("aclrtCmoGetDescSize").size) if known else 64)


@recipe("aclrtCmoSetDesc")
def cmo_set_desc(bench: Bench) -> Call:
    """A descriptor of a block of device 0."""
    descriptor, block = _descriptor(bench), bench.memory.device(_BYTES)
    return Call({"cmoDesc": descriptor, "src": block, "size": _BYTES}, watch=(descriptor, block))


@recipe("aclrtCmoAsyncWithDesc")
def cmo_async_with_desc(bench: Bench) -> Call:
    """The block that a descriptor tells into the cache."""
    descriptor, block = _descriptor(bench), bench.memory.device(_BYTES)
    if bench.case.supports("aclrtCmoSetDesc"):
        bench.call("aclrtCmoSetDesc", cmoDesc=descriptor, src=block, size=_BYTES)
        descriptor.snapshot()
    args = {"cmoDesc": descriptor, "cmoType": "ACL_RT_CMO_TYPE_PREFETCH", "reserve": None}
    return _queued(bench, args, descriptor, block)
