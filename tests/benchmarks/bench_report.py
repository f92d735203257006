"""What a report costs: seconds to render, size of the page, peak memory; beside pytest-html.

Run it as a script: `python tests/benchmarks/bench_report.py`. Each line is a process of its own that makes
synthetic results, renders them and prints its measures; `all failed` is a library that keeps no promise.
With the extra `browser` the same number of results goes through pytest-html as well (what a run with it takes
more than one without), and both pages are opened in a Chromium on the PATH. Ends with status 1 where a budget
is exceeded: 10 000 results in 3 s and 5 MB, 100 000 in 20 s, 25 MB, 1 GiB; at least 5 times as fast as
pytest-html; 2 s until the page's content is there.
"""

from __future__ import annotations

import importlib.util
import json
import resource
import shutil
import statistics
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
SIDE_BY_SIDE = 10_000
FASTER_BUDGET = 5.0
OPENING_BUDGET_S = 2.0
ROUNDS = 3

SUITE = """
import pytest

@pytest.mark.parametrize("n", range({number}))
def test_case(n):
    assert n % 80, "expected: success, observed: 107000"
"""


def measure(number: int, all_failed: bool, keep: Path | None = None) -> dict[str, float]:
    """Seconds, megabytes and peak MiB of one report."""
    contract = load()
    run = synthetic_run(number, contract)
    if all_failed:
        calls = [Call(function="aclrtMalloc", args={"size": 64, "devPtr": "0x120000000000"}, code=0)]
        for case in run.cases:
            case.verdict, case.reason = Verdict.FAIL, f"expected: success\nobserved: {case.id}"
            case.calls = calls * CALLS_OF_A_FAILURE
    with tempfile.TemporaryDirectory() as folder:
        output = keep or Path(folder) / "report.html"
        start = time.perf_counter()
        render_runs([run], output, contract=contract)
        seconds = time.perf_counter() - start
        size = output.stat().st_size
    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    return {"seconds": seconds, "megabytes": size / 1e6, "memory": peak / 1024}


def budgets() -> bool:
    """Measure every line of the budget; whether all are kept."""
    kept = True
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
        kept &= all(value <= limit for value, limit in zip(measured.values(), budget, strict=True))
    return kept


def side_by_side() -> bool:
    """Our page and pytest-html's of the same number of results; whether the budgets are kept."""
    if importlib.util.find_spec("pytest_html") is None:
        print("pytest-html is not installed (extra `browser`): not compared")
        return True
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        ours, theirs = folder / "ours.html", folder / "theirs.html"
        (folder / "test_many.py").write_text(SUITE.format(number=SIDE_BY_SIDE))
        rendering, added = [], []
        for _ in range(ROUNDS):
            rendering.append(measure(SIDE_BY_SIDE, False, ours)["seconds"])
            with_page = _pytest(folder, f"--html={theirs}", "--self-contained-html")
            added.append(with_page - _pytest(folder, "-p", "no:html"))
        mine, other = statistics.median(rendering), statistics.median(added)
        print(f"\n{SIDE_BY_SIDE} results      ascend-cts   pytest-html")
        print(f"seconds            {mine:10.2f}    {other:10.2f}   {other / mine:.1f} times (at least 5)")
        sizes = [page.stat().st_size / 1e6 for page in (ours, theirs)]
        print(f"megabytes          {sizes[0]:10.2f}    {sizes[1]:10.2f}")
        return _opening(ours, theirs) and other >= FASTER_BUDGET * mine


def _pytest(folder: Path, *words: str) -> float:
    command = [sys.executable, "-m", "pytest", "-q", "--tb=line", "-p", "no:cacheprovider"]
    start = time.perf_counter()
    subprocess.run([*command, *words, str(folder)], cwd=folder, capture_output=True, check=False)
    return time.perf_counter() - start


def _opening(*pages: Path) -> bool:
    chromium = shutil.which("chromium") or shutil.which("google-chrome")
    if importlib.util.find_spec("playwright") is None or chromium is None:
        print("no Chromium or no playwright: the pages were not opened")
        return True
    from playwright.sync_api import sync_playwright

    told = []
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=chromium, args=["--no-sandbox"])
        for page in pages:
            times = []
            for _ in range(ROUNDS):
                tab = browser.new_page()
                tab.goto(page.as_uri(), wait_until="domcontentloaded")
                entry = "performance.getEntriesByType('navigation')[0].domContentLoadedEventEnd"
                times.append(tab.evaluate(entry) / 1000)
                tab.close()
            told.append(statistics.median(times))
        browser.close()
    print(f"DOMContentLoaded s {told[0]:10.2f}    {told[1]:10.2f}   (ours at most 2)")
    return told[0] <= OPENING_BUDGET_S


def main() -> int:
    """Measure everything; 1 where a budget is exceeded."""
    kept = budgets()
    return int(not (side_by_side() and kept))


if __name__ == "__main__":
    if len(sys.argv) == 3:
        print(json.dumps(measure(int(sys.argv[1]), sys.argv[2] == "1")))
        sys.exit(0)
    sys.exit(main())
