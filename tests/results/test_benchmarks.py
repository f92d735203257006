"""Benchmark records in a results file: kept beside the cases, counted, never twice."""

from __future__ import annotations

from pathlib import Path

import pytest

from harness.results import (
    BenchmarkRecord,
    Interval,
    ResultsError,
    Samples,
    Store,
    Verdict,
    read_run,
    read_runs,
)

from .test_store import case, header


def benchmark(number: int, mismatches: int = 0) -> BenchmarkRecord:
    median = Interval(value=1e-3, low=0.9e-3, high=1.1e-3)
    return BenchmarkRecord(
        id=f"910b-EP/h2d-pinned-async/{number}",
        series="h2d-pinned-async",
        quantity="bandwidth",
        api="aclrtMemcpyAsync",
        product="910b",
        form="EP",
        cann="9.0",
        size=number,
        samples=Samples(
            n=2, median=median, mean=1e-3, minimum=1e-3, maximum=1e-3, iqr=0.0, p95=1e-3, p99=1e-3
        ),
        mismatches=mismatches,
        raw=[1e-3, 1e-3],
    )


def finished(folder: Path, *records: BenchmarkRecord) -> Path:
    store = Store(folder, header())
    store.append(case(1))
    for record in records:
        store.append(record)
    store.finish(0)
    return folder / "results.jsonl"


def test_cases_and_benchmarks_read_back_apart(tmp_path: Path) -> None:
    finished(tmp_path, benchmark(64), benchmark(128))
    run = read_run(tmp_path)
    assert run.cases == [case(1)]
    assert run.benchmarks == [benchmark(64), benchmark(128)]
    assert run.footer is not None
    assert (run.footer.counts, run.footer.benchmarks) == ({Verdict.PASS.value: 1}, 2)


def test_a_deleted_benchmark_shows(tmp_path: Path) -> None:
    file = finished(tmp_path, benchmark(64), benchmark(128))
    lines = file.read_bytes().splitlines(keepends=True)
    file.write_bytes(b"".join(lines[:2] + lines[3:]))
    with pytest.raises(ResultsError, match="the footer counts 2 benchmarks, the file has 1"):
        read_run(file)


def test_a_benchmark_is_recorded_once(tmp_path: Path) -> None:
    file = finished(tmp_path, benchmark(64), benchmark(64))
    with pytest.raises(ResultsError, match="benchmark 910b-EP/h2d-pinned-async/64 is recorded twice"):
        read_run(file)


def test_a_benchmark_is_in_one_of_several_runs(tmp_path: Path) -> None:
    first, second = finished(tmp_path / "a", benchmark(64)), tmp_path / "b"
    store = Store(second, header("run-2"))
    store.append(benchmark(64))
    store.finish(0)
    with pytest.raises(ResultsError, match=r"benchmark .* is in .* too"):
        read_runs([first, second])


def test_wrong_data_or_no_samples_make_a_record_invalid() -> None:
    assert benchmark(64).valid
    assert not benchmark(64, mismatches=1).valid
    nothing = BenchmarkRecord(
        id="x", series="x", quantity="latency", api="aclrtMemcpy", product="910b", form="EP", cann="9.0"
    )
    assert not nothing.valid
    assert nothing.profile == "910b-EP"
