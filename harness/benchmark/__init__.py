"""How fast copies and calls are, and how sure that is: the measuring method behind `aclcts bench`."""

from harness.benchmark.catalogue import Benchmark, catalogue, quick_sizes, sweep_sizes
from harness.benchmark.compare import Comparison, Outcome, compare, compare_runs, exit_status
from harness.benchmark.errors import BenchmarkError
from harness.benchmark.sampling import CHECK, EFFORTS, FULL, QUICK, Effort
from harness.benchmark.work import Measuring, Order

__all__ = [
    "CHECK",
    "EFFORTS",
    "FULL",
    "QUICK",
    "Benchmark",
    "BenchmarkError",
    "Comparison",
    "Effort",
    "Measuring",
    "Order",
    "Outcome",
    "catalogue",
    "compare",
    "compare_runs",
    "exit_status",
    "quick_sizes",
    "sweep_sizes",
]
