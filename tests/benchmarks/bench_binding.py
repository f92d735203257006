"""What a call through the binding costs against a bare ctypes call of the same signature.

Run it as a script: `python tests/benchmarks/bench_binding.py`. It compiles a library of empty functions
with the shapes of aclrtMemcpyAsync (six arguments) and aclrtSetDevice (one), times bare, unrecorded,
recorded and journalled calls in turns within one run, prints the medians in nanoseconds and their ratios,
and ends with status 1 where unrecorded is above 1.3 or recorded above 3.
"""

from __future__ import annotations

import ctypes
import shutil
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

sys.path.insert(0, str(Path(__file__).resolve().parents[2]))

from harness.binding import Journal, Library, open_library

UNRECORDED_BUDGET = 1.3
RECORDED_BUDGET = 3.0
ROUNDS = 101
CALLS = 1000

SOURCE = """
#include <stddef.h>
#include <stdint.h>
int aclrtMemcpyAsync(void *dst, size_t max, const void *src, size_t n, int kind, void *stream) { return 0; }
int aclrtSetDevice(int32_t device) { return 0; }
"""
SHAPES: dict[str, tuple[list[Any], tuple[Any, ...]]] = {
    "aclrtMemcpyAsync": (
        [ctypes.c_void_p, ctypes.c_size_t, ctypes.c_void_p, ctypes.c_size_t, ctypes.c_int, ctypes.c_void_p],
        (0x7F0000001000, 4096, 0x7F0000002000, 4096, 1, 0x5500000000),
    ),
    "aclrtSetDevice": ([ctypes.c_int32], (0,)),
}


def build(folder: Path) -> Path:
    """Compile the library of empty functions."""
    source, output = folder / "empty.c", folder / "libascendcl.so"
    source.write_text(SOURCE)
    compiler = shutil.which("cc") or shutil.which("gcc") or "cc"
    subprocess.run([compiler, "-shared", "-fPIC", "-O2", "-o", str(output), str(source)], check=True)
    return output


def nanoseconds(function: Callable[..., Any], args: tuple[Any, ...]) -> float:
    """The cost of one call, loop included, over one batch: time on the processor, not waiting for it."""
    start = time.thread_time_ns()
    for _ in range(CALLS):
        function(*args)
    return (time.thread_time_ns() - start) / CALLS


def measure(library: Library, path: Path, api: str, folder: Path) -> dict[str, float]:
    """The median cost of each kind of call, the kinds taken in turns so that noise meets all of them."""
    argtypes, args = SHAPES[api]
    bare = ctypes.CDLL(str(path))[api]
    bare.argtypes, bare.restype = argtypes, ctypes.c_int
    recorded = library.recorded(api)
    journal = Journal(folder / f"{api}.journal")

    def journalled() -> float:
        library.recorder.journal = journal
        try:
            return nanoseconds(recorded, args)
        finally:
            library.recorder.journal = None

    kinds: dict[str, Callable[[], float]] = {
        "bare": lambda: nanoseconds(bare, args),
        "unrecorded": lambda: nanoseconds(library.raw(api), args),
        "recorded": lambda: nanoseconds(recorded, args),
        "journalled": journalled,
    }
    samples: dict[str, list[float]] = {kind: [] for kind in kinds}
    for _ in range(ROUNDS):
        for kind, run in kinds.items():
            samples[kind].append(run())
    journal.close()
    return {kind: statistics.median(values) for kind, values in samples.items()}


def main() -> int:
    """Print the table; 1 where a budget is missed."""
    missed = 0
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        path = build(folder)
        library = open_library(path)
        print(f"{'function':<18}{'bare ns':>9}{'unrecorded':>14}{'recorded':>16}{'journalled':>16}")
        for api in SHAPES:
            costs = measure(library, path, api, folder)
            ratios = {kind: cost / costs["bare"] for kind, cost in costs.items()}
            cells = [
                f"{costs[kind]:.0f} ({ratios[kind]:.2f}x)"
                for kind in ("unrecorded", "recorded", "journalled")
            ]
            print(f"{api:<18}{costs['bare']:>9.0f}{cells[0]:>14}{cells[1]:>16}{cells[2]:>16}")
            missed += ratios["unrecorded"] > UNRECORDED_BUDGET or ratios["recorded"] > RECORDED_BUDGET
    verdict = "missed" if missed else "met"
    print(f"budget: unrecorded {UNRECORDED_BUDGET}x, recorded {RECORDED_BUDGET}x: {verdict}")
    return 1 if missed else 0


if __name__ == "__main__":
    sys.exit(main())
