"""From a benchmark to its plan: which calls the measuring loop makes in which phase, and what times mean."""

from __future__ import annotations

import ctypes
import itertools
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Literal, cast

from harness.benchmark.catalogue import PIECES, Benchmark
from harness.benchmark.probe import Area, Call, Plan
from harness.benchmark.workbench import Lane, Workbench, floats
from harness.device import Block, BlockKind

H2D, D2H, D2D = "ACL_MEMCPY_HOST_TO_DEVICE", "ACL_MEMCPY_DEVICE_TO_HOST", "ACL_MEMCPY_DEVICE_TO_DEVICE"
_KINDS = {"h2d": H2D, "d2h": D2H, "d2d": D2D, "peer": D2D}
_DESCRIBED = "ACL_MEMCPY_INNER_DEVICE_TO_DEVICE"
_VERIFY_EVERY = 64 << 10
_MEMSET_BYTE = 0x5A
_SMALL_QUEUE = 64


@dataclass
class Made:
    """A plan, and how its times are to be read.

    `times`: `calls` (host time of the body) or `lanes` (device time of each lane; two lanes have their common
    window behind them).
    """

    plan: Plan
    times: Literal["calls", "lanes"]
    bytes: int = 0
    """Bytes that one repeat of the body moves, over all lanes."""
    lanes: int = 1
    deepest: int = 1
    """How many repeats one sample may have."""
    every: bool = False
    """Whether the data of every sample is compared."""
    verified: bool = True
    flags: list[str] = field(default_factory=list)


def make(bench: Workbench, what: Benchmark) -> Made:
    """The plan of a copy or fill of this benchmark; ValueError for any other."""
    if what.direction == "both":
        return _both(bench, what)
    if what.direction == "set":
        return _fill(bench, what)
    if what.direction in _KINDS:
        return _copy(bench, what)
    raise ValueError(f"{what.series} is no copy")


@dataclass(frozen=True)
class _Ends:
    """The two ends of a copy, and how its data is brought and compared."""

    to: Block
    source: Block
    fill: Area
    verify: Area
    prepare: tuple[Call, ...]
    check: tuple[Call, ...]


def _span(what: Benchmark) -> tuple[int, int, int]:
    """Width, height and pitch of the rows of a copy; one row where it is plain."""
    if not what.width:
        return what.size, 1, what.size
    return what.width, what.size // what.width, what.pitch


def _ends(bench: Workbench, what: Benchmark, lane: int = 0) -> _Ends:
    """Blocks for one copy. Device ends get and give their bytes through pageable staging memory."""
    width, height, pitch = _span(what)
    room = pitch * height
    direction = what.direction

    def block(kind: BlockKind, role: str = "first") -> Block:
        return bench.block(kind, f"{role}{lane}", room)

    def bring(to: Block, source: Block, kind: str) -> Call:
        return bench.native("aclrtMemcpy", to.ptr, room, source.ptr, room, bench.value(kind))

    memory = cast(BlockKind, what.memory)
    prepare: tuple[Call, ...] = ()
    check: tuple[Call, ...] = ()
    # Both directions use the same blocks: a sweep does not hold more memory than it needs.
    if direction == "h2d":
        source, to = block(memory), block("device")
        filled, compared = source, block("pageable", "back")
        check = (bring(compared, to, D2H),)
    elif direction == "d2h":
        source, to = block("device"), block(memory)
        filled, compared = block("pageable", "back"), to
        prepare = (bring(source, filled, H2D),)
    else:
        filled, compared = block("pageable"), block("pageable", "back")
        source = block("device")
        to = _peer_block(bench, room) if direction == "peer" else block("device", "second")
        prepare, check = (bring(source, filled, H2D),), (bring(compared, to, D2H),)
    return _Ends(
        to,
        source,
        Area(filled.ptr, width, height, pitch),
        Area(compared.ptr, width, height, pitch),
        prepare,
        check,
    )


