"""Derived tests: the suites' own two files on recipes of the fake library's functions, rule by rule."""

from __future__ import annotations

import shutil
from pathlib import Path

import pytest

from harness.binding import Result
from harness.contract import load
from harness.device import Profile
from harness.plugin import Expect
from tests.fakes.runs import REPOSITORY, Outcome, fake_library, run_suite, write_suite

RECIPES = '''
"""Recipes for what the fake library has."""

from suites.recipes import Bench, Call, recipe


@recipe("aclrtMemcpy")
def memcpy(bench: Bench) -> Call:
    host, device = bench.memory.host(64), bench.memory.device(64)
    kind = "ACL_MEMCPY_HOST_TO_DEVICE"
    call = Call({"dst": device, "destMax": 64, "src": host, "count": 64, "kind": kind}, watch=(device,))
    # Undoes a valid call only: a kind that is a number has no length.
    call.undo = lambda result: len(call.args["kind"]) and None
    return call


@recipe("aclrtMalloc")
def malloc(bench: Bench) -> Call:
    def undo(result):
        return bench.call("aclrtFree", devPtr=result.devPtr)

    return Call({"size": 4096, "policy": "ACL_MEM_MALLOC_HUGE_FIRST"}, undo=undo)


@recipe("aclrtMallocHost")
def malloc_host(bench: Bench) -> Call:
    def undo(result):
        return bench.call("aclrtFreeHost", hostPtr=result.hostPtr)

    return Call({"size": 4096}, undo=undo)


@recipe("aclGetDataBufferSizeV2")
def data_buffer_size(bench: Bench) -> Call:
    return Call({"dataBuffer": 4096})


@recipe("aclrtMallocCached")
def malloc_cached(bench: Bench) -> Call:
    return Call({"size": 4096, "policy": 0})
'''


SIZE = "aclGetDataBufferSizeV2"


def copy_suites(folder: Path) -> Path:
    """The suites' derived tests with the recipes above in place of the real ones."""
    write_suite(folder)
    suites = folder / "suites"
    tests = ("test_arguments.py", "test_unsupported.py", "test_hostile.py")
    for name in ("__init__.py", "derived.py", "hostile.py", "recipes/__init__.py", *tests):
        (suites / name).parent.mkdir(exist_ok=True)
        shutil.copy(REPOSITORY / "suites" / name, suites / name)
    (suites / "recipes" / "few.py").write_text(RECIPES)
    (folder / "pytest.ini").write_text("[pytest]\npythonpath = .\naddopts = --import-mode=importlib\n")
    return folder


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return copy_suites(tmp_path_factory.mktemp("derived"))


@pytest.fixture(scope="module")
def outcome(folder: Path) -> Outcome:
    return run_suite(folder, "suites", "-k", "not hostile")


def rule_verdicts(outcome: Outcome) -> dict[str, str]:
    return {case.rules[0]: case.verdict.value for case in outcome.run.cases}


def test_every_argument_rule_of_a_recipe_has_a_record_of_its_own(outcome: Outcome) -> None:
    contract = load()
    wanted = {
        rule.id
        for api in ("aclrtMemcpy", "aclrtMalloc", "aclrtMallocHost", "aclrtMallocCached", SIZE)
        for rule in contract.promised(api, "910b", "EP", "9.0")
        if rule.cases
    }
    assert len(wanted) > 10
    assert {case.rules[0] for case in outcome.run.cases if "test_arguments" in case.id} == wanted
    assert all(case.id.endswith(f"]::{case.rules[0]}") for case in outcome.run.cases)


def test_rules_are_judged_each_on_its_own(outcome: Outcome) -> None:
    verdicts = rule_verdicts(outcome)
    # The fake library checks these, and is lax about everything else.
    assert verdicts["memcpy.null_dst"] == verdicts["memcpy.null_src"] == "pass"
    assert verdicts["memcpy.count_gt_destmax"] == "pass"
    assert verdicts["memcpy.kind_out_of_range"] == "deviates"
    assert verdicts["malloc.null_out"] == verdicts["malloc.size_zero"] == "pass"
    reason = next(case.reason for case in outcome.run.cases if case.rules == ["memcpy.kind_out_of_range"])
    assert "argument: kind = " in reason
    assert "observed: aclrtMemcpy returned 0 (ACL_SUCCESS)" in reason
    assert "--rule memcpy.kind_out_of_range" in reason


def test_a_function_that_is_not_there_is_absent_for_each_of_its_rules(outcome: Outcome) -> None:
    cached = {rule: verdict for rule, verdict in rule_verdicts(outcome).items() if "malloc_cached." in rule}
    assert len(cached) > 2
    assert set(cached.values()) == {"absent"}


def test_one_rule_can_be_run_alone(folder: Path) -> None:
    rule = ["--rule", "memcpy.kind_out_of_range"]
    outcome = run_suite(folder, "suites", *rule, "-k", "arguments", "--strict")
    assert rule_verdicts(outcome) == {"memcpy.kind_out_of_range": "deviates"}
    assert outcome.status == 1
    assert "SUBFAILED[memcpy.kind_out_of_range]" in outcome.text


def test_a_control_call_that_fails_fails_every_rule_of_its_item(folder: Path) -> None:
    outcome = run_suite(folder, "suites", "-k", "arguments and aclrtMemcpy", misbehave="nocopy")
    assert set(rule_verdicts(outcome).values()) == {"fail"}
    assert all(
        "the control call failed: aclrtMemcpy returned 507000" in case.reason for case in outcome.run.cases
    )


