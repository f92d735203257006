"""How long the contract takes to load and what it costs in memory, each time in a fresh process.

    python tests/benchmarks/bench_contract.py [--runs 9]

Prints the medians against the budget (150 ms, 60 MiB) and exits with 1 when one is over it. The time is that
of `import harness.contract` and `load()` together, the memory the growth of the peak resident size. A busy or
slow machine is not a slow loader: read the spread beside the median before believing a failure.
"""

import argparse
import json
import statistics
import subprocess
import sys
from pathlib import Path

BUDGET_MS = 150.0
BUDGET_MIB = 60.0

_MEASURE = """
import json, resource, time
before = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
start = time.perf_counter()
from harness.contract import load
contract = load()
elapsed = time.perf_counter() - start
after = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
rule = contract.rules["memcpy2d_async.height_limit"]
start = time.perf_counter()
for _ in range(100_000):
    rule.applies("910b", "EP", "9.0")
applies = time.perf_counter() - start
print(json.dumps({"ms": elapsed * 1e3, "mib": (after - before) / 1024, "applies_ns": applies * 1e4}))
"""


def measure() -> dict[str, float]:
    """One fresh process: load time in ms, growth of the peak resident size in MiB, one applies() in ns."""
    run = subprocess.run(
        [sys.executable, "-c", _MEASURE],
        cwd=Path(__file__).parents[2],
        capture_output=True,
        text=True,
        check=True,
        timeout=60,
    )
    result: dict[str, float] = json.loads(run.stdout)
    return result


def main() -> int:
    parser = argparse.ArgumentParser(description="Measure loading the contract in fresh processes.")
    parser.add_argument("--runs", type=int, default=9, help="fresh processes to measure (default 9)")
    runs = [measure() for _ in range(max(1, parser.parse_args().runs))]
    over = False
    for key, label, unit, budget in (
        ("ms", "import and load", "ms", BUDGET_MS),
        ("mib", "peak memory growth", "MiB", BUDGET_MIB),
        ("applies_ns", "Rule.applies", "ns", None),
    ):
        values = [run[key] for run in runs]
        median = statistics.median(values)
        allowed = f"budget {budget:g} {unit}" if budget is not None else "no budget"
        print(f"{label}: {median:.1f} {unit} (from {min(values):.1f} to {max(values):.1f}), {allowed}")
        over = over or (budget is not None and median > budget)
    if over:
        print("over budget: on a busy or slow machine run again before looking for a cause in the loader")
    return 1 if over else 0


if __name__ == "__main__":
    sys.exit(main())
