"""What running a case costs: against an empty pytest item in the same run, and in a process of its own.

Run it as a script: `python tests/benchmarks/bench_cases.py [--cases 1000] [--isolated 100]`. One pytest
run on the reference device holds empty items, cases that copy 4 KiB to the device and back, and isolated
ones of the same kind. Prints the median time of each from start to finish, and for the first two the median
of what they use of a processor: pytest and the process that runs the cases together, so that a busy machine
shows no other ratio. Ends with status 1 where an ordinary case costs more than 3 empty items or an isolated
one takes more than 60 ms.
"""

from __future__ import annotations

import argparse
import json
import os
import statistics
import subprocess
import sys
import tempfile
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
RATIO_BUDGET = 3.0
ISOLATED_BUDGET_S = 0.060

CONFTEST = """
import json, os, time

pytest_plugins = ["harness.plugin"]
started, taken, used = {}, {}, {}


def processor_time():
    try:
        runner = int(open("runner").read())
        # The clock of another process, as clock_getcpuclockid names it.
        return time.process_time() + time.clock_gettime((~runner << 3) | 2)
    except OSError:
        return time.process_time()


def pytest_runtest_logstart(nodeid):
    started[nodeid] = time.perf_counter(), processor_time()


def pytest_runtest_logfinish(nodeid):
    kind = nodeid.split("::")[1].split("[")[0]
    wall, processor = started[nodeid]
    used.setdefault(kind, []).append(processor_time() - processor)
    taken.setdefault(kind, []).append(time.perf_counter() - wall)


def pytest_sessionfinish():
    with open("taken.json", "w") as file:
        json.dump([taken, used], file)
"""

SUITE = """
import os
import pytest
from harness.plugin import covers, isolated, pattern

H2D = "ACL_MEMCPY_HOST_TO_DEVICE"


@pytest.mark.parametrize("n", range({cases}))
def test_empty(n): ...


@pytest.fixture(scope="module")
def runner():
    with open("runner", "w") as file:
        file.write(str(os.getpid()))


@covers("memcpy.h2d")
@pytest.mark.parametrize("n", range({cases}))
def test_ordinary(acl, expect, memory, runner, n):
    host, device = memory.host(4096).write(pattern(4096)), memory.device(4096)
    expect.success(acl.aclrtMemcpy(dst=device, destMax=4096, src=host, count=4096, kind=H2D))
    expect.data(device, host)


@covers("memcpy.h2d")
@isolated("to measure it")
@pytest.mark.parametrize("n", range({isolated}))
def test_isolated(acl, expect, memory, n):
    host, device = memory.host(4096).write(pattern(4096)), memory.device(4096)
    expect.success(acl.aclrtMemcpy(dst=device, destMax=4096, src=host, count=4096, kind=H2D))
    expect.data(device, host)
"""


def measure(cases: int, isolated: int) -> tuple[dict[str, float], dict[str, float]]:
    """The median seconds of an item of each kind in one run of pytest: until it was done, and of a processor."""
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        (folder / "suites").mkdir()
        (folder / "pytest.ini").write_text("[pytest]\n")
        (folder / "conftest.py").write_text(CONFTEST)
        (folder / "suites" / "test_cost.py").write_text(SUITE.format(cases=cases, isolated=isolated))
        options = ["-q", "--target", "reference", "--sku", "910b", "--surface", "c", "--results", "out"]
        subprocess.run(
            [sys.executable, "-m", "pytest", "suites", *options],
            cwd=folder,
            env={**os.environ, "PYTHONPATH": str(ROOT)},
            stdout=subprocess.DEVNULL,
            check=True,
        )
        taken, used = json.loads((folder / "taken.json").read_text())
    return medians(taken), medians(used)


def medians(times: dict[str, list[float]]) -> dict[str, float]:
    """The median by kind."""
    return {kind.removeprefix("test_"): statistics.median(values) for kind, values in times.items()}


def main() -> int:
    """Measure, print, and judge."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--cases", type=int, default=1000, help="empty items, and ordinary cases")
    parser.add_argument("--isolated", type=int, default=100, help="cases in processes of their own")
    options = parser.parse_args()
    taken, used = measure(options.cases, options.isolated)
    ratio = used["ordinary"] / used["empty"]
    for kind in ("empty", "ordinary"):
        print(f"{kind:<10}{taken[kind] * 1e3:9.3f} ms until done {used[kind] * 1e3:9.3f} ms of a processor")
    print(f"an ordinary case costs {ratio:.2f} empty items (budget {RATIO_BUDGET:g})")
    print(f"isolated  {taken['isolated'] * 1e3:9.3f} ms until done (budget {ISOLATED_BUDGET_S * 1e3:g} ms)")
    return int(ratio > RATIO_BUDGET or taken["isolated"] > ISOLATED_BUDGET_S)


if __name__ == "__main__":
    sys.exit(main())
