"""What loading, executing and unloading a small model costs through pyACL against the C interface.

Run it as a script: `python tests/benchmarks/bench_models.py [ROUNDS]`. A round loads a model of 1 KiB from a
file, executes it and unloads it, on either surface in turns within one run on the reference device; 10 000
rounds on each by default. It prints the medians in microseconds and ends with status 1 where pyACL takes more
than 1.5 times as long.
"""

from __future__ import annotations

import statistics
import sys
import time
from collections.abc import Callable
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[2]))

import harness.pyacl as acl
from harness.binding import CSurface, find_reference, open_library
from harness.models import OwnShelf

BUDGET = 1.5
ROUNDS = 10_000
BATCH = 50
MODEL_BYTES = 1024


def microseconds(round_: Callable[[], None]) -> float:
    """The cost of one round over one batch: time on the processor, not waiting for it."""
    start = time.thread_time_ns()
    for _ in range(BATCH):
        round_()
    return (time.thread_time_ns() - start) / BATCH / 1000


def require(code: int) -> None:
    """Every call must succeed."""
    if code:
        raise SystemExit(f"a call returned {code}")


def dataset(c: CSurface) -> int:
    """A dataset of one buffer for the model's input or output."""
    made = int(c.call("aclmdlCreateDataset").value)
    memory = c.call("aclrtMalloc", size=MODEL_BYTES, policy="ACL_MEM_MALLOC_HUGE_FIRST").devPtr
    buffer = c.call("aclCreateDataBuffer", data=memory, size=MODEL_BYTES).value
    require(c.call("aclmdlAddDatasetBuffer", dataset=made, dataBuffer=buffer).code or 0)
    return made


def measure(rounds: int) -> dict[str, float]:
    """The median cost of a round on each surface, taken in turns so that noise meets both."""
    library = open_library(str(find_reference()))
    acl.use(library)
    c = CSurface(library)
    require(c.call("aclInit", configPath=None).code or 0)
    require(c.call("aclrtSetDevice", deviceId=0).code or 0)
    path = str(OwnShelf().file("identity"))
    given, taken = dataset(c), dataset(c)

    def through_c() -> None:
        loaded = c.call("aclmdlLoadFromFile", modelPath=path)
        require(loaded.code or 0)
        require(c.call("aclmdlExecute", modelId=loaded.modelId, input=given, output=taken).code or 0)
        require(c.call("aclmdlUnload", modelId=loaded.modelId).code or 0)

    def through_pyacl() -> None:
        model, code = acl.mdl.load_from_file(path)
        require(code)
        require(acl.mdl.execute(model, given, taken))
        require(acl.mdl.unload(model))

    samples: dict[str, list[float]] = {"c": [], "pyacl": []}
    for _ in range(max(1, rounds // BATCH)):
        samples["c"].append(microseconds(through_c))
        samples["pyacl"].append(microseconds(through_pyacl))
        library.recorder.clear()
    return {name: statistics.median(values) for name, values in samples.items()}


def main() -> int:
    """Print the medians and their ratio; 1 where the budget is missed."""
    costs = measure(int(sys.argv[1]) if len(sys.argv) > 1 else ROUNDS)
    ratio = costs["pyacl"] / costs["c"]
    for name, cost in costs.items():
        print(f"{name:<6}{cost:>9.1f} us for load, execute and unload")
    print(f"budget: pyacl {BUDGET}x: {ratio:.2f}x, {'met' if ratio <= BUDGET else 'missed'}")
    return 0 if ratio <= BUDGET else 1


if __name__ == "__main__":
    sys.exit(main())
