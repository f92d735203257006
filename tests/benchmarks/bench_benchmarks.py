"""What the benchmarks are worth: calibration, the sweep's time, and the cost of a call.

Run it as a script: `python tests/benchmarks/bench_benchmarks.py [--runs N]`. It prints, and ends with
status 1 where one is missed:

- calibration: 12 pairs of bandwidth and latency, N runs each (default 100): bandwidth within 2 %, latency
within 5 % or 0.5 us,
  the truth in the 95 % interval in 90 % of the runs. Runs that doubt themselves (a busy host) do not count,
  and are counted.
- sweep: 64 sizes from 1 byte to 1 GiB to the device and back, timing model off, in less than 60 s.

The cost of a call beside a loop written by hand, and the comparison of streams whose truth is known, are
tests:
`pytest -s tests/benchmark`.
"""

from __future__ import annotations

import argparse
import sys
import time
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[2]))

from harness.benchmark import Measuring, Order, catalogue, sweep_sizes
from harness.benchmark.calibrate import TRUTHS, calibrate
from harness.cli.bench_calibrate import told
from harness.cli.command import Context
from harness.contract import Contract, load
from harness.device import Target, select_target
from harness.plugin.settings import probe_in_child

SWEEP_BUDGET_S = 60.0
SWEEP_SIZES = 64


def calibration(target: Target, contract: Contract, runs: int) -> bool:
    """Print what the runs of each truth found; whether none was wrong."""
    right = True
    for result in calibrate(target, contract, runs, TRUTHS):
        print(told(result, Context("en")), flush=True)
        right = right and result.right is not False
    return right


def sweep(target: Target, contract: Contract) -> bool:
    """Print how long the sweep takes; whether it is in time and all of it was measured."""
    wanted = ("h2d-pinned-async", "d2h-pinned-async")
    benchmarks = [each for each in catalogue(sweep_sizes(SWEEP_SIZES)) if each.series in wanted]
    start = time.perf_counter()
    with Measuring(target, contract, Order("quick")) as measuring:
        records = [measuring.run(target.profiles[0], each) for each in benchmarks]
    seconds = time.perf_counter() - start
    measured = sum(record.valid for record in records)
    print(f"sweep: {measured} of {len(benchmarks)} points in {seconds:.1f} s (budget {SWEEP_BUDGET_S:g} s)")
    return measured == len(benchmarks) == 2 * SWEEP_SIZES and seconds < SWEEP_BUDGET_S


def main() -> int:
    """Run both; 1 where one misses its budget."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--runs", type=int, default=100, help="runs of each truth")
    options = parser.parse_args()
    contract = load()
    target = select_target(contract, "reference", ["910b"], probe=probe_in_child)
    in_time = sweep(target, contract)
    right = calibration(target, contract, options.runs)
    return 0 if in_time and right else 1


if __name__ == "__main__":
    sys.exit(main())
