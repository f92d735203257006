"""The fault runner, on a stand-in for the suites: what is noticed, and every way to fail."""

from __future__ import annotations

import json
import re
from pathlib import Path

import pytest

from harness.cli import main
from harness.contract import load
from harness.faults import Evidence, Fault, FaultError, FaultResult, Width, load_faults, run_faults

CONTRACT = load()

# A conftest that takes the suites' options and records what a table says: fault -> rules that fail. Rules of
# `late` have no case while decisive rules keep the sweep on few profiles.
STAND_IN = """
import json, pathlib
from datetime import datetime, timezone
from harness.contract import load
from harness.results import CaseRecord, ContractInfo, Header, Store, TargetInfo, Verdict
from harness.results.sweep import Plan, faulty_results, healthy_results, note_end

def pytest_addoption(parser):
    for name in ("--target", "--results", "--sweep", "--sku", "--cann"):
        parser.addoption(name)
    parser.addoption("--rule", action="append", default=[])

def write(folder, fault, rules, failing):
    options = {"fault": fault} if fault else {}
    store = Store(folder, Header(
        schema=1, run_id="r", started=datetime.now(timezone.utc), options=options,
        target=TargetInfo(kind="reference", label="stand-in", path="lib"),
        contract=ContractInfo(version="1", hash="0"),
    ))
    for rule in rules:
        store.append(CaseRecord(
            id=f"suites/test_x.py::{rule}", rules=[rule], api=load().rules[rule].api,
            surface="c", product="910b", form="EP", cann="9.0", reason="it\\n  broke",
            verdict=Verdict.FAIL if rule in failing else Verdict.PASS,
        ))
    store.finish(0)

def pytest_runtestloop(session):
    option = session.config.option
    table = json.loads((pathlib.Path(__file__).parent / "table.json").read_text())
    folder = pathlib.Path(option.results)
    for number, job in enumerate(Plan.read(pathlib.Path(option.sweep)).jobs):
        late = table.get("late", []) if job.decisive else []
        rules = [rule for rule in job.rules or sorted(load().rules) if rule not in late]
        name = f"{job.fault}@{option.cann}" if option.cann else job.fault
        failing = [rule for rule in rules if rule in table.get(name, [])]
        write(faulty_results(folder, number), job.fault, rules, failing)
        write(healthy_results(folder, number), "", failing, table.get("", []))
        note_end(folder, number, 0)
    return True
"""


NO_CASE = STAND_IN.replace("if job.decisive", "if 1")
"""As `STAND_IN`, where rules of `late` have no case at all."""


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
    "elsewhere": Fault("another profile shows it", ("memcpy.count_zero",)),
    "older": Fault("a promise of older versions is broken", ("malloc_physical.size_2m_old",)),
}
TABLE = {
    "": ["memcpy.large"],
    "exact": ["memcpy.tail_untouched", "memset.device_fill", "memcpy.large"],
    "silent": ["memcpy.large"],
    "wide": ["memcpy.tail_untouched", "memcpy.h2d"],
    "partial": ["memcpy.d2h"],
    "known": ["memcpy.large"],
    "elsewhere": ["memcpy.count_zero"],
    "late": ["memcpy.count_zero"],
    "older@8.0": ["malloc_physical.size_2m_old"],
}


@pytest.fixture(scope="module")
def results(tmp_path_factory: pytest.TempPathFactory) -> dict[str, FaultResult]:
    root = checkout(tmp_path_factory.mktemp("checkout"), TABLE)
    return {result.name: result for result in run_faults(list(FAULTS), FAULTS, CONTRACT, root)}


def test_a_fault_that_fails_exactly_its_rules(results: dict[str, FaultResult]) -> None:
    """Rules of functions that the fault does not touch are not even run."""
    result = results["exact"]
    assert (result.noticed, result.silent, result.bystanders) == (("memcpy.tail_untouched",), (), ())
    assert result.evidence == (Evidence("suites/test_x.py::memcpy.tail_untouched", "fail", "it broke"),)
    assert result.profiles == ("910b-EP",)
    assert result.exact


def test_a_fault_that_nobody_notices(results: dict[str, FaultResult]) -> None:
    result = results["silent"]
    assert (result.noticed, result.silent) == ((), ("memcpy.tail_untouched",))
    assert not result.exact


def test_a_fault_that_breaks_more_than_it_declares(results: dict[str, FaultResult]) -> None:
    assert results["wide"].bystanders == ("memcpy.h2d",)
    assert not results["wide"].exact


def test_a_fault_that_is_noticed_in_part(results: dict[str, FaultResult]) -> None:
    result = results["partial"]
    assert (result.noticed, result.silent) == (("memcpy.d2h",), ("memcpy.h2d",))


def test_a_rule_that_holds_on_few_profiles_is_tried_on_all(results: dict[str, FaultResult]) -> None:
    assert (results["elsewhere"].noticed, results["elsewhere"].silent) == (("memcpy.count_zero",), ())


def test_a_rule_of_older_versions_is_tried_in_one(results: dict[str, FaultResult]) -> None:
    assert results["older"].noticed == ("malloc_physical.size_2m_old",)


def test_what_fails_without_a_fault_says_nothing(results: dict[str, FaultResult]) -> None:
    assert results["known"].noticed == ()


def test_other_functions_are_run_in_full(tmp_path: Path) -> None:
    (result,) = run_faults(["exact"], FAULTS, CONTRACT, checkout(tmp_path, TABLE), Width.ALL)
    assert result.bystanders == ("memset.device_fill",)