def test_a_library_that_ignores_an_argument_is_cleaned_up_after(folder: Path) -> None:
    outcome = run_suite(folder, "suites", "-k", "arguments and aclrtMallocHost", misbehave="lax")
    verdicts = rule_verdicts(outcome)
    assert verdicts["malloc_host.size_zero"] in ("fail", "deviates")
    assert "left behind" not in outcome.text


def test_what_a_function_without_a_code_gives_back_is_compared(folder: Path, outcome: Outcome) -> None:
    rule = "get_data_buffer_size_v2.null_gives_zero"
    assert rule_verdicts(outcome)[rule] == "pass"
    lax = run_suite(folder, "suites", "-k", f"arguments and {SIZE}", misbehave="lax")
    assert rule_verdicts(lax) == {rule: "deviates"}
    assert "expected: what the function gives back: 0" in lax.run.cases[0].reason


def test_an_unsupported_function_is_refused_absent_or_noted(folder: Path) -> None:
    outcome = run_suite(folder, "suites", "-k", "unsupported", sku="IPV350")
    verdicts = rule_verdicts(outcome)
    assert verdicts["malloc_host.unsupported_products"] == "works-though-unsupported"
    assert verdicts["malloc_cached.unsupported_products"] == "refused-as-documented"
    assert outcome.status == 0


def test_a_crash_costs_only_its_own_rule(folder: Path) -> None:
    outcome = run_suite(folder, "suites", "-k", "arguments and aclrtMemcpy", misbehave="nullcrash")
    before = run_suite(folder, "suites", "-k", "arguments and aclrtMemcpy")
    rules = load().rules
    # A rule that fails by an earlier case of its own does not come to the null source.
    with_null = [
        name
        for name, verdict in rule_verdicts(before).items()
        if verdict == "pass" and any(c.set.get("src", 0) is None for c in rules[name].cases)
    ]
    assert "memcpy.null_src" in with_null
    expected = {**rule_verdicts(before), **dict.fromkeys(with_null, "crash")}
    assert rule_verdicts(outcome) == expected
    assert "memcpy.null_src" in outcome.text
    assert len(outcome.run.cases) == len(before.run.cases)


def test_workers_give_the_same_records(folder: Path, outcome: Outcome) -> None:
    before = rule_verdicts(outcome)
    assert rule_verdicts(run_suite(folder, "suites", "-k", "not hostile", "-n", "2")) == before


def test_the_reference_plays_each_profile_once_per_group(folder: Path, tmp_path: Path) -> None:
    log = tmp_path / "log"
    run_suite(
        folder,
        "suites",
        "-k",
        "aclrtMalloc and not hostile",
        target=fake_library(reference=True),
        sku="910b,310b",
        env={"FAKE_ACL_LOG": str(log)},
    )
    played = log.read_text().split()
    assert len(played) <= 2 * 3
    assert set(played) == {
        "product=910b;form=EP;cann=9.0",
        "product=310b;form=EP;cann=9.0",
        "product=310b;form=RC;cann=9.0",
    }


def test_hostile_values_are_observed_and_a_crash_names_its_rule(folder: Path) -> None:
    outcome = run_suite(folder, "suites", "-k", "hostile and aclrtMemcpy", misbehave="wildcrash")
    verdicts = rule_verdicts(outcome)
    assert verdicts["memcpy.null_dst"] == "crash"
    assert verdicts["memcpy.destmax_zero"] == "observed"
    assert set(verdicts.values()) == {"crash", "observed"}
    noted = next(case.observed for case in outcome.run.cases if case.rules == ["memcpy.destmax_zero"])
    assert "destMax = 1: ACL_ERROR_INVALID_PARAM; destMax = the largest value: ACL_SUCCESS" in noted


@pytest.mark.parametrize(
    ("works", "verdict"), [(False, "refused-as-documented"), (True, "works-though-unsupported")]
)
def test_whether_a_function_without_a_code_works_is_told_by_its_recipe(works: bool, verdict: str) -> None:
    contract = load()
    rule = contract.rules["get_tensor_desc_size.unsupported_products"]
    expect = Expect([rule], contract, Profile("IPV350", "EP", "9.0"))
    result = Result(rule.api, None, 0, True, {}, {}, (), str)
    expect.unsupported(result, works=works)
    assert expect.conclude()[0].value == verdict


def test_a_bad_rule_is_shown_with_what_was_written_while_it_was_judged(tmp_path: Path) -> None:
    copy_suites(tmp_path)
    told = RECIPES.replace("    host, device =", '    print("a copy is prepared")\n    host, device =')
    (tmp_path / "suites" / "recipes" / "few.py").write_text(told)
    options = ("suites/test_arguments.py", "-k", "aclrtMemcpy", "--surface", "c", "--strict")
    apart, here = (run_suite(tmp_path, *options, "--isolate", how) for how in ("marked", "none"))
    shown = [
        outcome.text.partition("= FAILURES =")[2].split("short test summary")[0] for outcome in (apart, here)
    ]
    assert "a copy is prepared" in shown[0]
    assert shown[0].count("a copy is prepared") == shown[1].count("a copy is prepared")
