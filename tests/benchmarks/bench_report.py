"""What a report costs: seconds to render, size of the page and peak memory, by number of results.

Run it as a script: `python tests/benchmarks/bench_report.py`. Each line is a process of its own that makes
synthetic results, renders them and prints its measures; `all failed` is a library that keeps no promise.
Ends with status 1 where a budget is exceeded: 10 000 results in 3 s and 5 MB, 100 000 in 20 s, 25 MB, 1 GiB.
"""

from __future__ import annotations

import json
import resource
import subprocess
import sys
import tempfile
import time
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[2]))

from harness.contract import load
from harness.results import Call, Verdict
from reports import render_runs
from reports.synthetic import synthetic_run

# results, all failed: seconds, megabytes, mebibytes of memory
BUDGETS = {
    (10_000, False): (3.0, 5.0, 1024.0),
    (100_000, False): (20.0, 25.0, 1024.0),
    (100_000, True): (20.0, 25.0, 1024.0),
}
CALLS_OF_A_FAILURE = 12


def measure(number: int, all_failed: bool) -> dict[str, float]:
    """Seconds, megabytes and peak MiB of one report."""
    contract = load()
    run = synthetic_run(number, contract)
    if all_failed:
        calls = [Call(function="aclrtMalloc", args={"size": 64, "devPtr": "0x120000000000"}, code=0)]
        for case in run.cases:
            case.verdict, case.reason = Verdict.FAIL, f"expected: success\nobserved: {case.id}"
            case.calls = calls * CALLS_OF_A_FAILURE
    with tempfile.TemporaryDirectory() as folder:
        output = Path(folder) / "report.html"
        start = time.perf_counter()
        render_runs([run], output, contract=contract)
        seconds = time.perf_counter() - start
        size = output.stat().st_size
    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    return {"seconds": seconds, "megabytes": size / 1e6, "memory": peak / 1024}


def main() -> int:
    """Measure every line of the budget; 1 where one is exceeded."""
    exceeded = 0
    print(f"{'results':>24} {'seconds':>16} {'MB':>16} {'MiB peak':>18}")
    for (number, all_failed), budget in BUDGETS.items():
        command = [sys.executable, __file__, str(number), str(int(all_failed))]
        done = subprocess.run(command, check=True, capture_output=True, text=True)
        measured = json.loads(done.stdout)
        name = f"{number}{' all failed' if all_failed else ''}"
        cells = [
            f"{value:8.2f} of {limit:5g}" for value, limit in zip(measured.values(), budget, strict=True)
        ]
        print(f"{name:>24} " + " ".join(f"{cell:>16}" for cell in cells))
        exceeded |= any(value > limit for value, limit in zip(measured.values(), budget, strict=True))
    return int(exceeded)


if __name__ == "__main__":
    if len(sys.argv) == 3:
        print(json.dumps(measure(int(sys.argv[1]), sys.argv[2] == "1")))
        sys.exit(0)
    sys.exit(main())