def _peer_block(bench: Workbench, size: int) -> Block:
    """A block of the second device, with access opened from the first one."""
    call = bench.call
    context = int(call("aclrtGetCurrentContext").context)
    call("aclrtDeviceEnablePeerAccess", peerDeviceId=1, flags=0)
    call("aclrtSetDevice", deviceId=1)
    made = bench.block("device", "peer", size)
    bench.at_end(lambda: call("aclrtSetCurrentContext", context=context))
    call("aclrtSetCurrentContext", context=context)
    bench.at_end(lambda: call("aclrtDeviceDisablePeerAccess", peerDeviceId=1))
    return made


def _copy(bench: Workbench, what: Benchmark) -> Made:
    ends = _ends(bench, what)
    plan = Plan(body=(), prepare=ends.prepare, check=ends.check, fill=ends.fill, verify=ends.verify)
    every = what.size <= _VERIFY_EVERY
    # A percentile of operations needs them one by one.
    deepest = 1 if what.quantity == "latency" else _SMALL_QUEUE
    moved = what.size * (PIECES if what.mode.startswith("batch") else 1)
    kind = bench.value(_DESCRIBED if what.mode == "descriptor" else _KINDS[what.direction])
    to, source, size = ends.to.ptr, ends.source.ptr, what.size
    if what.mode == "sync":
        plan.body = (bench.native("aclrtMemcpy", to, size, source, size, kind),)
        return Made(plan, "calls", size, deepest=deepest, every=every)
    if what.mode == "batch-sync":
        plan.body = (bench.native(what.api, *_batch(bench, what, plan, ends)),)
        return Made(plan, "calls", moved, deepest=_SMALL_QUEUE, every=every)
    if what.mode == "roundtrip" or what.memory == "pageable":
        # A pageable copy blocks behind its stream's work: a gate before it would never open.
        stream = bench.lane().stream
        plan.body = (
            bench.native("aclrtMemcpyAsync", to, size, source, size, kind, stream),
            bench.native("aclrtSynchronizeStream", stream),
        )
        return Made(plan, "calls", size, deepest=deepest, every=every)
    bodies: dict[str, Callable[[Lane], Call]] = {
        "async": lambda lane: bench.native(what.api, to, size, source, size, kind, lane.stream),
        "batch-async": lambda lane: bench.native(what.api, *_batch(bench, what, plan, ends), lane.stream),
        "descriptor": lambda lane: _described(bench, ends, size, kind, lane),
        "rows-async": lambda lane: bench.native(
            what.api, to, what.pitch, source, what.pitch, what.width, size // what.width, kind, lane.stream
        ),
    }
    lane = bench.lane()
    _gate(bench, plan, [lane], [bodies[what.mode](lane)])
    return Made(plan, "lanes", moved, deepest=_SMALL_QUEUE, every=every)


def _gate(bench: Workbench, plan: Plan, lanes: list[Lane], bodies: list[Call]) -> None:
    """Shut a gate before the lanes' work, take device time around it, and open them once it is queued."""
    native = bench.native
    number = len(lanes)
    times = plan.elapsed = floats(number if number == 1 else number + 2)
    at = ctypes.addressof(times)
    plan.open = [native("aclrtWaitAndResetNotify", lane.gate, lane.stream, 0) for lane in lanes]
    # The host opens the first gate, and that lane the next one: nothing of the host comes between two starts.
    plan.open += [
        native("aclrtRecordNotify", following.gate, lane.stream)
        for lane, following in itertools.pairwise(lanes)
    ]
    plan.open += [native("aclrtRecordEvent", lane.start, lane.stream) for lane in lanes]
    plan.body = bodies
    plan.close = [native("aclrtRecordEvent", lane.end, lane.stream) for lane in lanes]
    plan.release = [native("aclrtRecordNotify", lanes[0].gate, bench.gate_stream)]
    plan.wait = [native("aclrtSynchronizeStream", lane.stream) for lane in lanes]
    plan.read = [
        native("aclrtEventElapsedTime", at + 4 * position, lane.start, lane.end)
        for position, lane in enumerate(lanes)
    ]
    if number == 2:
        first, second = lanes
        plan.read = [
            *plan.read,
            native("aclrtEventElapsedTime", at + 8, first.start, second.start),
            native("aclrtEventElapsedTime", at + 12, first.start, second.end),
        ]


