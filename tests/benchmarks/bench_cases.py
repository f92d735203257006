"""What running a case costs: against an empty pytest item, and in a process of its own; and a whole chapter.

Run it as a script: `python tests/benchmarks/bench_cases.py [--cases 1600] [--isolated 60] [--rounds 3]
[--chapter 11]`. As a run is made, with one worker for each of two cores, pytest runs empty items and cases
that copy 4 KiB to the reference device and back; what one of them costs is what a run of many uses of a
processor more than a run of few, all processes together, so that a busy machine shows no other ratio.
Isolated cases run one after the other, and how much longer a run of many takes counts. Then the chapter's
cases run once on every product. Ends with status 1 where an ordinary case costs more than 3 empty items, an
isolated one takes more than 60 ms, or the chapter more than 60 s: 120 s of a processor on two cores.
"""

from __future__ import annotations

import argparse
import os
import resource
import statistics
import subprocess
import sys
import tempfile
import time
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
RATIO_BUDGET = 3.0
ISOLATED_BUDGET_S = 0.060
MATRIX_BUDGET_S = 60.0
FEW = 100

COPY = """
import os
import pytest
from harness.plugin import covers, isolated, pattern

COUNT = int(os.environ["COUNT"])
H2D = "ACL_MEMCPY_HOST_TO_DEVICE"


{marks}
@pytest.mark.parametrize("n", range(COUNT))
def test_copy(acl, expect, memory, n):
    host, device = memory.host(4096).write(pattern(4096)), memory.device(4096)
    expect.success(acl.aclrtMemcpy(dst=device, destMax=4096, src=host, count=4096, kind=H2D))
    expect.data(device, host)
"""
EMPTY = """
import os
import pytest


@pytest.mark.parametrize("n", range(int(os.environ["COUNT"])))
def test_empty(n): ...
"""
SUITES = {
    "empty": EMPTY,
    "ordinary": COPY.format(marks='@covers("memcpy.h2d")'),
    "isolated": COPY.format(marks='@covers("memcpy.h2d")\n@isolated("to measure it")'),
}


def measured(command: list[str], folder: Path, **environment: str) -> tuple[float, float]:
    """The seconds a run of pytest takes, and those it uses of a processor with all its processes."""
    before, start = resource.getrusage(resource.RUSAGE_CHILDREN), time.perf_counter()
    subprocess.run(
        [sys.executable, "-m", "pytest", "-q", "--target", "reference", *command],
        cwd=folder,
        env={**os.environ, "PYTHONPATH": str(ROOT), **environment},
        stdout=subprocess.DEVNULL,
        check=True,
    )
    taken, after = time.perf_counter() - start, resource.getrusage(resource.RUSAGE_CHILDREN)
    return taken, after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime


def run(folder: Path, kind: str, count: int, workers: int) -> tuple[float, float]:
    """What a run of so many items costs."""
    options = ["--sku", "910b", "--surface", "c", "--results", "out", "-n", str(workers)]
    return measured([f"suites/test_{kind}.py", *options], folder, COUNT=str(count))


def matrix(folder: Path, chapter: str) -> tuple[float, float]:
    """What the cases of a chapter cost on every product and form, on two workers, without the page."""
    options = ["--chapter", chapter, "-n", "2", "--results", str(folder / "matrix"), "--report", "none"]
    return measured(["suites/", *options, "-p", "no:cacheprovider"], ROOT)


def cost(folder: Path, kind: str, count: int, few: int, rounds: int, workers: int) -> tuple[float, float]:
    """The seconds that one more item takes, and those it uses of a processor: medians over some rounds."""
    slopes = []
    for _ in range(rounds):
        many, small = run(folder, kind, count, workers), run(folder, kind, few, workers)
        slopes.append([(more - less) / (count - few) for more, less in zip(many, small, strict=True)])
    taken, used = (statistics.median(values) for values in zip(*slopes, strict=True))
    return taken, used


def main() -> int:
    """Measure, print, and judge."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--cases", type=int, default=1600, help="empty items, and ordinary cases, of a run")
    parser.add_argument("--isolated", type=int, default=60, help="cases in processes of their own")
    parser.add_argument("--rounds", type=int, default=3, help="how often each kind is measured")
    parser.add_argument("--chapter", default="11", help="whose cases run on every product; empty for none")
    options = parser.parse_args()
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        (folder / "suites").mkdir()
        (folder / "pytest.ini").write_text("[pytest]\n")
        (folder / "conftest.py").write_text('pytest_plugins = ["harness.plugin"]\n')
        for kind, text in SUITES.items():
            (folder / "suites" / f"test_{kind}.py").write_text(text)
        _, empty = cost(folder, "empty", options.cases, FEW, options.rounds, 2)
        _, ordinary = cost(folder, "ordinary", options.cases, FEW, options.rounds, 2)
        isolated, _ = cost(folder, "isolated", options.isolated, 5, options.rounds, 0)
        taken, used = matrix(folder, options.chapter) if options.chapter else (0.0, 0.0)
    ratio = ordinary / empty
    print(f"empty item     {empty * 1e3:8.3f} ms of a processor")
    print(
        f"ordinary case  {ordinary * 1e3:8.3f} ms of a processor: {ratio:.2f} times (budget {RATIO_BUDGET:g})"
    )
    print(f"isolated case  {isolated * 1e3:8.3f} ms until done (budget {ISOLATED_BUDGET_S * 1e3:g} ms)")
    if options.chapter:
        print(
            f"chapter {options.chapter:8} {taken:8.1f} s until done (budget {MATRIX_BUDGET_S:g}), "
            f"{used:.1f} s of a processor"
        )
    return int(ratio > RATIO_BUDGET or isolated > ISOLATED_BUDGET_S or taken > MATRIX_BUDGET_S)


if __name__ == "__main__":
    sys.exit(main())
