"""Running the suites with one fault at a time: what is noticed, what is not, and what else breaks."""

from __future__ import annotations

import subprocess
import sys
import tempfile
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from enum import Enum
from pathlib import Path

from harness.contract import Contract, perhaps
from harness.faults.catalogue import Fault, FaultError
from harness.results import ResultsError
from harness.results.sweep import Job, Outcome, Plan, ended_jobs, log_of, outcome

OLDER_CANN = "8.0"
"""The older of the two CANN versions that the reference device plays."""

# What pytest ends with when the sweep ran: in order, or without any case for its rules.
_RAN = (0, 5)


class Width(str, Enum):
    """Which rules are run with a fault: those it breaks, those of the functions it touches, or all."""

    RULES = "rules"
    FUNCTIONS = "functions"
    ALL = "all"


@dataclass(frozen=True)
class Evidence:
    """A case that failed with a fault and not without it: its id, its verdict and the reason in one line."""

    case: str
    verdict: str
    reason: str


@dataclass(frozen=True)
class FaultResult:
    """What the suites made of one fault.

    `noticed` are the rules it is declared to break and that failed; `silent` the declared ones that did not;
    `bystanders` failed without being declared; `evidence` are the cases that failed; `cases` tells how many
    were run, `profiles` as what.
    """

    name: str
    noticed: tuple[str, ...]
    silent: tuple[str, ...]
    bystanders: tuple[str, ...]
    evidence: tuple[Evidence, ...]
    cases: int
    profiles: tuple[str, ...]

    @property
    def exact(self) -> bool:
        """True where exactly the declared rules failed."""
        return not self.silent and not self.bystanders


def run_faults(
    names: Sequence[str],
    faults: dict[str, Fault],
    contract: Contract,
    root: Path,
    width: Width = Width.FUNCTIONS,
    pytest_args: Sequence[str] = (),
    at_once: int = 1,
) -> Iterator[FaultResult]:
    """Run the suites below `root` on the reference device with each of `names`, `at_once` at a time.

    A fault runs on as few profiles as its rules need; a rule that holds there is tried on every profile
    before it counts as silent, and in the older CANN version too where it is bound to versions. A case that
    fails without the fault as well says nothing about it. The results come in the order in which they are
    settled. Raises FaultError, one line, where a run cannot be made.
    """
    for name in names:
        if name not in faults:
            hint = perhaps(name, faults) or f"; `aclcts faults --list` shows all {len(faults)}"
            raise FaultError(f"no such fault: {name}{hint}")
    # Without bystanders to look for, a rule that has failed need not fail again.
    brief = width is Width.RULES
    jobs = [Job(name, _rules(faults[name], contract, width), faults[name].breaks, brief) for name in names]
    unsettled: dict[str, Outcome] = {}
    for job, found in _sweep(jobs, root, pytest_args, at_once):
        if _silent(job.decisive, found):
            unsettled[job.fault] = found
        else:
            yield _result(job.fault, faults[job.fault], found)
    older: dict[str, Outcome] = {}
    for job, found in _again(unsettled, faults, root, pytest_args, at_once):
        silent = _silent(faults[job.fault].breaks, found)
        if any(contract.rules[rule].versions != "all" for rule in silent):
            older[job.fault] = found
        else:
            yield _result(job.fault, faults[job.fault], found)
    for job, found in _again(older, faults, root, [*pytest_args, "--cann", OLDER_CANN], at_once):
        yield _result(job.fault, faults[job.fault], found)


def _again(
    unsettled: dict[str, Outcome],
    faults: dict[str, Fault],
    root: Path,
    pytest_args: Sequence[str],
    at_once: int,
) -> Iterator[tuple[Job, Outcome]]:
    """Try the rules that have held so far on every profile; what was found then and before."""
    jobs = [Job(name, _silent(faults[name].breaks, found), brief=True) for name, found in unsettled.items()]
    for job, more in _sweep(jobs, root, pytest_args, at_once):
        first = unsettled[job.fault]
        known = {case.id for case in first.bad}
        both = Outcome(
            bad=(*first.bad, *(case for case in more.bad if case.id not in known)),
            cases=first.cases + more.cases,
            profiles=tuple(sorted({*first.profiles, *more.profiles})),
        )
        yield job, both


