"""A sweep: one collection, and for each fault its cases in processes of their own."""

from __future__ import annotations

from pathlib import Path

import pytest

from harness.binding import find_reference
from harness.results import ResultsError, read_run
from harness.results.sweep import Job, Plan, ended_jobs, faulty_results, healthy_results, log_of, outcome
from tests.fakes.runs import Outcome, run_suite, write_suite

SUITE = """
import os
import pytest
from harness.plugin import covers, covers_rules


def copy(acl, memory, kind):
    host, device = memory.host(64), memory.device(64)
    return acl.aclrtMemcpy(dst=device, destMax=64, src=host, count=0, kind=kind)


@covers("memcpy.count_zero")
def test_zero(acl, expect, memory):
    print("zero bytes")
    expect.success(copy(acl, memory, "ACL_MEMCPY_HOST_TO_DEVICE"))


@covers("memcpy.h2d")
def test_always_bad(expect):
    expect.true("one is two", 1, 2)


@covers("memcpy.d2h")
def test_deadly(acl, expect, memory):
    if not copy(acl, memory, "ACL_MEMCPY_HOST_TO_DEVICE").ok:
        os.abort()
    expect.true("alive", 1, 1)


@covers_rules(lambda rule, profile, supported: rule.cases, ("aclrtMalloc",))
def test_derived(api, each_rule):
    for rule in each_rule:
        with each_rule.judge(rule) as check:
            check.expect.true("holds", 1, 1)
"""

JOBS = (
    Job("memcpy_zero_refused", ("memcpy.count_zero", "memcpy.h2d", "memcpy.d2h")),
    Job("malloc_alignment_32", ("memcpy.count_zero",)),
    Job("memcpy_zero_refused", ("memcpy.count_zero",), ("memcpy.count_zero",)),
    Job("malloc_alignment_32", ("malloc.size_zero",)),
    Job("malloc_alignment_32", ("memset.device_fill",), ("memset.device_fill",)),
    Job("malloc_alignment_32"),
    Job("memcpy_zero_refused", ("memcpy.count_zero",), brief=True),
)


@pytest.fixture(scope="module")
def sweep(tmp_path_factory: pytest.TempPathFactory) -> Outcome:
    folder = write_suite(tmp_path_factory.mktemp("sweep"), small=SUITE)
    Plan(JOBS, at_once=2).write(folder / "plan.json")
    library = find_reference()
    assert library is not None, "the reference device is not built"
    outcome = run_suite(folder, "suites", "-s", "--sweep", "plan.json", target="reference", sku="910b,310b")
    assert outcome.status == 0, outcome.text
    return outcome


def cases(results: Path) -> dict[str, str]:
    return {case.id.split("::", 1)[1]: case.verdict.value for case in read_run(results).cases}


def test_every_job_ends_well(sweep: Outcome) -> None:
    ended = ended_jobs(sweep.results, len(JOBS), iter([False]))
    assert dict(ended) == dict.fromkeys(range(len(JOBS)), 0)
    assert all(read_run(faulty_results(sweep.results, number)).finished for number in range(len(JOBS)))


def test_a_job_runs_the_cases_of_its_rules_with_its_fault(sweep: Outcome) -> None:
    assert cases(faulty_results(sweep.results, 1)) == {
        f"test_zero[{profile}-c]": "pass" for profile in ("910b-EP", "310b-EP", "310b-RC")
    }
    verdicts = cases(faulty_results(sweep.results, 0))
    assert {verdicts[f"test_{name}[910b-EP-c]"] for name in ("zero", "always_bad")} == {"deviates", "fail"}


def test_a_death_costs_one_case(sweep: Outcome) -> None:
    assert cases(faulty_results(sweep.results, 0))["test_deadly[910b-EP-c]"] == "crash"


def test_what_is_bad_without_the_fault_does_not_count(sweep: Outcome) -> None:
    found = outcome(sweep.results, 0, "memcpy_zero_refused")
    assert {case.rules[0] for case in found.bad} == {"memcpy.count_zero", "memcpy.d2h"}
    assert "test_always_bad[910b-EP-c]" in cases(healthy_results(sweep.results, 0))


def test_only_bad_cases_run_again(sweep: Outcome) -> None:
    assert not healthy_results(sweep.results, 1).exists()


def test_decisive_rules_need_few_profiles(sweep: Outcome) -> None:
    assert cases(faulty_results(sweep.results, 2)) == {"test_zero[910b-EP-c]": "deviates"}


def test_in_brief_a_rule_fails_once(sweep: Outcome) -> None:
    assert len(cases(faulty_results(sweep.results, 6))) == 1


def test_decisive_rules_without_a_case_run_nothing(sweep: Outcome) -> None:
    assert cases(faulty_results(sweep.results, 4)) == {}


def test_a_derived_case_runs_the_rules_of_its_job(sweep: Outcome) -> None:
    assert {name.split("]::")[1] for name in cases(faulty_results(sweep.results, 3))} == {"malloc.size_zero"}


def test_a_job_without_rules_runs_everything(sweep: Outcome) -> None:
    names = {name.partition("[")[0] for name in cases(faulty_results(sweep.results, 5))}
    assert names == {"test_zero", "test_always_bad", "test_deadly", "test_derived"}


def test_a_job_prints_into_its_log(sweep: Outcome) -> None:
    assert "zero bytes" in log_of(sweep.results, 1).read_text()
    assert "zero bytes" not in sweep.text


def test_a_plan_that_is_none_is_a_usage_error(tmp_path: Path) -> None:
    outcome = run_suite(write_suite(tmp_path, small=SUITE), "suites", "--sweep", "plan.json")
    message = "ERROR: --sweep: plan.json: cannot be read (No such file or directory)"
    assert (outcome.status, outcome.text.strip()) == (2, message)


def test_a_fault_that_the_library_does_not_know_is_a_usage_error(tmp_path: Path) -> None:
    folder = write_suite(tmp_path, small=SUITE)
    Plan((*JOBS, Job("written_since_the_build", ("memcpy.h2d",)))).write(folder / "plan.json")
    outcome = run_suite(folder, "suites", "--sweep", "plan.json", target="reference")
    message = "ERROR: --sweep: the reference device has no fault 'written_since_the_build'"
    assert (outcome.status, outcome.text.strip().startswith(message)) == (2, True), outcome.text


def test_a_broken_plan_is_one_line(tmp_path: Path) -> None:
    file = tmp_path / "plan.json"
    file.write_text('{"jobs": 1}')
    with pytest.raises(ResultsError, match="no plan of a sweep"):
        Plan.read(file)


def test_a_broken_suite_ends_the_sweep(tmp_path: Path) -> None:
    folder = write_suite(tmp_path, small="raise ValueError('broken suite')")
    Plan(JOBS).write(folder / "plan.json")
    outcome = run_suite(folder, "suites", "--sweep", "plan.json", target="reference")
    assert outcome.status == 2
    assert "broken suite" in outcome.text
