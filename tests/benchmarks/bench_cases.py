"""What running a case costs: against an empty pytest item in the same run, and in a process of its own.

Run it as a script: `python tests/benchmarks/bench_cases.py [--cases 1000] [--isolated 100]`. One pytest
run on the reference device holds empty items, cases that copy 4 KiB to the device and back, and isolated
ones of the same kind. Prints the median time of each from start to finish and the ratios, and ends with status 1 where an
ordinary case costs more than 3 empty items or an isolated one more than 60 ms.
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
import json, time

pytest_plugins = ["harness.plugin"]
started, taken = {}, {}


def pytest_runtest_logstart(nodeid):
    started[nodeid] = time.perf_counter()


def pytest_runtest_logfinish(nodeid):
    kind = nodeid.split("::")[1].split("[")[0]
    taken.setdefault(kind, []).append(time.perf_counter() - started[nodeid])


def pytest_sessionfinish():
    with open("taken.json", "w") as file:
        json.dump(taken, file)
"""

SUITE = """
import pytest
from harness.plugin import covers, isolated, pattern

H2D = "ACL_MEMCPY_HOST_TO_DEVICE"


@pytest.mark.parametrize("n", range({cases}))
def test_empty(n): ...


@covers("memcpy.h2d")
@pytest.mark.parametrize("n", range({cases}))
def test_ordinary(acl, expect, memory, n):
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


def measure(cases: int, isolated: int) -> dict[str, float]:
    """The median seconds of an item of each kind, in one run of pytest."""
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
        taken = json.loads((folder / "taken.json").read_text())
    return {kind.removeprefix("test_"): statistics.median(times) for kind, times in taken.items()}


def main() -> int:
    """Measure, print, and judge."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--cases", type=int, default=1000, help="empty items, and ordinary cases")
    parser.add_argument("--isolated", type=int, default=100, help="cases in processes of their own")
    options = parser.parse_args()
    medians = measure(options.cases, options.isolated)
    ratio = medians["ordinary"] / medians["empty"]
    print(f"empty item      {medians['empty'] * 1e3:8.3f} ms")
    print(f"ordinary case   {medians['ordinary'] * 1e3:8.3f} ms  {ratio:.2f} times that (budget {RATIO_BUDGET:g})")
    print(f"isolated case   {medians['isolated'] * 1e3:8.3f} ms  (budget {ISOLATED_BUDGET_S * 1e3:g} ms)")
    return int(ratio > RATIO_BUDGET or medians["isolated"] > ISOLATED_BUDGET_S)


if __name__ == "__main__":
    sys.exit(main())
