"""A sweep: the same cases run once for each fault. Its plan, and the results it leaves behind."""

from __future__ import annotations

import time
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

import msgspec

from harness.results.errors import ResultsError
from harness.results.reader import read_run
from harness.results.records import CaseRecord
from harness.results.summary import judge
from harness.results.verdicts import Counts

_HEALTHY = "healthy"
_ENDED = "ended"
_POLL_S = 0.05


class Job(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """One fault of a sweep: the rules whose cases run, every rule where there are none.

    With `decisive` rules only some profiles run: as many as it takes to have a case of each of these.
    With `brief`, a case is left out where each of its rules has failed already.
    """

    fault: str
    rules: tuple[str, ...] = ()
    decisive: tuple[str, ...] = ()
    brief: bool = False


class Plan(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """The jobs of a sweep, and how many run at once."""

    jobs: tuple[Job, ...]
    at_once: int = 1

    @classmethod
    def read(cls, file: Path) -> Plan:
        """The plan in a file; ResultsError, one line, where there is none."""
        try:
            return msgspec.json.decode(file.read_bytes(), type=cls)
        except OSError as error:
            raise ResultsError(file, f"cannot be read ({error.strerror})") from None
        except msgspec.MsgspecError as error:
            raise ResultsError(file, f"no plan of a sweep: {error}") from None

    def write(self, file: Path) -> None:
        """Write the plan to a file."""
        file.write_bytes(msgspec.json.encode(self))


def faulty_results(folder: Path, number: int) -> Path:
    """The results folder of the job of that number: its cases with the fault."""
    return folder / str(number)


def healthy_results(folder: Path, number: int) -> Path:
    """The results folder of the cases of a job that were bad with the fault, run again without it."""
    return folder / str(number) / _HEALTHY


def log_of(folder: Path, number: int) -> Path:
    """What the processes of a job have printed."""
    return folder / f"{number}.log"


def note_end(folder: Path, number: int, status: int) -> None:
    """Say that a job is over, with the exit status of its process: 0 where it ran to its end."""
    new = folder / f"{number}.{_ENDED}.new"
    new.write_text(str(status), encoding="ascii")
    new.rename(folder / f"{number}.{_ENDED}")


@dataclass(frozen=True)
class Outcome:
    """What a job found: the cases that are bad with the fault and not without, and how many cases ran."""

    bad: tuple[CaseRecord, ...]
    cases: int
    profiles: tuple[str, ...]


def ended_jobs(folder: Path, jobs: int, running: Iterator[bool]) -> Iterator[tuple[int, int]]:
    """Number and exit status of each job as it ends, until all have, or `running` says that none will."""
    left = set(range(jobs))
    while left:
        going = next(running)
        for number in sorted(left):
            file = folder / f"{number}.{_ENDED}"
            if file.exists():
                left.remove(number)
                yield number, int(file.read_text(encoding="ascii"))
        if not going:
            return
        time.sleep(_POLL_S)


def bad_cases(folder: Path, fault: str) -> list[CaseRecord]:
    """The bad cases of the run in a folder; ResultsError where it did not finish or had another fault."""
    run = read_run(folder)
    if not run.finished:
        raise ResultsError(folder, "the run was cut off")
    if run.header.options.get("fault", "") != fault:
        raise ResultsError(folder, f"the suites ran without the fault {fault}" if fault else "a fault was on")
    return [case for case, worth in judge(run) if worth is Counts.BAD]


def outcome(folder: Path, number: int, fault: str) -> Outcome:
    """What the job of that number found; ResultsError, one line, where its results cannot be used."""
    faulty = faulty_results(folder, number)
    bad = bad_cases(faulty, fault)
    always = {case.id for case in bad_cases(healthy_results(folder, number), "")} if bad else set()
    cases = read_run(faulty).cases
    return Outcome(
        bad=tuple(case for case in bad if case.id not in always),
        cases=len(cases),
        profiles=tuple(sorted({case.profile for case in cases})),
    )
