"""Many runs: kept as Parquet files, one a run, and queried with DuckDB; needs the extra `history`.

A history is a folder: `cases/RUN.parquet` has a row for each case and rule, `benchmarks/RUN.parquet` one for
each benchmark. There is no server and no index; a file can be deleted, copied and merged like any other.
"""

from __future__ import annotations

import contextlib
import hashlib
import importlib
import json
import os
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from harness.results.errors import ResultsError
from harness.results.files import check_folder
from harness.results.reader import Run
from harness.results.summary import judge

CASES, BENCHMARKS = "cases", "benchmarks"
# What may differ between two runs without anything having changed: a verdict that follows it is a flake.
_FREE = frozenset({"seed", "case_timeout", "isolate", "results", "report", "waivers", "resume"})


@dataclass(frozen=True)
class KeptRun:
    """One run of a history: what it was of, and how many cases counted as what."""

    run_id: str
    started: str
    target: str
    product: str
    cann: str
    cases: int
    bad: int
    remark: int
    neutral: int
    good: int


@dataclass(frozen=True)
class FailingSince:
    """A rule that fails in its last run: since when, and when it last held (nothing: it never did)."""

    rule: str
    target: str
    profile: str
    since: str
    since_run: str
    held: str
    runs: int
    verdict: str
    code: str


@dataclass(frozen=True)
class Flake:
    """A case whose verdict changed though library, driver, contract and options were the same."""

    id: str
    profile: str
    verdicts: tuple[str, ...]
    runs: int
    changes: int


@dataclass(frozen=True)
class Measured:
    """One benchmark in one run: the median of its times in seconds."""

    id: str
    profile: str
    started: str
    median_s: float


