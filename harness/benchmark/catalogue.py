"""What is measured: every benchmark there is, as data.

A benchmark's id is `SERIES/SIZE`; a series is a line of a chart. Series are made here from direction, kind of
host memory and mode of calling; each says which functions it needs, so that a product without them is told.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass

from harness.results.benchmarks import Quantity

KIB, MIB, GIB = 1 << 10, 1 << 20, 1 << 30
LARGEST = GIB
HEADLINES = (64 * MIB, 512 * MIB)
PIECES = 16
"""Copies in one batch."""
_LARGEST_PIECE = 64 * MIB

_MEMORIES = ("pinned", "registered", "pageable")
_MEMORY_NEEDS = {"pinned": ("aclrtMallocHost",), "registered": ("aclrtHostRegisterV2",), "pageable": ()}
_GATE = (
    "aclrtCreateNotify",
    "aclrtWaitAndResetNotify",
    "aclrtRecordNotify",
    "aclrtEventElapsedTime",
    "aclrtRecordEvent",
)
# Width and pitch in bytes: contiguous rows, rows with a gap, narrow rows, single bytes.
_SHAPES = ((4096, 4096), (4096, 8192), (64, 128), (1, 64))
_ROWS_SIZES = (4 * KIB, 64 * KIB, MIB)
_MOST_ROWS = 1 << 14


@dataclass(frozen=True)
class Benchmark:
    """One thing to measure. `size` is bytes of one operation; `width` and `pitch` shape copies of rows."""

    series: str
    quantity: Quantity
    api: str
    size: int = 0
    direction: str = "none"
    memory: str = "none"
    mode: str = "call"
    needs: tuple[str, ...] = ()
    width: int = 0
    pitch: int = 0
    devices: int = 1

    @property
    def id(self) -> str:
        """The id within a product's benchmarks."""
        return f"{self.series}/{self.size}"

    @property
    def gated(self) -> bool:
        """Whether the copies wait behind a gate, and device time is taken around them."""
        return self.mode in ("async", "descriptor", "batch-async", "rows-async") and self.memory != "pageable"


def powers_of_two(largest: int = LARGEST) -> list[int]:
    """1, 2, 4 … up to the largest."""
    return [1 << bit for bit in range(largest.bit_length()) if 1 << bit <= largest]


def odd_sizes() -> list[int]:
    """Sizes beside the powers of two, where alignment shows."""
    return [4 * KIB - 1, 4 * KIB + 1, MIB - 1, 2 * MIB + 64]