def _rules(fault: Fault, contract: Contract, width: Width) -> tuple[str, ...]:
    """The rules to run with a fault; none stands for all."""
    if width is Width.ALL:
        return ()
    if width is Width.RULES:
        return fault.breaks
    apis = dict.fromkeys(contract.rules[rule].api for rule in fault.breaks)
    return tuple(rule.id for api in apis for rule in contract.promised(api))


def _silent(rules: Sequence[str], found: Outcome) -> tuple[str, ...]:
    """The rules of which no case failed."""
    failed = {rule for case in found.bad for rule in case.rules}
    return tuple(rule for rule in rules if rule not in failed)


def _result(name: str, fault: Fault, found: Outcome) -> FaultResult:
    failed = {rule for case in found.bad for rule in case.rules}
    return FaultResult(
        name=name,
        noticed=tuple(rule for rule in fault.breaks if rule in failed),
        silent=_silent(fault.breaks, found),
        bystanders=tuple(sorted(failed - set(fault.breaks))),
        evidence=tuple(
            Evidence(case.id, case.verdict.value, " ".join(case.reason.split())) for case in found.bad
        ),
        cases=found.cases,
        profiles=found.profiles,
    )


def _sweep(
    jobs: Sequence[Job], root: Path, pytest_args: Sequence[str], at_once: int
) -> Iterator[tuple[Job, Outcome]]:
    """Run jobs with one collection of the suites; each with what it found, as it ends."""
    if not jobs:
        return
    rules = sorted({rule for job in jobs for rule in job.rules})
    with tempfile.TemporaryDirectory(prefix="aclcts-faults-") as name:
        folder = Path(name)
        plan, printed = folder / "plan.json", folder / "printed"
        Plan(tuple(jobs), at_once).write(plan)
        command = [sys.executable, "-m", "pytest", "suites", "--target", "reference", "--sweep", str(plan)]
        command += ["--results", name, "-q", "-s", "-p", "no:cacheprovider", *pytest_args]
        command += [word for rule in rules for word in ("--rule", rule)] if all(j.rules for j in jobs) else []
        with (
            printed.open("wb") as output,
            subprocess.Popen(command, cwd=root, stdout=output, stderr=subprocess.STDOUT) as process,
        ):
            try:
                yield from _outcomes(jobs, folder, process)
            except BaseException:
                process.terminate()
                raise
        if process.returncode not in _RAN:
            raise FaultError(f"the suites did not run: {_why(printed)} (exit status {process.returncode})")


def _outcomes(
    jobs: Sequence[Job], folder: Path, process: subprocess.Popen[bytes]
) -> Iterator[tuple[Job, Outcome]]:
    def running() -> Iterator[bool]:
        while True:
            yield process.poll() is None

    left = dict(enumerate(jobs))
    for number, status in ended_jobs(folder, len(jobs), running()):
        job = left.pop(number)
        if status != 0:
            why = _why(log_of(folder, number))
            raise FaultError(f"the suites did not run with {job.fault}: {why} (exit status {status})")
        try:
            yield job, outcome(folder, number, job.fault)
        except ResultsError as error:
            raise FaultError(f"the suites left no usable results: {error}") from None
    if left and process.returncode in _RAN:
        raise FaultError(f"these never ended: {', '.join(job.fault for job in left.values())}")


def _why(printed: Path) -> str:
    """The line of what a process has printed that says what went wrong."""
    text = printed.read_text(encoding="utf-8", errors="replace") if printed.exists() else ""
    lines = [line.strip() for line in text.splitlines() if line.strip()]
    told = [line[2:] for line in lines if line.startswith("E  ")] or [
        line for line in lines if "rror" in line
    ]
    return " ".join((told or lines or ["no output"])[0].removeprefix("ERROR: ").split())
