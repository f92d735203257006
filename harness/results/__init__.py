"""Result records, where they are kept, and what they amount to (docs/results-format.md)."""

from harness.results.benchmarks import BenchmarkRecord, Criterion, Interval, Link, Place, Samples
from harness.results.errors import ResultsError
from harness.results.reader import Run, read_run, read_runs, together
from harness.results.records import (
    SCHEMA,
    Call,
    CaseRecord,
    ContractInfo,
    FirstCause,
    Footer,
    Header,
    Record,
    TargetInfo,
    Waived,
    calls_from,
    first_cause,
)
from harness.results.store import FILE_NAME, PREVIOUS_NAME, Store
from harness.results.verdicts import Counts, Verdict, worst

__all__ = [
    "FILE_NAME",
    "PREVIOUS_NAME",
    "SCHEMA",
    "BenchmarkRecord",
    "Call",
    "CaseRecord",
    "ContractInfo",
    "Counts",
    "Criterion",
    "FirstCause",
    "Footer",
    "Header",
    "Interval",
    "Link",
    "Place",
    "Record",
    "ResultsError",
    "Run",
    "Samples",
    "Store",
    "TargetInfo",
    "Verdict",
    "Waived",
    "calls_from",
    "first_cause",
    "read_run",
    "read_runs",
    "together",
    "worst",
]
