"""Which cases a test makes, their ids and their order, and what --rule, --surface, --sku and --form leave."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.fakes.runs import fake_library, run_suite, write_suite

SUITE = """
import pytest
from harness.contract import load
from harness.plugin import covers, covers_each, covers_rules, surfaces


@covers("memcpy.h2d", uses=["aclrtCreateEvent"])
def test_both_surfaces(acl, expect): ...


@covers("memcpy.h2d")
@surfaces("c")
def test_c_only(expect): ...


@covers("check_mem_type.null_result")
def test_not_in_pyacl(expect): ...


@covers_each("null_dst", "aclrtMemcpyAsync", "aclrtMemcpy", "aclrtFree")
def test_siblings(acl, api, expect): ...


@covers_each("h2d", "aclrtMemcpy")
@pytest.mark.parametrize("size", [1, 2])
def test_sizes(api, expect, size): ...


def any_argument_rule(rule, profile, supported):
    return supported and rule.type == "null-argument"


@covers_rules(any_argument_rule, ["aclrtMemcpy", "aclInit"])
def test_derived(api, acl, each_rule): ...


def test_plain(): ...
"""


def collected(folder: Path, *options: str, **how: str) -> list[str]:
    """The ids of the cases, without the file."""
    outcome = run_suite(folder, "suites", "--collect-only", "-q", *options, **how)
    assert outcome.status == 0, outcome.text
    return [line.split("::", 1)[1] for line in outcome.text.splitlines() if "::" in line and " " not in line]


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    return write_suite(tmp_path, matrix=SUITE)


def test_one_product_on_both_surfaces(folder: Path) -> None:
    ids = collected(folder, surface="")
    assert [name for name in ids if "both" in name] == [
        "test_both_surfaces[910b-EP-c]",
        "test_both_surfaces[910b-EP-pyacl]",
    ]
    assert [name for name in ids if "c_only" in name] == ["test_c_only[910b-EP-c]"]
    assert [name for name in ids if "not_in_pyacl" in name] == ["test_not_in_pyacl[910b-EP-c]"]
    assert "test_plain" in ids


def test_functions_come_first_in_ids_and_those_without_the_rule_are_left_out(folder: Path) -> None:
    ids = collected(folder, "-k", "siblings or sizes")
    assert ids == [
        "test_siblings[aclrtMemcpyAsync-910b-EP-c]",
        "test_siblings[aclrtMemcpy-910b-EP-c]",
        "test_sizes[aclrtMemcpy-910b-EP-c-1]",
        "test_sizes[aclrtMemcpy-910b-EP-c-2]",
    ]


def test_derived_items_are_one_for_each_function_that_has_such_rules(folder: Path) -> None:
    assert collected(folder, "-k", "derived") == ["test_derived[aclrtMemcpy-910b-EP-c]"]


def test_an_unsupported_function_makes_no_case_of_its_behaviour(folder: Path) -> None:
    ids = collected(folder, "-k", "siblings", sku="IPV350")
    assert ids == ["test_siblings[aclrtMemcpy-IPV350-EP-c]"]


def test_a_rule_pattern_leaves_its_cases(folder: Path) -> None:
    ids = collected(folder, "--rule", "memcpy_async.*")
    assert ids == ["test_plain", "test_siblings[aclrtMemcpyAsync-910b-EP-c]"]
    assert collected(folder, "--rule", "memcpy.null_dst", "-k", "derived") == [
        "test_derived[aclrtMemcpy-910b-EP-c]"
    ]


ONCE = """
from harness.plugin import covers_rules


def null_rules(rule, profile, supported):
    return supported and rule.type == "null-argument"


@covers_rules(null_rules, ["aclrtMallocHost", "aclrtMallocCached", "aclrtMemcpyBatch"], once=True)
def test_once(api, acl, each_rule): ...
"""


def test_a_rule_that_is_judged_once_takes_the_first_profile_it_applies_to(tmp_path: Path) -> None:
    write_suite(tmp_path, once=ONCE)
    ids = collected(tmp_path, sku="310b,910b", target=str(fake_library(reference=True)))
    assert ids == [
        "test_once[aclrtMallocHost-910b-EP-c]",
        "test_once[aclrtMallocCached-910b-EP-c]",
        "test_once[aclrtMemcpyBatch-910b-EP-c]",
    ]
    ids = collected(tmp_path, sku="310b", target=str(fake_library(reference=True)))
    assert ids == ["test_once[aclrtMallocHost-310b-EP-c]", "test_once[aclrtMallocCached-310b-EP-c]"]


BAD_TESTS = {
    "an unknown rule": ('@covers("memcpy.h2x")\ndef test_x(expect): ...', "no rule 'memcpy.h2x'"),
    "an unknown function": (
        '@covers_each("h2d", "aclrtMemcopy")\ndef test_x(api, expect): ...',
        "'aclrtMemcopy'",
    ),
    "a slug nobody has": (
        '@covers_each("h2x", "aclrtMemcpy")\ndef test_x(api, expect): ...',
        "has a rule 'h2x'",
    ),
    "an unknown use": ('@covers("memcpy.h2d", uses=["aclX"])\ndef test_x(expect): ...', "no function 'aclX'"),
    "no rule at all": ("def test_x(expect): ...", "put @covers on it"),
    "no fixture": ('@covers("memcpy.h2d")\ndef test_x(): ...', "takes no fixture over `case`"),
}


@pytest.mark.parametrize("what", BAD_TESTS)
def test_a_test_that_names_its_rules_wrongly_is_an_error_in_one_line(tmp_path: Path, what: str) -> None:
    text, message = BAD_TESTS[what]
    write_suite(tmp_path, bad=f"from harness.plugin import covers, covers_each\n\n{text}\n")
    outcome = run_suite(tmp_path, "suites")
    assert outcome.status == 2
    assert message in outcome.text
    assert "Traceback" not in outcome.text
    assert not outcome.results.exists()


TWO_PROFILES = """
from harness.plugin import covers


@covers("memcpy.h2d")
def test_first(expect): ...


@covers("memcpy.h2d")
def test_second(expect): ...
"""


def test_the_reference_runs_every_profile_grouped_within_a_file(tmp_path: Path) -> None:
    write_suite(tmp_path, a=TWO_PROFILES, b=TWO_PROFILES)
    ids = collected(tmp_path, sku="", target=str(fake_library(reference=True)))
    profiles = [name.split("[")[1].rsplit("-", 1)[0] for name in ids]
    whole = [
        "950-EP",
        "A3-EP",
        "910b-EP",
        "310b-EP",
        "310b-RC",
        "310p-EP",
        "310p-ccpu",
        "910-EP",
        "IPV350-EP",
    ]
    assert profiles == [profile for _ in "ab" for profile in whole for _ in range(2)]
    assert ids[:2] == ["test_first[950-EP-c]", "test_second[950-EP-c]"]


@pytest.mark.parametrize(
    ("options", "left"),
    [
        (["--sku", "310b"], ["310b-EP", "310b-RC"]),
        (["--sku", "310b,910", "--sku", "950"], ["950-EP", "310b-EP", "310b-RC", "910-EP"]),
        (["--form", "RC"], ["310b-RC"]),
        (["--form", "ccpu,RC"], ["310b-RC", "310p-ccpu"]),
    ],
)
def test_product_and_form_choose_profiles(tmp_path: Path, options: list[str], left: list[str]) -> None:
    write_suite(tmp_path, a=TWO_PROFILES)
    ids = collected(tmp_path, "-k", "first", *options, sku="", target=str(fake_library(reference=True)))
    assert ids == [f"test_first[{profile}-c]" for profile in left]
