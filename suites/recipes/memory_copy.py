"""Valid calls of chapter 11-03: copies and fills."""

from __future__ import annotations

import struct
from collections.abc import Callable
from typing import Any

from harness.binding import Result
from harness.device import pattern
from harness.plugin import Block
from suites.recipes import Bench, Call, recipe

SIZE = 64
PIECES = 4
INNER = "ACL_MEMCPY_INNER_DEVICE_TO_DEVICE"
TO_DEVICE = "ACL_MEMCPY_HOST_TO_DEVICE"


def filled(block: Block) -> Block:
    """The block with bytes that tell where they belong."""
    return block.write(pattern(block.size, 1))


def waiting(bench: Bench, stream: int) -> Callable[[], Result]:
    """Wait for every stream of the device, or for the one stream where the product can do only that."""
    call = bench.case.engine.c.call
    if bench.case.supports("aclrtSynchronizeDevice"):
        return lambda: call("aclrtSynchronizeDevice")
    return lambda: call("aclrtSynchronizeStream", stream=stream)


def streamed(bench: Bench, call: Call) -> Call:
    """The same call on a stream, with something to wait for."""
    call.args["stream"] = stream = bench.stream()
    call.settle = waiting(bench, stream)
    return call


@recipe("aclrtMemcpy")
def memcpy(bench: Bench) -> Call:
    """64 bytes from host memory, pinned where the product has it, to the device."""
    source, target = filled(bench.memory.host(SIZE)), bench.memory.device(SIZE)
    args = {"dst": target.ptr, "destMax": SIZE, "src": source.ptr, "count": SIZE, "kind": TO_DEVICE}
    return Call(args, watch=(source, target))


@recipe("aclrtMemcpyAsync", "aclrtMemcpyAsyncWithCondition")
def memcpy_async(bench: Bench) -> Call:
    """64 bytes to the device on a stream."""
    return streamed(bench, memcpy(bench))


@recipe("aclrtMemcpy2d")
def memcpy2d(bench: Bench) -> Call:
    """Four rows of 8 bytes, 16 apart on both sides, to the device."""
    source, target = filled(bench.memory.host(SIZE)), bench.memory.device(SIZE)
    shape = {"dpitch": 16, "spitch": 16, "width": 8, "height": 4}
    return Call({"dst": target.ptr, "src": source.ptr, **shape, "kind": TO_DEVICE}, watch=(source, target))


@recipe("aclrtMemcpy2dAsync")
def memcpy2d_async(bench: Bench) -> Call:
    """Four rows to the device on a stream."""
    return streamed(bench, memcpy2d(bench))


@recipe("aclrtMemcpyBatch", "aclrtMemcpyBatchV2")
def memcpy_batch(bench: Bench) -> Call:
    """Four pieces of 64 bytes, each 256 from the next, to the device, under one attribute entry."""
    step = 4 * SIZE
    source, target = filled(bench.memory.host(PIECES * step)), bench.memory.device(PIECES * step)
    device = {"id": 0, "type": "ACL_MEM_LOCATION_TYPE_DEVICE"}
    host = {"id": 0, "type": "ACL_MEM_LOCATION_TYPE_HOST"}
    args: dict[str, Any] = {
        "dsts": [target.at(piece * step) for piece in range(PIECES)],
        "destMaxs": [SIZE] * PIECES,
        "srcs": [source.at(piece * step) for piece in range(PIECES)],
        "sizes": [SIZE] * PIECES,
        "numBatches": PIECES,
        "attrs": [{"dstLoc": device, "srcLoc": host, "rsv": [0] * 16}],
        "attrsIndexes": [0],
        "numAttrs": 1,
    }
    return Call(args, watch=(source, target))


@recipe("aclrtMemcpyBatchAsync", "aclrtMemcpyBatchAsyncV2")
def memcpy_batch_async(bench: Bench) -> Call:
    """Four pieces to the device on a stream."""
    return streamed(bench, memcpy_batch(bench))


@recipe("aclrtGetMemcpyDescSize")
def get_memcpy_desc_size(bench: Bench) -> Call:
    """The size of a descriptor of the one kind there is."""
    return Call({"kind": INNER})


def descriptor(bench: Bench) -> Block:
    """Device memory for a descriptor, with 64 bytes to spare for a wrong start."""
    supported = bench.case.supports("aclrtGetMemcpyDescSize")
    size = bench.call("aclrtGetMemcpyDescSize", kind=INNER).descSize if supported else SIZE
    return bench.memory.device(size + 64)


@recipe("aclrtSetMemcpyDesc")
def set_memcpy_desc(bench: Bench) -> Call:
    """64 bytes between two blocks of the device."""
    desc = descriptor(bench)
    source, target = filled(bench.memory.device(SIZE)), bench.memory.device(SIZE)
    ends = {"srcAddr": source.ptr, "dstAddr": target.ptr, "count": SIZE}
    return Call({"desc": desc.ptr, "kind": INNER, **ends, "config": None}, watch=(desc, source, target))


@recipe("aclrtMemcpyAsyncWithDesc")
def memcpy_async_with_desc(bench: Bench) -> Call:
    """What a descriptor of 64 bytes describes, on a stream."""
    made = set_memcpy_desc(bench)
    if bench.case.supports("aclrtSetMemcpyDesc"):
        bench.call("aclrtSetMemcpyDesc", **made.args)
    _, source, target = made.watch
    return streamed(bench, Call({"desc": made.args["desc"], "kind": INNER}, watch=(source, target)))


@recipe("aclrtMemcpyAsyncWithOffset")
def memcpy_async_with_offset(bench: Bench) -> Call:
    """64 bytes from 64 past one block's start to 128 past another's; both starts stand in device memory."""
    source, target = filled(bench.memory.device(256)), bench.memory.device(256)
    slots = [bench.memory.device(8).write(struct.pack("<Q", block.ptr)) for block in (target, source)]
    args = {
        "dst": slots[0].ptr,
        "destMax": 256,
        "dstDataOffset": 128,
        "src": slots[1].ptr,
        "count": SIZE,
        "srcDataOffset": 64,
        "kind": INNER,
    }
    return streamed(bench, Call(args, watch=(source, target, *slots)))


@recipe("aclrtMemset")
def memset(bench: Bench) -> Call:
    """64 bytes of device memory."""
    block = bench.memory.device(SIZE)
    return Call({"devPtr": block.ptr, "maxCount": SIZE, "value": 0x5A, "count": SIZE}, watch=(block,))


@recipe("aclrtMemsetAsync")
def memset_async(bench: Bench) -> Call:
    """64 bytes of device memory on a stream."""
    return streamed(bench, memset(bench))


@recipe("aclrtMemsetD32")
def memset_d32(bench: Bench) -> Call:
    """Sixteen words of device memory."""
    block = bench.memory.device(SIZE)
    return Call({"ptr": block.ptr, "memSize": SIZE, "value": 0x01020304, "N": SIZE // 4}, watch=(block,))


@recipe("aclrtMemsetD32Async")
def memset_d32_async(bench: Bench) -> Call:
    """Sixteen words of device memory on a stream."""
    return streamed(bench, memset_d32(bench))
