"""What hostile libraries do to a run: every case that meets them says so, and every other verdict stays.

As a script it is the acceptance of the whole: `python tests/isolation/hostile.py [--workers N] [WORDS]` runs
pytest with the words (`suites/`) on the reference device, then on each hostile library. It ends with status 1
where a verdict has changed that must not, or a run took longer than twice the clean one and its deadlines.
"""

from __future__ import annotations

import argparse
import os
import re
import shutil
import subprocess
import sys
import tempfile
import time
from dataclasses import dataclass
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[2]))

from harness.binding import find_reference
from harness.results import CaseRecord, Run, Verdict, read_run

ROOT = Path(__file__).resolve().parents[2]
_MEMCPY = "int aclrtMemcpy(void *dst, size_t max, const void *src, size_t count, int kind)"
HOSTILE = {
    "aclrtSynchronizeStream": "int aclrtSynchronizeStream(void *s) { *(volatile int *)0 = 1; return 0; }",
    "aclrtMemcpy": _MEMCPY + " { for (;;) pause(); return 0; }",
    "aclrtFree": "int aclrtFree(void *ptr) { exit(0); }",
}
"""The function that each library is hostile in, with its code: a crash, a hang, an exit."""
HANGING = "aclrtMemcpy"
_HEADERS = "#include <stddef.h>\n#include <stdlib.h>\n#include <unistd.h>\n"
_DIED = (Verdict.CRASH, Verdict.HANG)


def hostile_library(function: str, folder: Path) -> Path:
    """The reference device with one function that is hostile."""
    reference = find_reference()
    assert reference is not None
    folder.mkdir(parents=True, exist_ok=True)
    source, library = folder / "hostile.c", folder / "libascendcl.so"
    source.write_text(_HEADERS + HOSTILE[function] + "\n")
    compiler = shutil.which("cc") or shutil.which("gcc") or "cc"
    # Needed as a whole: everything else is found there.
    where = ["-Wl,--no-as-needed", reference, f"-Wl,-rpath,{reference.parent}"]
    command = [compiler, "-shared", "-fPIC", "-O0", source, *where, "-o", library]
    subprocess.run(command, check=True)
    return library


@dataclass
class Timed:
    """A run with the seconds it took."""

    run: Run
    seconds: float

    @property
    def cases(self) -> dict[str, CaseRecord]:
        """The records by id; every case has one."""
        found = {case.id: case for case in self.run.cases}
        assert len(found) == len(self.run.cases), "a case has two records"
        return found


def run(words: list[str], target: Path | str, results: Path, deadline: float) -> Timed:
    """Run suites on a library."""
    options = ["--target", str(target), "--results", str(results), "--case-timeout", f"{deadline:g}"]
    start = time.monotonic()
    done = subprocess.run(
        [sys.executable, "-m", "pytest", "-q", *words, *options],
        cwd=ROOT,
        env={name: value for name, value in os.environ.items() if not name.startswith("PYTEST_")},
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
        check=False,
    )
    seconds = time.monotonic() - start
    assert done.returncode in (0, 1), done.stdout
    return Timed(read_run(results), seconds)


def problems(function: str, before: dict[str, CaseRecord], hostile: Timed) -> list[str]:
    """What the hostile run has lost of the cases before, changed without cause, or told without a trace."""
    after = hostile.cases
    found = [f"no result: {name}" for name in before.keys() - after.keys()]
    for name, case in after.items():
        if case.verdict in _DIED:
            found += _without_trace(function, case)
        elif case.verdict is not before[name].verdict:
            found.append(f"{name}: {before[name].verdict.value} became {case.verdict.value}: {case.reason}")
    if not hostile.run.finished:
        found.append("the run has no end")
    return found


def _without_trace(function: str, case: CaseRecord) -> list[str]:
    """What is wrong with the record of a case that died: it must name the function and how it ended."""
    if not re.search(rf"\b(?:in|and) {function}\b", case.reason):
        return [f"{case.id}: {case.verdict.value} elsewhere: {case.reason}"]
    # Another process may have died before this one made a call.
    if not case.calls and "another process" not in case.reason:
        return [f"{case.id}: {case.verdict.value} without its calls"]
    return []


def deadlines(hostile: Timed, deadline: float) -> float:
    """The seconds that hung cases and benchmarks were waited for."""
    cases = sum(max(case.duration_s, deadline) for case in hostile.run.cases if case.verdict is Verdict.HANG)
    return cases + deadline * sum("no answer within" in each.reason for each in hostile.run.benchmarks)


def main() -> int:
    """Run, print and judge."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--workers", default="auto", help="pytest's -n")
    parser.add_argument("--functions", default=",".join(HOSTILE), help="which hostile libraries, by commas")
    parser.add_argument("--case-timeout", type=float, default=2.0, help="seconds until a case has hung")
    options, words = parser.parse_known_args()
    words = [*(words or ["suites/"]), "-n", options.workers]
    bad = False
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        clean = run(words, "reference", folder / "clean", options.case_timeout)
        print(f"clean: {len(clean.cases)} cases in {clean.seconds:.1f} s", flush=True)
        for function in options.functions.split(","):
            library = hostile_library(function, folder / function)
            hostile = run(words, library, folder / f"results-{function}", options.case_timeout)
            found = problems(function, clean.cases, hostile)
            died = sum(case.verdict in _DIED for case in hostile.run.cases)
            limit = 2 * clean.seconds + deadlines(hostile, options.case_timeout)
            if hostile.seconds > limit:
                found.append(f"took longer than {limit:.1f} s")
            print(f"{function}: {died} cases died, {hostile.seconds:.1f} s (limit {limit:.1f} s)")
            print("".join(f"  {line}\n" for line in found[:30]), end="")
            print(f"  and {len(found) - 30} more\n" if len(found) > 30 else "", end="", flush=True)
            bad = bad or bool(found) or died == 0
    return int(bad)


if __name__ == "__main__":
    sys.exit(main())
