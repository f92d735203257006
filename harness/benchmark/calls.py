"""Plans of what is no copy: waits, handles, enqueueing alone, allocations, models."""

from __future__ import annotations

import ctypes
from collections.abc import Callable
from functools import partial
from pathlib import Path

from harness.benchmark.catalogue import Benchmark
from harness.benchmark.errors import BenchmarkError
from harness.benchmark.plans import H2D, Made
from harness.benchmark.probe import Call, Plan
from harness.benchmark.workbench import Workbench
from harness.models import program

_QUEUE = 64
_SIZE = 64


def make_call(bench: Workbench, what: Benchmark, model: Path | None) -> Made:
    """The plan of a benchmark that is no copy; BenchmarkError where it needs a model and none is given."""
    if what.series in _SIMPLE:
        return _SIMPLE[what.series](bench)
    if what.series in _SIZED:
        return _SIZED[what.series](bench, what.size)
    content = model.read_bytes() if model is not None else _own_model(bench)
    return _MODELS[what.series](bench, content)


def _own_model(bench: Workbench) -> bytes:
    """A small model for the reference device, which runs no others."""
    if bench.library.control is None:
        raise BenchmarkError("no model was given (--model FILE.om)")
    return bytes(program("affine").write())


def _repeated(*body: Call) -> Made:
    return Made(Plan(body=body), "calls", deepest=_QUEUE, verified=False)


def _clock(bench: Workbench) -> Made:
    return _repeated(bench.probe.own("clock"))


def _copy_nothing(bench: Workbench) -> Made:
    """A copy of no bytes, one by one as a latency is taken: what a call costs by itself."""
    to, source = bench.block("device", "first0", _SIZE), bench.block("pageable", "first0", _SIZE)
    made = _repeated(bench.native("aclrtMemcpy", to.ptr, _SIZE, source.ptr, 0, bench.value(H2D)))
    made.deepest = 1
    return made


def _host_copy(bench: Workbench, size: int) -> Made:
    to, source = bench.block("pageable", "first0", size), bench.block("pageable", "back0", size)
    made = _repeated(bench.probe.own("host_copy", to.ptr, source.ptr, size))
    made.bytes = size
    return made


def _idle_stream(bench: Workbench) -> Made:
    return _repeated(bench.native("aclrtSynchronizeStream", bench.stream()))


def _device(bench: Workbench) -> Made:
    return _repeated(bench.native("aclrtSynchronizeDevice"))


def _event_roundtrip(bench: Workbench) -> Made:
    event, stream = bench.event(), bench.stream()
    return _repeated(
        bench.native("aclrtRecordEvent", event, stream), bench.native("aclrtSynchronizeEvent", event)
    )


def _event_query(bench: Workbench) -> Made:
    event, stream = bench.event(), bench.stream()
    bench.call("aclrtRecordEvent", event=event, stream=stream)
    bench.call("aclrtSynchronizeStream", stream=stream)
    status = ctypes.c_int(0)
    made = _repeated(bench.native("aclrtQueryEventStatus", event, ctypes.addressof(status)))
    made.plan.keep.append(status)
    return made


def _made_and_ended(bench: Workbench, create: Call, slot: ctypes.c_uint64, end: str) -> Made:
    """A call that makes something at a slot, and the one that ends it."""
    made = _repeated(create, bench.native(end, ctypes.addressof(slot), indirect=frozenset({0})))
    made.plan.keep.append(slot)
    return made


def _streams(bench: Workbench) -> Made:
    slot = ctypes.c_uint64(0)
    create = bench.native("aclrtCreateStream", ctypes.addressof(slot))
    return _made_and_ended(bench, create, slot, "aclrtDestroyStream")


def _events(bench: Workbench) -> Made:
    slot = ctypes.c_uint64(0)
    create = bench.native("aclrtCreateEvent", ctypes.addressof(slot))
    return _made_and_ended(bench, create, slot, "aclrtDestroyEvent")


def _enqueue(bench: Workbench, stream: int, call: Call) -> Made:
    """Calls alone; the stream is waited for outside the time."""
    plan = Plan(body=(call,), wait=(bench.native("aclrtSynchronizeStream", stream),))
    return Made(plan, "calls", deepest=_QUEUE, verified=False)


def _enqueue_copy(bench: Workbench) -> Made:
    stream, to, source = (
        bench.stream(),
        bench.block("device", "first0", _SIZE),
        bench.block("pinned", "first0", _SIZE),
    )
    call = bench.native("aclrtMemcpyAsync", to.ptr, _SIZE, source.ptr, _SIZE, bench.value(H2D), stream)
    return _enqueue(bench, stream, call)


def _enqueue_memset(bench: Workbench) -> Made:
    stream, to = bench.stream(), bench.block("device", "first0", _SIZE)
    return _enqueue(bench, stream, bench.native("aclrtMemsetAsync", to.ptr, _SIZE, 0, _SIZE, stream))


def _enqueue_record(bench: Workbench) -> Made:
    stream, event = bench.stream(), bench.event()
    return _enqueue(bench, stream, bench.native("aclrtRecordEvent", event, stream))


