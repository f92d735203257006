"""Waivers and tiers in a run of pytest: what is excused, what fails the run, which cases a tier has."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.fakes.runs import Outcome, run_suite, write_suite

SUITE = """
from harness.plugin import covers, covers_rules, isolated


@covers("memcpy.h2d")
def test_broken(acl, expect):
    acl.aclrtSetDevice(deviceId=0)
    expect.true("one is two", 1, 2)


@covers("memcpy.h2d")
def test_holds(expect):
    expect.true("one is one", 1, 1)


@covers("memcpy.d2h")
def test_other(expect):
    expect.true("one is one", 1, 1)


@covers("memcpy.h2d")
@isolated("it dies")
def test_dies(case, expect):
    import os
    os.kill(os.getpid(), 9)


@covers("memcpy.kind_inner")
def test_left_open(expect):
    expect.true("one is one", 1, 1)


def two(rule, profile, supported):
    return rule.id in ("memset.host_fill", "memset.device_fill")


@covers_rules(two, ["aclrtMemset"])
def test_rules(api, case, each_rule):
    for rule in each_rule:
        with each_rule.judge(rule) as check:
            check.expect.true("it is the one", rule.id, "memset.host_fill")
"""

ENTRY = """
[[waiver]]
{what}
owner = "board team"
reason = "known"
link = "https://example.com/7"
expires = {expires}
"""


def waiver(what: str, expires: str = "2099-12-31") -> str:
    return ENTRY.format(what=what, expires=expires)


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    return write_suite(tmp_path, waived=SUITE)


def run(folder: Path, *entries: str, options: tuple[str, ...] = ()) -> Outcome:
    (folder / "waivers.toml").write_text("".join(entries))
    return run_suite(folder, "suites", "-q", "--waivers", "waivers.toml", *options, surface="")


BROKEN = waiver('id = "*::test_broken[*"')
DIES = waiver('id = "*::test_dies*"')
RULE = waiver('rule = "memset.device_fill"')


def test_what_somebody_answers_for_is_waived_with_its_evidence(folder: Path) -> None:
    outcome = run(folder, BROKEN, DIES, RULE)
    assert outcome.status == 0, outcome.text
    ended = {name: verdict for name, verdict in outcome.verdicts.items() if verdict != "pass"}
    waived = [case for case in outcome.run.cases if case.waived is not None]
    assert "waived" in ended.values()
    assert {str(case.waived.verdict) for case in waived if case.waived} == {"fail", "crash"}
    assert all(case.waived and case.waived.owner == "board team" for case in waived)
    assert any(call.function == "aclrtSetDevice" for case in waived for call in case.calls)
    assert "failed" not in outcome.text.splitlines()[-1]


def test_what_nobody_answers_for_still_fails(folder: Path) -> None:
    outcome = run(folder, BROKEN, DIES)
    assert outcome.status == 1
    assert "fail: " in outcome.text


@pytest.mark.parametrize(
    ("entry", "message"),
    [
        (waiver('rule = "memcpy.d2h"'), "waiver memcpy.d2h: what it excuses holds now"),
        (waiver('rule = "memcpy2d.*"'), "waiver memcpy2d.*: names no case of this run"),
        (waiver('rule = "memcpy.d2h"', "2020-01-01"), "waiver memcpy.d2h: expired on 2020-01-01"),
    ],
)
def test_a_waiver_nobody_needs_fails_the_run(folder: Path, entry: str, message: str) -> None:
    outcome = run(folder, BROKEN, DIES, RULE, entry)
    assert outcome.status == 1
    assert message in outcome.text


def test_a_run_of_chosen_cases_may_leave_waivers_unmatched(folder: Path) -> None:
    outcome = run(folder, BROKEN, DIES, RULE, options=("-k", "test_other"))
    assert outcome.status == 0, outcome.text


def test_a_wrong_waiver_file_ends_the_run_at_once(folder: Path) -> None:
    outcome = run(folder, BROKEN.replace("2099-12-31", "2099-13-31"))
    assert outcome.status == 2
    (line,) = [line for line in outcome.text.splitlines() if line.strip()]
    assert line.startswith("ERROR: --waivers: waivers.toml: ")
    assert not outcome.results.exists()


def test_must_pass_has_only_what_must_hold(folder: Path) -> None:
    outcome = run_suite(folder, "suites", "-q", "--tier", "must-pass")
    rules = {rule for case in outcome.run.cases for rule in case.rules}
    assert "memcpy.kind_inner" not in rules
    assert {"memcpy.h2d", "memcpy.d2h"} <= rules
    assert outcome.run.header.options["tier"] == "must-pass"


def test_smoke_has_one_case_of_a_function_and_the_same_ids(folder: Path) -> None:
    smoke = run_suite(folder, "suites", "-q", "--tier", "smoke")
    full = run_suite(folder, "suites", "-q")
    ids = [case.id for case in smoke.run.cases if case.api == "aclrtMemcpy"]
    assert len(ids) == 1
    assert "test_dies" not in ids[0]
    assert {case.id for case in smoke.run.cases} < {case.id for case in full.run.cases}


def test_a_chapter_narrows_a_run(folder: Path) -> None:
    assert run_suite(folder, "suites", "-q", "--chapter", "memory_copy").run.cases
    nothing = run_suite(folder, "suites", "-q", "--chapter", "stream")
    assert nothing.status == 2


@pytest.mark.parametrize(
    ("options", "message"),
    [
        (("--tier", "huge"), "--tier: 'huge' is not one of smoke, must-pass, full"),
        (("--chapter", "99"), "--chapter: no such chapter: 99"),
        (("--waivers", "none.toml"), "--waivers: none.toml: cannot be read"),
    ],
)
def test_a_wrong_option_is_one_line(folder: Path, options: tuple[str, ...], message: str) -> None:
    outcome = run_suite(folder, "suites", *options)
    assert outcome.status == 2
    assert message in outcome.text


MEASURED = """
from harness.plugin import benchmarks


@benchmarks("h2d-*")
def test_speed(measure, what):
    measure()
"""


@pytest.mark.parametrize(
    ("options", "measured"),
    [
        (("--tier", "must-pass"), True),
        (("--tier", "full"), True),
        (("--tier", "smoke"), False),
        (("--tier", "must-pass", "--chapter", "memory_copy"), False),
    ],
)
def test_benchmarks_belong_to_every_whole_tier(
    tmp_path: Path, options: tuple[str, ...], measured: bool
) -> None:
    folder = write_suite(tmp_path, waived=SUITE, speed=MEASURED)
    outcome = run_suite(folder, "suites", "--collect-only", "-q", *options)
    assert ("test_speed" in outcome.text) is measured, outcome.text
