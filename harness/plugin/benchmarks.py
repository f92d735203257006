"""Benchmarks among the suites: after everything else, one at a time, with pytest-benchmark as their front.

A test decorated with `@benchmarks("h2d-*")` runs once for each benchmark of these series and calls
`measure()`. The measuring is `harness.benchmark`'s; pytest-benchmark's fixture is fed its samples, so that
its tables, options and files show them. With xdist the workers leave these tests to the process that
started them, which runs them when the workers have ended.
"""

from __future__ import annotations

import subprocess
import sys
import tempfile
import threading
from collections.abc import Callable, Generator, Iterator
from pathlib import Path
from typing import Any

import msgspec
import pytest

from harness.benchmark import BenchmarkError, Measuring, Order, catalogue, quick_sizes, sweep_sizes
from harness.benchmark.catalogue import Benchmark
from harness.benchmark.measure import blank
from harness.benchmark.session import Leases, chosen
from harness.benchmark.work import DEADLINE_S
from harness.device import Profile
from harness.plugin.protocol import attach_records
from harness.plugin.session import WITHOUT_REPORT, RunSession
from harness.plugin.settings import NO_REPORT, Settings, from_here
from harness.results import FILE_NAME, BenchmarkRecord, read_run

MARK = "benchmarks"
PARAMETER = "what"
_FULL_SIZES = 40
_DEFAULT_PRODUCT = "910b"
_WHOLE_DEADLINE_S = 3600.0
_LEFT = "aclcts_benchmarks"
# Options of pytest-benchmark that stand alone; every other one takes a value.
_FLAGS = frozenset(
    f"--benchmark-{name}"
    for name in (
        "disable",
        "skip",
        "only",
        "enable",
        "autosave",
        "verbose",
        "quiet",
        "disable-gc",
        "save-data",
    )
)

RECORD_KEY = pytest.StashKey[BenchmarkRecord]()


class Replay:
    """A clock that shows samples that were taken before: each step takes as long as the next one did."""

    def __init__(self) -> None:
        self._now = 0.0
        self._samples: Iterator[float] = iter(())

    def load(self, samples: list[float]) -> None:
        """Show these samples from now on."""
        self._samples = iter(samples)

    def step(self) -> None:
        """Let the next sample pass."""
        self._now += next(self._samples, 0.0)

    def __call__(self) -> float:
        return self._now


REPLAY = Replay()


def benchmarks(*series: str) -> Callable[[Any], Any]:
    """The series a test measures, by pattern; it takes `measure` and runs once for each benchmark of them."""

    def decorate(test: Any) -> Any:
        return pytest.mark.benchmark(timer=REPLAY)(getattr(pytest.mark, MARK)(*series)(test))

    return decorate


class Benchmarks:
    """The hooks and the fixture of benchmark tests."""

    def __init__(self, settings: Settings, is_worker: bool) -> None:
        self._settings = settings
        self._is_worker = is_worker
        self._measuring: Measuring | None = None
        self._leases: Leases | None = None

    @pytest.hookimpl(tryfirst=True)
    def pytest_generate_tests(self, metafunc: pytest.Metafunc) -> None:
        """One test for each benchmark of its series."""
        mark = metafunc.definition.get_closest_marker(MARK)
        if mark is None:
            return
        try:
            picked = chosen(catalogue(sizes_of(self._settings.bench)), mark.args)
        except BenchmarkError as error:
            raise pytest.Collector.CollectError(f"{metafunc.definition.nodeid}: {error}") from None
        metafunc.parametrize(PARAMETER, picked, ids=[each.id for each in picked])

    @pytest.hookimpl(trylast=True)
    def pytest_collection_modifyitems(self, config: pytest.Config, items: list[pytest.Item]) -> None:
        """Benchmarks come last; a worker leaves them to the process that started it."""
        last = [item for item in items if item.get_closest_marker(MARK) is not None]
        if not last:
            return
        first = [item for item in items if item.get_closest_marker(MARK) is None]
        narrowed = self._settings.narrowed or self._settings.fault or "c" not in self._settings.surfaces
        if narrowed or self._is_worker:
            config.hook.pytest_deselected(items=last)
            items[:] = first
            if self._is_worker and not narrowed:
                config.workeroutput[_LEFT] = [item.nodeid for item in last]  # type: ignore[attr-defined]
        else:
            items[:] = first + last

    @pytest.fixture
    def measure(self, request: pytest.FixtureRequest, what: Benchmark) -> Callable[[], BenchmarkRecord]:
        """`measure()` takes the samples, feeds pytest-benchmark and keeps the record; fails for wrong data
        and for a library that died, and skips what cannot be measured here.
        """
        benchmark = request.getfixturevalue("benchmark")

        def take() -> BenchmarkRecord:
            record = self._measured(what)
            request.node.stash[RECORD_KEY] = record
            if record.mismatches:
                pytest.fail(f"{record.id}: wrong data in {record.mismatches} samples", pytrace=False)
            if record.samples is None:
                refuse = pytest.fail if record.reason.startswith("the process died") else pytest.skip
                refuse(f"{record.id}: {record.reason}")
            benchmark.extra_info.update(_told(record))
            benchmark.group = record.series
            REPLAY.load(record.times)
            benchmark.pedantic(REPLAY.step, rounds=max(1, len(record.raw)), iterations=1)
            return record

        return take

    def _measured(self, what: Benchmark) -> BenchmarkRecord:
        settings = self._settings
        try:
            if self._measuring is None:
                self._leases = Leases(settings.target, 2, force=True)
                order = Order(
                    settings.bench,
                    seed=settings.seed or 0,
                    devices=self._leases.devices,
                    shared=self._leases.shared,
                    deadline=DEADLINE_S if settings.bench == "full" else settings.deadline,
                )
                self._measuring = Measuring(settings.target, settings.contract, order)
        except BenchmarkError as error:
            # No native loop on a host without a compiler, for one: that says nothing about the library.
            return blank(self._profile, what, str(error))
        return self._measuring.run(self._profile, what)

    @property
    def _profile(self) -> Profile:
        """One product stands for all on the reference device: they share its code."""
        profiles = self._settings.target.profiles
        return next((each for each in profiles if each.product == _DEFAULT_PRODUCT), profiles[0])

    @pytest.hookimpl(wrapper=True)
    def pytest_runtest_makereport(
        self, item: pytest.Item, call: pytest.CallInfo[None]
    ) -> Generator[None, pytest.TestReport, pytest.TestReport]:
        """Let the report of a benchmark carry its record to the process that writes results."""
        report = yield
        record = item.stash.get(RECORD_KEY, None)
        if record is not None and call.when == "call":
            attach_records(report, [msgspec.to_builtins(record)])
        return report

    @pytest.hookimpl(tryfirst=True)
    def pytest_sessionfinish(self) -> None:
        """End the measuring process and give the devices back; before the runner waits for processes whose
        sockets were inherited.
        """
        if self._measuring is not None:
            self._measuring.close()
        if self._leases is not None:
            self._leases.release()


