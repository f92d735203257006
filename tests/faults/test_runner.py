"""The fault runner, on a stand-in for the suites: what is noticed, and every way to fail."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from harness.cli import main
from harness.contract import load
from harness.faults import Fault, FaultError, FaultResult, run_faults

CONTRACT = load()

# A conftest that takes the suites' options and records what a table says: fault -> rules that fail.
STAND_IN = """
import json, pathlib
from datetime import datetime, timezone
from harness.contract import load
from harness.results import CaseRecord, ContractInfo, Header, Store, TargetInfo, Verdict

def pytest_addoption(parser):
    for name in ("--target", "--results", "--fault", "--sku"):
        parser.addoption(name)
    parser.addoption("--rule", action="append", default=[])

def pytest_sessionfinish(session):
    option = session.config.option
    table = json.loads((pathlib.Path(__file__).parent / "table.json").read_text())
    rules = option.rule or sorted(load().rules)
    options = {"fault": option.fault} if option.fault else {}
    store = Store(option.results, Header(
        schema=1, run_id="r", started=datetime.now(timezone.utc), options=options,
        target=TargetInfo(kind="reference", label="stand-in", path="lib"),
        contract=ContractInfo(version="1", hash="0"),
    ))
    failing = table.get(option.fault or "", [])
    for rule in rules:
        store.append(CaseRecord(
            id=f"suites/test_x.py::{rule}", rules=[rule], api=load().rules[rule].api,
            surface="c", product="910b", form="EP", cann="9.0",
            verdict=Verdict.FAIL if rule in failing else Verdict.PASS,
        ))
    store.finish(0)
"""


def checkout(tmp_path: Path, table: dict[str, list[str]], conftest: str = STAND_IN) -> Path:
    root = Path(__file__).parents[2]
    (tmp_path / "suites").mkdir()
    (tmp_path / "suites/test_x.py").write_text("def test_x(): pass\n")
    (tmp_path / "conftest.py").write_text(conftest)
    (tmp_path / "pytest.ini").write_text(f"[pytest]\npythonpath = {root}\n")
    (tmp_path / "table.json").write_text(json.dumps(table))
    return tmp_path


FAULTS = {
    "exact": Fault("a tail is lost", ("memcpy.tail_untouched",)),
    "silent": Fault("nobody looks", ("memcpy.tail_untouched",)),
    "wide": Fault("more breaks than is declared", ("memcpy.tail_untouched",)),
    "partial": Fault("two are broken", ("memcpy.h2d", "memcpy.d2h")),
    "known": Fault("what it breaks is broken anyway", ("memcpy.large",)),
}
TABLE = {
    "": ["memcpy.large"],
    "exact": ["memcpy.tail_untouched", "memset.device_fill", "memcpy.large"],
    "silent": ["memcpy.large"],
    "wide": ["memcpy.tail_untouched", "memcpy.h2d"],
    "partial": ["memcpy.d2h"],
    "known": ["memcpy.large"],
}


@pytest.fixture(scope="module")
def results(tmp_path_factory: pytest.TempPathFactory) -> dict[str, FaultResult]:
    root = checkout(tmp_path_factory.mktemp("checkout"), TABLE)
    return {result.name: result for result in run_faults(list(FAULTS), FAULTS, CONTRACT, root)}


def test_a_fault_that_fails_exactly_its_rules(results: dict[str, FaultResult]) -> None:
    """Rules of functions that the fault does not touch are not even run."""
    result = results["exact"]
    assert (result.noticed, result.silent, result.collateral) == (("memcpy.tail_untouched",), (), ())
    assert "suites/test_x.py::memcpy.tail_untouched" in result.tests
    assert result.exact


def test_a_fault_that_nobody_notices(results: dict[str, FaultResult]) -> None:
    result = results["silent"]
    assert (result.noticed, result.silent) == ((), ("memcpy.tail_untouched",))
    assert not result.exact


def test_a_fault_that_breaks_more_than_it_declares(results: dict[str, FaultResult]) -> None:
    assert results["wide"].collateral == ("memcpy.h2d",)
    assert not results["wide"].exact


def test_a_fault_that_is_noticed_in_part(results: dict[str, FaultResult]) -> None:
    result = results["partial"]
    assert (result.noticed, result.silent) == (("memcpy.d2h",), ("memcpy.h2d",))


def test_what_fails_without_a_fault_says_nothing(results: dict[str, FaultResult]) -> None:
    assert results["known"].noticed == ()


def test_other_functions_are_run_in_full(tmp_path: Path) -> None:
    (result,) = run_faults(["exact"], FAULTS, CONTRACT, checkout(tmp_path, TABLE), full=True)
    assert result.collateral == ("memset.device_fill",)


def test_a_fault_of_rules_without_a_test_is_not_noticed(tmp_path: Path) -> None:
    root = checkout(tmp_path, {}, STAND_IN.partition("def pytest_sessionfinish")[0])
    (root / "suites/test_x.py").unlink()
    (result,) = run_faults(["exact"], FAULTS, CONTRACT, root)
    assert (result.noticed, result.silent) == ((), ("memcpy.tail_untouched",))


def test_an_unknown_fault_is_one_line(tmp_path: Path) -> None:
    with pytest.raises(FaultError, match=r"no such fault: nonsense; `aclcts faults --list` shows all 5"):
        list(run_faults(["nonsense"], FAULTS, CONTRACT, tmp_path))


def test_suites_that_do_not_run_are_one_line(tmp_path: Path) -> None:
    root = checkout(tmp_path, {}, "raise RuntimeError('broken conftest')\n")
    with pytest.raises(
        FaultError, match=r"the suites did not run: .*broken conftest.*exit status 4"
    ) as refusal:
        list(run_faults(["exact"], FAULTS, CONTRACT, root))
    assert "\n" not in str(refusal.value)


def test_suites_that_leave_no_results_are_one_line(tmp_path: Path) -> None:
    root = checkout(tmp_path, {}, STAND_IN.partition("def pytest_sessionfinish")[0])
    with pytest.raises(FaultError, match=r"left no usable results: .*cannot be read"):
        list(run_faults(["exact"], FAULTS, CONTRACT, root))


def test_a_run_that_ignored_the_fault_is_refused(tmp_path: Path) -> None:
    root = checkout(tmp_path, {}, STAND_IN.replace('{"fault": option.fault}', "{}"))
    with pytest.raises(FaultError, match="the suites ran without the fault exact"):
        list(run_faults(["exact"], FAULTS, CONTRACT, root))


@pytest.mark.parametrize(("failing", "status"), [(["memcpy.tail_untouched"], 0), ([], 1)])
def test_the_command_ends_with_1_for_a_fault_nobody_notices(
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
    failing: list[str],
    status: int,
) -> None:
    monkeypatch.chdir(checkout(tmp_path, {"memcpy_tail_overrun": failing}))
    assert main(["faults", "memcpy_tail_overrun", "-n", "0", "--lang", "en"]) == status
    shown = capsys.readouterr().out
    assert ("✓ memcpy_tail_overrun: noticed (1 cases)" in shown) is (status == 0)
    assert ("✗ memcpy_tail_overrun: NOT noticed" in shown) is (status == 1)
    assert main(["faults", "memcpy_tail_overrun", "-n", "0", "--json"]) == status
    told = json.loads(capsys.readouterr().out)
    assert told["unnoticed"] == ([] if status == 0 else ["memcpy_tail_overrun"])