def _enqueue_wait(bench: Workbench) -> Made:
    stream, event = bench.stream(), bench.event()
    bench.call("aclrtRecordEvent", event=event, stream=stream)
    bench.call("aclrtSynchronizeStream", stream=stream)
    return _enqueue(bench, stream, bench.native("aclrtStreamWaitEvent", stream, event))


def _malloc(bench: Workbench, size: int) -> Made:
    slot = ctypes.c_uint64(0)
    policy = bench.value("ACL_MEM_MALLOC_HUGE_FIRST")
    create = bench.native("aclrtMalloc", ctypes.addressof(slot), size, policy)
    return _made_and_ended(bench, create, slot, "aclrtFree")


def _malloc_host(bench: Workbench, size: int) -> Made:
    slot = ctypes.c_uint64(0)
    return _made_and_ended(
        bench, bench.native("aclrtMallocHost", ctypes.addressof(slot), size), slot, "aclrtFreeHost"
    )


def _map(bench: Workbench, size: int) -> Made:
    prop = {
        "handleType": "ACL_MEM_HANDLE_TYPE_NONE",
        "allocationType": "ACL_MEM_ALLOCATION_TYPE_PINNED",
        "memAttr": "ACL_HBM_MEM_HUGE",
        "location": {"id": 0, "type": "ACL_MEM_LOCATION_TYPE_DEVICE"},
        "reserve": 0,
    }
    page = int(
        bench.call(
            "aclrtMemGetAllocationGranularity", prop=prop, option="ACL_RT_MEM_ALLOC_GRANULARITY_MINIMUM"
        ).granularity
    )
    whole = -(-size // page) * page
    base = int(bench.call("aclrtReserveMemAddress", size=whole, alignment=0, expectPtr=None, flags=1).virPtr)
    bench.at_end(lambda: bench.call("aclrtReleaseMemAddress", virPtr=base))
    handle = int(bench.call("aclrtMallocPhysical", size=whole, prop=prop, flags=0).handle)
    bench.at_end(lambda: bench.call("aclrtFreePhysical", handle=handle))
    return _repeated(
        bench.native("aclrtMapMem", base, whole, 0, handle, 0), bench.native("aclrtUnmapMem", base)
    )


def _load(bench: Workbench, content: bytes) -> Made:
    memory, slot = ctypes.create_string_buffer(content, len(content)), ctypes.c_uint64(0)
    load = bench.native("aclmdlLoadFromMem", ctypes.addressof(memory), len(content), ctypes.addressof(slot))
    made = _made_and_ended(bench, load, slot, "aclmdlUnload")
    made.plan.keep.append(memory)
    made.deepest = 1
    return made


def _execute(bench: Workbench, content: bytes) -> Made:
    call = bench.call
    number = int(call("aclmdlLoadFromMem", model=content, modelSize=len(content)).modelId)
    bench.at_end(lambda: call("aclmdlUnload", modelId=number))
    described = int(bench.surface.call("aclmdlCreateDesc").value)
    bench.at_end(lambda: call("aclmdlDestroyDesc", modelDesc=described))
    call("aclmdlGetDesc", modelDesc=described, modelId=number)
    sides = [_dataset(bench, described, side) for side in ("Input", "Output")]
    made = _repeated(bench.native("aclmdlExecute", number, *sides))
    made.deepest = 1
    return made


def _dataset(bench: Workbench, described: int, side: str) -> int:
    """A data set with a device block for each input or output of the model."""
    ask, call = bench.surface.call, bench.call
    made = int(ask("aclmdlCreateDataset").value)
    bench.at_end(lambda: call("aclmdlDestroyDataset", dataset=made))
    for index in range(int(ask(f"aclmdlGetNum{side}s", modelDesc=described).value)):
        size = int(ask(f"aclmdlGet{side}SizeByIndex", modelDesc=described, index=index).value)
        block = bench.block("device", f"{side}{index}", size)
        buffer = int(ask("aclCreateDataBuffer", data=block.ptr, size=size).value)
        bench.at_end(partial(call, "aclDestroyDataBuffer", dataBuffer=buffer))
        call("aclmdlAddDatasetBuffer", dataset=made, dataBuffer=buffer)
    return made


_SIMPLE: dict[str, Callable[[Workbench], Made]] = {
    "clock": _clock,
    "copy-nothing": _copy_nothing,
    "synchronize-idle-stream": _idle_stream,
    "synchronize-device": _device,
    "event-roundtrip": _event_roundtrip,
    "event-query": _event_query,
    "stream-create-destroy": _streams,
    "event-create-destroy": _events,
    "enqueue-copy": _enqueue_copy,
    "enqueue-memset": _enqueue_memset,
    "enqueue-event-record": _enqueue_record,
    "enqueue-event-wait": _enqueue_wait,
}
_SIZED: dict[str, Callable[[Workbench, int], Made]] = {
    "host-copy": _host_copy,
    "malloc-free": _malloc,
    "malloc-free-host": _malloc_host,
    "map-unmap": _map,
}
_MODELS: dict[str, Callable[[Workbench, bytes], Made]] = {
    "model-load-unload": _load,
    "model-execute": _execute,
}
