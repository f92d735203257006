"""The helpers of the suites of the online compiler: they notice what they must notice."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest

from harness.plugin import Blocked
from suites.operators.compile_options import JIT, CompileOptions
from suites.operators.dumped_graphs import DumpedGraphs
from suites.operators.watching import Watching
from tests.fakes.surfaces import Answer, Recording


@dataclass
class Told(Answer):
    """What a call told."""

    value: Any = None


class Options(Recording):
    """A surface that tells one value of every option, and one size."""

    def __init__(self, value: bytes, size: int = 0, *refusing: str) -> None:
        super().__init__(*refusing)
        self._told = {"aclGetCompileopt": value, "aclGetCompileoptSize": size}

    def call(self, api: str, /, **args: Any) -> Answer:
        return Told(api, super().call(api, **args).code, value=self._told.get(api))


def test_an_option_is_read_up_to_its_end() -> None:
    assert CompileOptions(Options(b"enable\0\xa5\xa5")).read(JIT) == "enable"


def test_a_value_without_an_end_is_none() -> None:
    assert CompileOptions(Options(b"enable")).read(JIT, 6) == "no end in 6 bytes: b'enable'"


def test_a_refusal_is_no_value() -> None:
    options = CompileOptions(Options(b"enable\0", 7, "aclGetCompileopt"))
    assert options.read_sized(JIT) == "refused with 107000"


@pytest.mark.parametrize("size", [0, 2**63])
def test_a_wild_size_is_not_asked_for(size: int) -> None:
    surface = Options(b"enable\0", size)
    assert CompileOptions(surface).read_sized(JIT) == f"a size of {size}"
    assert [api for api, _ in surface.calls] == ["aclGetCompileoptSize"]


def test_a_value_that_cannot_be_set_is_told() -> None:
    options = CompileOptions(Options(b"enable\0", 7, "aclSetCompileopt"))
    assert options.read_after(JIT, "enable") == ["enable is refused with 107000"]


@pytest.fixture
def dumped(tmp_path: Path) -> Iterator[DumpedGraphs]:
    resources = SimpleNamespace(at_end=lambda step: steps.append(step))
    steps: list[Any] = []
    case: Any = SimpleNamespace(resources=resources)
    yield DumpedGraphs(Recording(), case, SimpleNamespace())  # type: ignore[arg-type]
    steps[0]()


def test_operators_are_found_by_their_whole_names(dumped: DumpedGraphs) -> None:
    dumped.file.write_text('op: "Mul" address: 1 type: AddN')
    assert dumped.types_in(dumped.file) == ["Mul"]


def test_a_missing_file_tells_of_no_operator(dumped: DumpedGraphs) -> None:
    assert dumped.types_in(dumped.file) == []
    assert dumped.types_in_all() == []


class Reporting(Recording):
    """A surface with a text of what has failed."""

    def __init__(self, report: bytes | None, *refusing: str) -> None:
        super().__init__(*refusing)
        self._report = report

    def call(self, api: str, /, **args: Any) -> Answer:
        return Told(api, super().call(api, **args).code, value=self._report)


def watching(surface: Recording) -> Watching:
    """A job with one output, compiled and run on a surface."""

    def blocked(reason: str) -> None:
        raise Blocked(reason)

    job = SimpleNamespace(output_blocks=[None], on=lambda stream: {})
    job.changed = lambda **fields: job
    compiling: Any = SimpleNamespace(job=lambda: job, only=lambda made: {})
    operators: Any = SimpleNamespace(call=surface.call, buffer=lambda block, size: 3)
    case: Any = SimpleNamespace(expect=SimpleNamespace(blocked=blocked))
    return Watching(surface, case, compiling, operators)


@pytest.mark.parametrize("report", [b"EZ9999: outside\0", None])
def test_a_run_that_fails_is_told_with_its_report(report: bytes | None) -> None:
    outcome = watching(Reporting(report, "aclrtSynchronizeStream")).run_with_short_output(7)
    assert outcome == (True, "EZ9999: outside" if report else "")


def test_a_run_that_fails_at_once_needs_the_report() -> None:
    assert watching(Reporting(b"EZ9999\0", "aclopExecuteV2")).run_with_short_output(7).failed
    with pytest.raises(Blocked):
        watching(Reporting(b"too small\0", "aclopExecuteV2")).run_with_short_output(7)


def test_a_run_that_goes_well_is_told() -> None:
    assert watching(Reporting(b"EZ9999\0")).run_with_short_output(7) == (False, "EZ9999")
