"""Running the suites with one fault at a time: what is noticed, what is not, and what else breaks."""

from __future__ import annotations

import re
import subprocess
import sys
import tempfile
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

from harness.contract import Contract
from harness.faults.catalogue import Fault, FaultError
from harness.results import FILE_NAME, Counts, ResultsError, read_run
from harness.results.summary import judge

# What pytest ends with when everything ran: nothing bad, something bad.
_RAN = (0, 1)

# What pytest says where the suites have no case for the rules.
_NOTHING = re.compile(r"^(\d+ deselected|no tests ran)\b[^\n]*\Z", re.MULTILINE)


@dataclass(frozen=True)
class FaultResult:
    """What the suites made of one fault.

    `noticed` are the rules it is declared to break and that failed; `silent` the declared ones that did not;
    `collateral` failed without being declared; `tests` are the cases that failed.
    """

    name: str
    noticed: tuple[str, ...]
    silent: tuple[str, ...]
    collateral: tuple[str, ...]
    tests: tuple[str, ...]

    @property
    def exact(self) -> bool:
        """True where exactly the declared rules failed."""
        return not self.silent and not self.collateral


def run_faults(
    names: Sequence[str],
    faults: dict[str, Fault],
    contract: Contract,
    root: Path,
    full: bool = False,
    pytest_args: Sequence[str] = (),
) -> Iterator[FaultResult]:
    """Run the suites below `root` on the reference device: once without a fault, once with each of `names`.

    Only the rules of the functions whose rules a fault breaks are run, all of them with `full`. What is bad
    without a fault says nothing about one. Raises FaultError, one line, where a run cannot be made.
    """
    for name in names:
        if name not in faults:
            raise FaultError(f"no such fault: {name}; `aclcts faults --list` shows all {len(faults)}")
    needed = [rule for name in names for rule in _rules(faults[name], contract)]
    healthy, _ = _bad(root, "", () if full else sorted(set(needed)), pytest_args)
    for name in names:
        fault = faults[name]
        bad, tests = _bad(root, name, () if full else _rules(fault, contract), pytest_args)
        failed = bad - healthy
        yield FaultResult(
            name=name,
            noticed=tuple(rule for rule in fault.breaks if rule in failed),
            silent=tuple(rule for rule in fault.breaks if rule not in failed),
            collateral=tuple(sorted(failed - set(fault.breaks))),
            tests=tuple(tests),
        )


def _rules(fault: Fault, contract: Contract) -> list[str]:
    """Every rule of the functions whose rules the fault breaks."""
    apis = dict.fromkeys(contract.rules[rule].api for rule in fault.breaks)
    return [rule.id for api in apis for rule in contract.promised(api)]


def _bad(
    root: Path, fault: str, rules: Sequence[str], pytest_args: Sequence[str]
) -> tuple[set[str], list[str]]:
    """The rules of the bad cases of one run, and the ids of these cases."""
    with tempfile.TemporaryDirectory(prefix="aclcts-faults-") as folder:
        command = [sys.executable, "-m", "pytest", "suites", "--target", "reference", "--results", folder]
        command += ["-q", "-p", "no:cacheprovider", *pytest_args]
        command += [word for rule in rules for word in ("--rule", rule)]
        command += ["--fault", fault] if fault else []
        done = subprocess.run(command, cwd=root, capture_output=True, text=True, check=False)
        if not (Path(folder) / FILE_NAME).exists() and _NOTHING.search(done.stdout.strip()):
            return set(), []
        if done.returncode not in _RAN:
            raise FaultError(f"the suites did not run{f' with {fault}' if fault else ''}: {_why(done)}")
        try:
            run = read_run(folder)
        except ResultsError as error:
            raise FaultError(f"the suites left no usable results: {error}") from None
        if fault and run.header.options.get("fault") != fault:
            raise FaultError(f"the suites ran without the fault {fault}")
    bad = [case for case, worth in judge(run) if worth is Counts.BAD]
    return {rule for case in bad for rule in case.rules}, [case.id for case in bad]


def _why(done: subprocess.CompletedProcess[str]) -> str:
    """The line of pytest's output that says what went wrong."""
    lines = [line.strip() for line in f"{done.stderr}\n{done.stdout}".splitlines() if line.strip()]
    told = [line[2:] for line in lines if line.startswith("E  ")] or [
        line for line in lines if "rror" in line
    ]
    return f"{' '.join((told or lines or ['no output'])[0].split())} (exit status {done.returncode})"
