"""Reading the records of runs: strict, except that a run that was cut off stays readable."""

from __future__ import annotations

import os
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from pathlib import Path

import msgspec

from harness.results.benchmarks import BenchmarkRecord
from harness.results.errors import ResultsError
from harness.results.records import SCHEMA, CaseRecord, Footer, Header, Record
from harness.results.store import FILE_NAME

_decoder = msgspec.json.Decoder(Record)

# A record is some kilobytes; a device such as /dev/zero is one line without an end.
_LONGEST_LINE = 256 << 20


class _Peek(msgspec.Struct):
    kind: str
    schema: int


@dataclass
class Run:
    """One results file. `truncated` tells that its last line was cut off and left out."""

    path: Path
    header: Header
    cases: list[CaseRecord] = field(default_factory=list)
    footer: Footer | None = None
    truncated: bool = False
    benchmarks: list[BenchmarkRecord] = field(default_factory=list)

    @property
    def finished(self) -> bool:
        """True where the run wrote its footer."""
        return self.footer is not None


def read_run(path: Path | str) -> Run:
    """The run in a results file, or in the `results.jsonl` of a results folder.

    Raises ResultsError naming file, line and what is wrong: no such file, not a results file, another schema
    version, a broken line that is not the last, a case or benchmark recorded twice.
    """
    file = Path(path)
    # Not Path.is_dir, which raises for a name that is too long.
    if os.path.isdir(file):
        file = file / FILE_NAME
    return parse_run(file, _lines(file))


def parse_run(file: Path, lines: Iterator[bytes]) -> Run:
    """As `read_run`, for the lines of a file that is open already; `file` is what errors call it."""
    header = _header(file, next(lines, b""))
    run = Run(path=file, header=header)
    seen: set[str] = set()
    for number, line in enumerate(lines, start=2):
        record = _decode(file, number, line)
        if record is None:
            run.truncated = True
        elif isinstance(record, Header):
            raise ResultsError(file, "a second header; one results file holds one run", number)
        elif run.footer is not None:
            raise ResultsError(file, "a record after the footer", number)
        elif isinstance(record, Footer):
            run.footer = record
        elif record.id in seen:
            what = "benchmark" if isinstance(record, BenchmarkRecord) else "case"
            raise ResultsError(file, f"{what} {record.id} is recorded twice", number)
        else:
            seen.add(record.id)
            if isinstance(record, BenchmarkRecord):
                run.benchmarks.append(record)
            else:
                run.cases.append(record)
    _check_counts(run)
    return run


def read_runs(paths: Sequence[Path | str]) -> list[Run]:
    """Several runs that form one result: no case or benchmark may be in two of them (ResultsError)."""
    return together([read_run(path) for path in paths])


def together(runs: list[Run]) -> list[Run]:
    """The runs, where they form one result; ResultsError where a case or benchmark is in two of them."""
    home: dict[str, Path] = {}
    for run in runs:
        for what, ids in (
            ("case", [case.id for case in run.cases]),
            ("benchmark", [made.id for made in run.benchmarks]),
        ):
            for each in ids:
                if each in home:
                    raise ResultsError(run.path, f"{what} {each} is in {home[each]} too; give each run once")
                home[each] = run.path
    return runs


def _lines(file: Path) -> Iterator[bytes]:
    try:
        with file.open("rb") as stream:
            while line := stream.readline(_LONGEST_LINE):
                if len(line) == _LONGEST_LINE:
                    raise ResultsError(
                        file, f"not a results file: a line of {_LONGEST_LINE >> 20} MiB or more"
                    )
                yield line
    except OSError as error:
        raise ResultsError(file, f"cannot be read ({error.strerror})") from None


def _header(file: Path, line: bytes) -> Header:
    try:
        peek = msgspec.json.decode(line, type=_Peek)
    except (msgspec.MsgspecError, RecursionError):
        raise ResultsError(file, "not a results file: the first line is no header", 1) from None
    if peek.kind != "header":
        raise ResultsError(file, f"not a results file: it starts with a {peek.kind!r} record", 1)
    if peek.schema != SCHEMA:
        raise ResultsError(file, f"results of schema {peek.schema}; this harness reads schema {SCHEMA}", 1)
    record = _decode(file, 1, line)
    if not isinstance(record, Header):
        raise ResultsError(file, "not a results file: the header is cut off", 1)
    return record


def _decode(file: Path, number: int, line: bytes) -> Record | None:
    """The record of a line, or None for a last line that was cut off (it has no line end)."""
    try:
        return _decoder.decode(line)
    except (msgspec.MsgspecError, RecursionError) as error:
        if not line.endswith(b"\n"):
            return None
        what = "nested too deeply" if isinstance(error, RecursionError) else str(error)
        raise ResultsError(file, f"broken record: {what}", number) from None


def _check_counts(run: Run) -> None:
    """A deleted line of a finished run shows: the footer has counted the verdicts."""
    if run.footer is None:
        return
    counted: dict[str, int] = {}
    for case in run.cases:
        counted[case.verdict.value] = counted.get(case.verdict.value, 0) + 1
    if counted != {verdict: count for verdict, count in run.footer.counts.items() if count}:
        total = sum(run.footer.counts.values())
        raise ResultsError(run.path, f"the footer counts {total} cases and other verdicts than the file has")
    if run.footer.benchmarks != len(run.benchmarks):
        raise ResultsError(
            run.path,
            f"the footer counts {run.footer.benchmarks} benchmarks, the file has {len(run.benchmarks)}",
        )