def sweep_sizes(number: int, largest: int = LARGEST) -> list[int]:
    """So many sizes from 1 byte to the largest: powers of two, odd ones, then middles between powers."""
    powers = powers_of_two(largest)
    middles = [3 * power // 2 for power in reversed(powers[1:-1])]
    chosen = dict.fromkeys([*powers, *(size for size in odd_sizes() if size <= largest), *middles])
    return sorted(list(chosen)[:number])


def quick_sizes() -> list[int]:
    """The few sizes of a quick run."""
    return [4 * KIB + 1, MIB]


def catalogue(sizes: Iterable[int]) -> list[Benchmark]:
    """Every benchmark, its copies in these sizes."""
    chosen = list(sizes)
    return [
        *_host_copy(chosen),
        *_copies(chosen),
        *_rows(),
        *_latencies(chosen),
        *_overheads(),
        *_allocations(chosen),
        *_models(),
    ]


def _host_copy(sizes: list[int]) -> Iterator[Benchmark]:
    """What this host's processor moves by itself, to hold the copies against."""
    for size in sizes:
        yield Benchmark("host-copy", "bandwidth", "memcpy", size, memory="pageable")


def _copies(sizes: list[int]) -> Iterator[Benchmark]:
    for size in sizes:
        for memory in _MEMORIES:
            for direction in ("h2d", "d2h"):
                yield from _host_copies(direction, memory, size)
        yield _copy("d2d", "device", "sync", "aclrtMemcpy", size)
        yield _copy("d2d", "device", "async", "aclrtMemcpyAsync", size, *_GATE)
        yield _copy(
            "d2d",
            "device",
            "descriptor",
            "aclrtMemcpyAsyncWithDesc",
            size,
            "aclrtSetMemcpyDesc",
            "aclrtGetMemcpyDescSize",
            *_GATE,
        )
        yield Benchmark(
            "peer-device-async",
            "bandwidth",
            "aclrtMemcpyAsync",
            size,
            "peer",
            "device",
            "async",
            (*_GATE, "aclrtDeviceEnablePeerAccess"),
            devices=2,
        )
        yield Benchmark(
            "both-pinned-async",
            "bandwidth",
            "aclrtMemcpyAsync",
            size,
            "both",
            "pinned",
            "async",
            (*_GATE, "aclrtMallocHost"),
        )
        yield _copy("set", "device", "sync", "aclrtMemset", size)
        yield _copy("set", "device", "async", "aclrtMemsetAsync", size, *_GATE)


def _host_copies(direction: str, memory: str, size: int) -> Iterator[Benchmark]:
    needs = _MEMORY_NEEDS[memory]
    yield _copy(direction, memory, "sync", "aclrtMemcpy", size, *needs)
    yield _copy(direction, memory, "async", "aclrtMemcpyAsync", size, *needs, *_GATE)
    if memory == "pinned" and size <= _LARGEST_PIECE:
        yield _copy(direction, memory, "batch-sync", "aclrtMemcpyBatch", size, *needs)
        yield _copy(direction, memory, "batch-async", "aclrtMemcpyBatchAsync", size, *needs, *_GATE)


def _copy(direction: str, memory: str, mode: str, api: str, size: int, *needs: str) -> Benchmark:
    return Benchmark(f"{direction}-{memory}-{mode}", "bandwidth", api, size, direction, memory, mode, needs)


def _rows() -> Iterator[Benchmark]:
    for width, pitch in _SHAPES:
        for size in (size for size in _ROWS_SIZES if size // width <= _MOST_ROWS):
            for direction in ("h2d", "d2h"):
                yield Benchmark(
                    f"{direction}-pinned-rows-{width}-of-{pitch}",
                    "bandwidth",
                    "aclrtMemcpy2dAsync",
                    size,
                    direction,
                    "pinned",
                    "rows-async",
                    (*_GATE, "aclrtMallocHost"),
                    width,
                    pitch,
                )


def _latencies(sizes: list[int]) -> Iterator[Benchmark]:
    for size in (size for size in sizes if size <= 64 * KIB):
        for direction in ("h2d", "d2h"):
            yield Benchmark(
                f"{direction}-pinned-sync-latency",
                "latency",
                "aclrtMemcpy",
                size,
                direction,
                "pinned",
                "sync",
                ("aclrtMallocHost",),
            )
            yield Benchmark(
                f"{direction}-pinned-stream-latency",
                "latency",
                "aclrtMemcpyAsync",
                size,
                direction,
                "pinned",
                "roundtrip",
                ("aclrtMallocHost",),
            )


_CALLS: tuple[tuple[str, Quantity, tuple[str, ...]], ...] = (
    ("clock", "overhead", ()),
    ("copy-nothing", "overhead", ("aclrtMemcpy",)),
    ("synchronize-idle-stream", "latency", ("aclrtSynchronizeStream", "aclrtCreateStream")),
    ("synchronize-device", "latency", ("aclrtSynchronizeDevice",)),
    ("event-roundtrip", "latency", ("aclrtRecordEvent", "aclrtSynchronizeEvent", "aclrtCreateEvent")),
    ("event-query", "overhead", ("aclrtQueryEventStatus", "aclrtRecordEvent", "aclrtCreateEvent")),
    ("stream-create-destroy", "latency", ("aclrtCreateStream", "aclrtDestroyStream")),
    ("event-create-destroy", "latency", ("aclrtCreateEvent", "aclrtDestroyEvent")),
    ("enqueue-copy", "overhead", ("aclrtMemcpyAsync", "aclrtCreateStream", "aclrtMallocHost")),
    ("enqueue-memset", "overhead", ("aclrtMemsetAsync", "aclrtCreateStream")),
    ("enqueue-event-record", "overhead", ("aclrtRecordEvent", "aclrtCreateStream", "aclrtCreateEvent")),
    ("enqueue-event-wait", "overhead", ("aclrtStreamWaitEvent", "aclrtCreateStream", "aclrtCreateEvent")),
)


def _overheads() -> Iterator[Benchmark]:
    for name, quantity, needs in _CALLS:
        yield Benchmark(name, quantity, needs[0] if needs else "clock_gettime", needs=needs)


def _allocations(sizes: list[int]) -> Iterator[Benchmark]:
    # What an allocation costs hangs on its pages, not on its bytes.
    for size in sorted({size for size in sizes if size >= 64 * KIB and size & (size - 1) == 0}):
        yield Benchmark("malloc-free", "latency", "aclrtMalloc", size, needs=("aclrtFree",))
        yield Benchmark("malloc-free-host", "latency", "aclrtMallocHost", size, needs=("aclrtFreeHost",))
        yield Benchmark(
            "map-unmap",
            "latency",
            "aclrtMapMem",
            size,
            needs=("aclrtUnmapMem", "aclrtReserveMemAddress", "aclrtMallocPhysical"),
        )


def _models() -> Iterator[Benchmark]:
    yield Benchmark("model-load-unload", "latency", "aclmdlLoadFromMem", needs=("aclmdlUnload",))
    yield Benchmark("model-execute", "latency", "aclmdlExecute", needs=("aclmdlLoadFromMem", "aclmdlUnload"))