class AfterWorkers:
    """Runs the benchmarks that the workers have left, when all of them have ended."""

    def __init__(self, config: pytest.Config, settings: Settings, run: RunSession) -> None:
        self._config = config
        self._settings = settings
        self._run = run
        self._left: dict[str, None] = {}

    @pytest.hookimpl(optionalhook=True)
    def pytest_testnodedown(self, node: Any, error: object) -> None:
        """Take in what a worker has left."""
        self._left.update(dict.fromkeys(getattr(node, "workeroutput", {}).get(_LEFT, ())))

    @pytest.hookimpl(wrapper=True, tryfirst=True)
    def pytest_runtestloop(self, session: pytest.Session) -> Generator[None, object, object]:
        """The workers' part, then the benchmarks."""
        outcome = yield
        if self._left and not session.shouldstop and not session.shouldfail:
            self._measure(session)
        return outcome

    def _measure(self, session: pytest.Session) -> None:
        self._run.end_progress()
        with tempfile.TemporaryDirectory(prefix="aclcts-benchmarks-") as folder:
            try:
                status = self._run_them(folder)
            finally:
                # What was measured stands, however the measuring ended.
                self._take(Path(folder) / FILE_NAME)
        session.testscollected += len(self._left)
        session.testsfailed += bool(status)

    def _run_them(self, folder: str) -> int:
        """Run the benchmarks and show what they write as they write it; their exit status."""
        writer: Any = self._config.pluginmanager.get_plugin("terminalreporter")
        # Where this run started: its options may name files from there.
        here = self._config.invocation_params.dir
        process = subprocess.Popen(
            self._command(folder),
            cwd=here,
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            errors="replace",
        )
        limit = None if self._settings.bench == "full" else _WHOLE_DEADLINE_S
        late = threading.Timer(limit or 0.0, process.kill)
        if limit is not None:
            late.start()
        if writer is not None:
            writer.section(f"benchmarks ({self._settings.bench})")
        try:
            for line in process.stdout or ():
                # Where that run's own results were, and that it makes no page, is nobody's business.
                mine = folder in line or line.rstrip() == WITHOUT_REPORT
                if writer is not None and not mine:
                    writer.write_line(line.rstrip())
            status = process.wait()
        except BaseException:
            process.terminate()
            process.wait()
            raise
        finally:
            in_time = limit is None or late.is_alive()
            late.cancel()
        if not in_time and writer is not None:
            writer.write_line(
                f"ERROR: the benchmarks were ended after {limit:g} s; the rest was not measured"
            )
        return status

    def _take(self, file: Path) -> None:
        """Add the records of a benchmark run to this run's, where it came so far."""
        if file.is_file():
            for record in read_run(file).benchmarks:
                self._run.add_benchmark(record)

    def _command(self, folder: str) -> list[str]:
        words = [
            sys.executable,
            "-m",
            "pytest",
            *(from_here(self._config, nodeid) for nodeid in self._left),
            "-q",
            "-p",
            "no:xdist",
            "-p",
            "no:cacheprovider",
        ]
        words += ["--results", folder, "--report", NO_REPORT, "--bench", self._settings.bench]
        words += ["--case-timeout", f"{self._settings.deadline:g}"]
        for name in ("target", "sku", "form", "cann", "seed"):
            value = self._settings.options.get(name)
            for each in value if isinstance(value, list) else [value] if value else []:
                words += [f"--{name}", str(each)]
        return words + passed_on(self._config.invocation_params.args)


def passed_on(arguments: Any) -> list[str]:
    """pytest-benchmark's options among a command's arguments, with their values."""
    found: list[str] = []
    words = iter([str(argument) for argument in arguments])
    for word in words:
        if word.startswith("--benchmark-"):
            found.append(word)
            if "=" not in word and word not in _FLAGS and (value := next(words, None)) is not None:
                found.append(value)
    return found


def sizes_of(effort: str) -> list[int]:
    """The sizes of a mode: few, or a sweep."""
    return sweep_sizes(_FULL_SIZES) if effort == "full" else quick_sizes()


def _told(record: BenchmarkRecord) -> dict[str, Any]:
    """What pytest-benchmark's files keep beside the samples."""
    facts: dict[str, Any] = msgspec.to_builtins(record)
    return {name: value for name, value in facts.items() if name not in ("raw", "kind")}