def test_only_the_broken_rules_are_run(tmp_path: Path) -> None:
    (result,) = run_faults(["wide"], FAULTS, CONTRACT, checkout(tmp_path, TABLE), Width.RULES)
    assert (result.noticed, result.bystanders, result.cases) == (("memcpy.tail_untouched",), (), 1)


def test_the_command_says_where_there_is_no_case(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    root = checkout(
        tmp_path, {"late": ["memcpy.tail_untouched"]}, STAND_IN.replace("if job.decisive", "if 1")
    )
    monkeypatch.chdir(root)
    assert main(["faults", "memcpy_tail_overrun", "--width", "rules", "--lang", "en"]) == 1
    assert "✗ memcpy_tail_overrun: no case" in capsys.readouterr().out


def test_a_fault_of_rules_without_a_test_is_not_noticed(tmp_path: Path) -> None:
    root = checkout(
        tmp_path, {"late": ["memcpy.tail_untouched"]}, STAND_IN.replace("if job.decisive", "if 1")
    )
    (root / "suites/test_x.py").unlink()
    (result,) = run_faults(["exact"], FAULTS, CONTRACT, root, Width.RULES)
    assert (result.noticed, result.silent, result.cases) == ((), ("memcpy.tail_untouched",), 0)


def test_an_unknown_fault_is_one_line(tmp_path: Path) -> None:
    with pytest.raises(FaultError, match=r"no such fault: nonsense; `aclcts faults --list` shows all 7"):
        list(run_faults(["nonsense"], FAULTS, CONTRACT, tmp_path))


def test_suites_that_do_not_run_are_one_line(tmp_path: Path) -> None:
    root = checkout(tmp_path, {}, "raise RuntimeError('broken conftest')\n")
    with pytest.raises(
        FaultError, match=r"the suites did not run: .*broken conftest.*exit status 4"
    ) as refusal:
        list(run_faults(["exact"], FAULTS, CONTRACT, root))
    assert "\n" not in str(refusal.value)


SPOILT = {
    "no results": (
        "        write(faulty_results(",
        "        0 and write(faulty_results(",
        "left no usable results: ",
    ),
    "no fault": ('{"fault": fault} if fault else {}', "{}", "the suites ran without the fault exact"),
    "a fault in the healthy run": ('number), "", failing', 'number), "x", failing', "a fault was on"),
    "cut off": ("    store.finish(0)", "    store.close()", "the run was cut off"),
    "a job that failed": (
        "note_end(folder, number, 0)",
        "note_end(folder, number, 3)",
        "did not run with exact",
    ),
    "a job that never ended": (
        "        note_end(folder",
        "        0 and note_end(folder",
        "never ended: exact",
    ),
}


@pytest.mark.parametrize("name", SPOILT)
def test_a_sweep_that_cannot_be_used_is_one_line(tmp_path: Path, name: str) -> None:
    before, after, message = SPOILT[name]
    assert before in STAND_IN
    root = checkout(tmp_path, {"exact": ["memcpy.h2d"]}, STAND_IN.replace(before, after))
    with pytest.raises(FaultError, match=re.escape(message)) as refusal:
        list(run_faults(["exact"], FAULTS, CONTRACT, root))
    assert "\n" not in str(refusal.value)


@pytest.mark.parametrize(("failing", "status"), [(["memcpy.tail_untouched"], 0), ([], 1)])
def test_the_command_ends_with_1_for_a_fault_nobody_notices(
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
    failing: list[str],
    status: int,
) -> None:
    monkeypatch.chdir(checkout(tmp_path, {"memcpy_tail_overrun": failing}))
    assert main(["faults", "memcpy_tail_overrun", "--lang", "en"]) == status
    shown = capsys.readouterr().out
    assert ("✓ memcpy_tail_overrun: noticed (1 of " in shown) is (status == 0)
    assert ("✗ memcpy_tail_overrun: NOT noticed" in shown) is (status == 1)
    assert main(["faults", "memcpy_tail_overrun", "--json"]) == status
    told = json.loads(capsys.readouterr().out)
    assert told["unnoticed"] == ([] if status == 0 else ["memcpy_tail_overrun"])


def test_slices_are_disjoint_and_complete(capsys: pytest.CaptureFixture[str]) -> None:
    parts: list[list[str]] = []
    for number in (1, 2, 3):
        assert main(["faults", "--list", "--json", "--slice", f"{number}/3"]) == 0
        parts.append(list(json.loads(capsys.readouterr().out)))
    assert sorted(name for part in parts for name in part) == sorted(load_faults(CONTRACT))
    assert max(map(len, parts)) - min(map(len, parts)) <= 1


@pytest.mark.parametrize("given", ["0/4", "5/4", "1", "a/b", "1/0"])
def test_a_wrong_slice_is_one_line(given: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["faults", "--slice", given, "--lang", "en"]) == 2
    assert f"--slice: {given!r} is not K/N" in capsys.readouterr().err


def test_the_summary_names_what_needs_work(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.chdir(checkout(tmp_path, {"memcpy_tail_overrun": ["memcpy.tail_untouched", "memcpy.h2d"]}))
    assert main(["faults", "memcpy_tail_overrun", "memcpy_zero_refused", "--lang", "en", "-v"]) == 1
    shown = capsys.readouterr().out
    assert "1 of 2 faults noticed" in shown
    assert "1 not noticed: memcpy_zero_refused" in shown
    assert "fail: suites/test_x.py::memcpy.h2d: it broke" in shown