def _both(bench: Workbench, what: Benchmark) -> Made:
    """Both directions at once: a lane each, opened together."""
    down = _ends(
        bench, Benchmark(what.series, what.quantity, what.api, what.size, "h2d", what.memory, what.mode)
    )
    up = _ends(
        bench, Benchmark(what.series, what.quantity, what.api, what.size, "d2h", what.memory, what.mode), 1
    )
    plan = Plan(body=(), prepare=down.prepare, check=down.check, fill=down.fill, verify=down.verify)
    lanes = [bench.lane(0), bench.lane(1)]
    bodies = [
        bench.native(
            "aclrtMemcpyAsync",
            ends.to.ptr,
            what.size,
            ends.source.ptr,
            what.size,
            bench.value(kind),
            lane.stream,
        )
        for ends, kind, lane in zip((down, up), (H2D, D2H), lanes, strict=True)
    ]
    _gate(bench, plan, lanes, bodies)
    return Made(plan, "lanes", 2 * what.size, lanes=2, deepest=_SMALL_QUEUE, every=what.size <= _VERIFY_EVERY)


def _fill(bench: Workbench, what: Benchmark) -> Made:
    to, front, back = (
        bench.block("device", "first0", what.size),
        bench.block("pageable", "first0", what.size),
        bench.block("pageable", "back0", what.size),
    )
    size = what.size
    plan = Plan(
        body=(),
        prepare=(bench.native("aclrtMemcpy", to.ptr, size, front.ptr, size, bench.value(H2D)),),
        check=(bench.native("aclrtMemcpy", back.ptr, size, to.ptr, size, bench.value(D2H)),),
        fill=Area(front.ptr, size),
        verify=Area(back.ptr, size),
        constant=_MEMSET_BYTE,
    )
    every = size <= _VERIFY_EVERY
    if what.mode == "sync":
        plan.body = (bench.native("aclrtMemset", to.ptr, size, _MEMSET_BYTE, size),)
        return Made(plan, "calls", size, deepest=_SMALL_QUEUE, every=every)
    lane = bench.lane()
    _gate(
        bench, plan, [lane], [bench.native("aclrtMemsetAsync", to.ptr, size, _MEMSET_BYTE, size, lane.stream)]
    )
    return Made(plan, "lanes", size, deepest=_SMALL_QUEUE, every=every)


def _described(bench: Workbench, ends: _Ends, size: int, kind: int, lane: Lane) -> Call:
    """A copy that a descriptor in device memory tells of."""
    room = int(bench.call("aclrtGetMemcpyDescSize", kind=kind).descSize)
    descriptor = bench.block("device", "descriptor", room)
    bench.call(
        "aclrtSetMemcpyDesc",
        desc=descriptor.ptr,
        kind=kind,
        srcAddr=ends.source.ptr,
        dstAddr=ends.to.ptr,
        count=size,
        config=None,
    )
    return bench.native("aclrtMemcpyAsyncWithDesc", descriptor.ptr, kind, lane.stream)


def _batch(bench: Workbench, what: Benchmark, plan: Plan, ends: _Ends) -> tuple[int, ...]:
    """The arguments of a batch of equal pieces; all go to the same place, so that one is compared."""
    addresses = ctypes.c_void_p * PIECES
    sizes = (ctypes.c_size_t * PIECES)(*[what.size] * PIECES)
    to, source = addresses(*[ends.to.ptr] * PIECES), addresses(*[ends.source.ptr] * PIECES)
    attributes = bench.library.ctype("aclrtMemcpyBatchAttr")()
    device, host = bench.value("ACL_MEM_LOCATION_TYPE_DEVICE"), bench.value("ACL_MEM_LOCATION_TYPE_HOST")
    down = what.direction == "h2d"
    attributes.dstLoc.type, attributes.dstLoc.id = (device, 0) if down else (host, 0)
    attributes.srcLoc.type, attributes.srcLoc.id = (host, 0) if down else (device, 0)
    indexes, failed = (ctypes.c_size_t * 1)(0), ctypes.c_size_t(0)
    plan.keep += [to, source, sizes, attributes, indexes, failed]
    at = ctypes.addressof
    return at(to), at(sizes), at(source), at(sizes), PIECES, at(attributes), at(indexes), 1, at(failed)