class History:
    """The history in a folder. Raises ResultsError, one line, where it, or a file in it, cannot be used."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder

    def _check_own(self) -> None:
        """Raise ResultsError for a folder of something else: a history starts in an empty one."""
        try:
            check_folder(self.folder)
            there = os.listdir(self.folder) if self.folder.is_dir() else []
            parts = [self.folder / name for name in (CASES, BENCHMARKS) if name in there]
            foreign = [name for part in parts for name in os.listdir(part) if ".parquet" not in name]
        except OSError as error:
            raise ResultsError(
                self.folder, f"the history cannot be written ({error.strerror or error})"
            ) from None
        if not parts:
            foreign = [name for name in there if not name.startswith(".")]
        if foreign:
            raise ResultsError(
                self.folder,
                f"no history: it holds {min(foreign)}; name an empty folder, a new one or a history",
            )

    def add(self, run: Run) -> bool:
        """Keep a run; False where it is there already."""
        self._check_own()
        digest = hashlib.sha256(run.header.run_id.encode()).hexdigest()
        name = f"{run.header.started:%Y%m%dT%H%M%S}-{digest[:12]}"
        file = self.folder / CASES / f"{name}.parquet"
        if file.exists():
            return False
        self._write(self.folder / BENCHMARKS / f"{name}.parquet", _benchmark_rows(run), _BENCHMARK_TYPES)
        # The file that says that the run is there comes last.
        self._write(file, _case_rows(run), _CASE_TYPES)
        return True

    def runs(self) -> list[KeptRun]:
        """Every run and its products, oldest first."""
        rows = self._ask(
            CASES,
            """
            SELECT run_id, any_value(started) AS moment, any_value(target), product, any_value(cann),
                   count(DISTINCT id),
                   count(DISTINCT id) FILTER (worth = 'bad'), count(DISTINCT id) FILTER (worth = 'remark'),
                   count(DISTINCT id) FILTER (worth = 'neutral'), count(DISTINCT id) FILTER (worth = 'good')
            FROM kept GROUP BY run_id, product ORDER BY moment, run_id, product
            """,
        )
        return [KeptRun(*row) for row in rows]

    def rules(self) -> list[str]:
        """The id of every rule that a kept case stands on."""
        return [rule for (rule,) in self._ask(CASES, "SELECT DISTINCT rule FROM kept ORDER BY rule")]

    def benchmarks(self) -> list[str]:
        """The id of every kept benchmark."""
        return [each for (each,) in self._ask(BENCHMARKS, "SELECT DISTINCT id FROM kept ORDER BY id")]

    def failing(self, rule: str = "*") -> list[FailingSince]:
        """The rules that match the pattern and fail in their last run, each with when that began."""
        rows = self._ask(
            CASES,
            """
            SELECT rule, target, product || '-' || form AS profile, run_id, any_value(started) AS moment,
                   bool_or(worth = 'bad'),
                   coalesce(min(verdict) FILTER (worth = 'bad'), ''),
                   coalesce(min(first_code) FILTER (worth = 'bad'), '')
            FROM kept WHERE rule GLOB ? AND worth != 'neutral'
            GROUP BY rule, target, profile, run_id ORDER BY rule, target, profile, moment, run_id
            """,
            rule,
        )
        series: dict[tuple[str, str, str], list[Any]] = {}
        for name, target, profile, *rest in rows:
            series.setdefault((name, target, profile), []).append(rest)
        return [found for key, points in series.items() if (found := _since(key, points)) is not None]

    def flakes(self) -> list[Flake]:
        """The cases whose verdict changed with nothing changed, those that change most often first."""
        rows = self._ask(
            CASES,
            """
            WITH each AS (
                SELECT DISTINCT id, product || '-' || form AS profile, conditions, run_id, started, verdict
                FROM kept
            ), beside AS (
                SELECT *, lag(verdict) OVER (PARTITION BY id, conditions ORDER BY started, run_id) AS before
                FROM each
            )
            SELECT id, any_value(profile), list_sort(list(DISTINCT verdict)), count(*),
                   count(*) FILTER (before IS NOT NULL AND before != verdict) AS changes
            FROM beside GROUP BY id, conditions HAVING count(DISTINCT verdict) > 1 ORDER BY changes DESC, id
            """,
        )
        return [
            Flake(case, profile, tuple(verdicts), runs, changes)
            for case, profile, verdicts, runs, changes in rows
        ]

    def measured(self, pattern: str = "*") -> list[Measured]:
        """The medians of the benchmarks that match the pattern, by benchmark, oldest first."""
        rows = self._ask(
            BENCHMARKS,
            """
            SELECT id, product || '-' || form, started, median_s
            FROM kept WHERE id GLOB ? ORDER BY id, started
            """,
            pattern,
        )
        return [Measured(*row) for row in rows]

    def _write(self, file: Path, rows: Sequence[tuple[Any, ...]], types: dict[str, str]) -> None:
        arrow, parquet = _arrow(self.folder)
        columns = list(zip(*rows, strict=True)) if rows else [()] * len(types)
        kinds = {"text": arrow.string(), "number": arrow.float64()}
        table = arrow.table(
            {
                name: arrow.array(column, kinds[kind])
                for (name, kind), column in zip(types.items(), columns, strict=True)
            }
        )
        new = file.with_name(f"{file.name}.{os.getpid()}.new")
        try:
            file.parent.mkdir(parents=True, exist_ok=True)
            parquet.write_table(table, new, compression="zstd")
            new.replace(file)
        except OSError as error:
            with contextlib.suppress(OSError):
                new.unlink()
            raise ResultsError(file, f"the history cannot be written ({error.strerror or error})") from None

    def _ask(self, kind: str, query: str, *values: str) -> list[tuple[Any, ...]]:
        """The rows of a query over the files of a kind, which it calls `kept`."""
        duckdb = _extra("duckdb", self.folder)
        files = sorted(str(file) for file in (self.folder / kind).glob("*.parquet"))
        if not files:
            if not (self.folder / CASES).is_dir():
                raise ResultsError(
                    self.folder, "no history; add results with `aclcts history DIR --add RESULTS`"
                )
            return []
        settings = {"autoinstall_known_extensions": "false", "autoload_known_extensions": "false"}
        try:
            with duckdb.connect(config=settings) as database:
                database.read_parquet(files, union_by_name=True).create_view("kept")
                found: list[tuple[Any, ...]] = database.execute(query, list(values)).fetchall()
                return found
        except duckdb.Error as error:
            raise ResultsError(
                self.folder / kind, f"cannot be queried: {str(error).splitlines()[0]}"
            ) from None


def _since(key: tuple[str, str, str], points: list[Any]) -> FailingSince | None:
    """When the last streak of failures began; None where the last run holds."""
    streak: list[Any] = []
    held = ""
    for run_id, started, bad, verdict, code in points:
        if bad:
            streak.append((run_id, started, verdict, code))
        else:
            streak, held = [], started
    if not streak:
        return None
    run_id, started, verdict, code = streak[0]
    return FailingSince(*key, started, run_id, held, len(streak), verdict, code)


_CASE_TYPES = {
    **dict.fromkeys(("run_id", "started", "target", "conditions", "cann", "id", "rule", "api"), "text"),
    **dict.fromkeys(("surface", "product", "form", "verdict", "worth", "first_code"), "text"),
    "duration_s": "number",
}
_BENCHMARK_TYPES = {
    **dict.fromkeys(("run_id", "started", "id", "product", "form", "clock", "environment"), "text"),
    "median_s": "number",
    "bandwidth": "number",
}


def _case_rows(run: Run) -> list[tuple[Any, ...]]:
    started = run.header.started.isoformat(timespec="seconds")
    conditions = _conditions(run)
    rows = []
    for case, worth in judge(run):
        cause = case.first_cause
        code = f"{cause.function}: {cause.name or cause.code}" if cause is not None else ""
        for rule in case.rules or [""]:
            rows.append(
                (
                    *(run.header.run_id, started, run.header.target.label, conditions, case.cann, case.id),
                    *(rule, case.api, case.surface, case.product, case.form, case.verdict.value, worth.value),
                    *(code, case.duration_s),
                )
            )
    return rows


def _benchmark_rows(run: Run) -> list[tuple[Any, ...]]:
    started = run.header.started.isoformat(timespec="seconds")
    return [
        (
            *(run.header.run_id, started, made.id, made.product, made.form, made.clock, made.environment),
            made.samples.median.value,
            made.bandwidth.value if made.bandwidth is not None else None,
        )
        for made in run.benchmarks
        if made.samples is not None and made.valid
    ]


def _conditions(run: Run) -> str:
    """A hash of everything that must be equal for a changed verdict to be a flake."""
    header = run.header
    options = {name: value for name, value in header.options.items() if name not in _FREE}
    facts = [
        header.target.sha256,
        header.contract.hash,
        header.environment.get("driver"),
        header.cann,
        options,
    ]
    return hashlib.sha256(json.dumps(facts, sort_keys=True, default=str).encode()).hexdigest()[:16]


def _arrow(folder: Path) -> tuple[Any, Any]:
    return _extra("pyarrow", folder), _extra("pyarrow.parquet", folder)


def _extra(name: str, folder: Path) -> Any:
    try:
        return importlib.import_module(name)
    except ImportError:
        raise ResultsError(folder, "a history needs `pip install 'ascend-cts[history]'`") from None
