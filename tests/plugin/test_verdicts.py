"""How cases end: verdict, reason and evidence in the records, and the exit status."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.fakes.runs import Outcome, run_suite, write_suite

SUITE = '''
import pytest
from harness.plugin import covers, covers_each, pattern


@covers("memcpy.h2d")
def test_pass(acl, expect, memory):
    """A copy to the device moves the bytes."""
    host, device = memory.host(100).write(pattern(100)), memory.device(100)
    expect.success(acl.aclrtMemcpy(dst=device, destMax=100, src=host, count=100, kind=1))
    expect.data(device, host)


@covers("memcpy.h2d")
def test_must(expect, memory):
    device = memory.device(64, fill=3)
    print("words of the test")
    expect.data(device, 4, "the block", width=16)


@covers("memcpy.d2h", "memcpy.kind_inner")
def test_weakest_of_two(expect):
    expect.true("one is one", 1, 1)


@covers("memcpy.null_dst")
def test_expected_only(acl, expect):
    expect.success(acl.aclrtMemcpy(dst=None, destMax=1, src=None, count=1, kind=0))


@covers("memcpy.kind_inner")
def test_left_open(expect):
    expect.true("one is two", 1, 2)


@covers("memcpy.kind_inner")
def test_observed(acl, expect, memory):
    bystander = memory.device(64)
    expect.observed(acl.aclrtMemcpy(dst=None, destMax=1, src=None, count=1, kind=0), corrupted=[bystander])


@covers("memcpy.kind_inner")
def test_corrupted_bystander(acl, expect, memory):
    bystander = memory.device(64)
    acl.aclrtMemset(devPtr=bystander, maxCount=64, value=1, count=1)
    expect.observed("something", corrupted=[bystander])


@covers("memcpy.h2d")
def test_blocked(expect):
    expect.blocked("no link here")


@covers("memcpy.h2d")
def test_skipped(case):
    pytest.skip("not today")


@covers("memcpy.h2d", uses=["aclrtMallocCached"])
def test_absent(acl, expect):
    expect.success(acl.aclrtMallocCached(size=64, policy=0))


@covers("memcpy.h2d")
def test_broken(acl, expect):
    return 1 / 0


@covers("memcpy.h2d")
def test_silent(acl):
    pass


@covers("memcpy.h2d")
def test_wrong_rule(acl, expect):
    expect.true("x", 1, rule="memcpy.h2h")


@covers("malloc.roundtrip")
def test_unsupported_but_works(acl, expect, memory):
    expect.unsupported(acl.aclrtMemset(devPtr=memory.device(64), maxCount=64, value=1, count=1))


@covers("malloc.roundtrip")
def test_unsupported_refused(acl, expect, memory):
    result = acl.aclrtMemset(devPtr=None, maxCount=64, value=1, count=1)
    expect.unsupported(result, unchanged=[memory.device(64)])


@covers("memcpy.h2d")
@pytest.mark.parametrize("size", [1, 64])
def test_parametrised(expect, size):
    expect.within("size, in bytes", size, 1, 64)
'''


@pytest.fixture(scope="module")
def outcome(tmp_path_factory: pytest.TempPathFactory) -> Outcome:
    folder = write_suite(tmp_path_factory.mktemp("verdicts"), verdicts=SUITE)
    return run_suite(folder, "suites")


@pytest.mark.parametrize(
    ("name", "verdict"),
    [
        ("test_pass", "pass"),
        ("test_must", "fail"),
        ("test_weakest_of_two", "pass"),
        ("test_expected_only", "deviates"),
        ("test_left_open", "observed"),
        ("test_observed", "observed"),
        ("test_corrupted_bystander", "fail"),
        ("test_blocked", "blocked"),
        ("test_skipped", "blocked"),
        ("test_absent", "absent"),
        ("test_broken", "fail"),
        ("test_silent", "fail"),
        ("test_wrong_rule", "fail"),
        ("test_unsupported_but_works", "works-though-unsupported"),
        ("test_unsupported_refused", "refused-as-documented"),
        ("test_parametrised[1]", "pass"),
        ("test_parametrised[64]", "pass"),
    ],
)
def test_verdict(outcome: Outcome, name: str, verdict: str) -> None:
    assert outcome.verdicts[name] == verdict


def test_every_case_is_recorded_once_and_the_run_is_finished(outcome: Outcome) -> None:
    run = outcome.run
    assert len(run.cases) == len({case.id for case in run.cases}) == len(outcome.verdicts) == 17
    assert run.footer is not None
    assert (run.footer.exitstatus, outcome.status) == (1, 1)


def test_a_violation_says_everything_needed_to_act(outcome: Outcome) -> None:
    reason = outcome.reason("test_must")
    for part in (
        "memcpy.h2d - aclrtMemcpy on 910b-EP",
        "promise:  host to device copy",
        "expected: the expected bytes in the block",
        "observed: 64 of 64 bytes differ, the first at byte 0 (row 0, column 0): 03 03",
        "document: 11-03_memory_copy_and_set.md#aclrtMemcpy",
        "again:    pytest 'suites/test_verdicts.py::test_must[910b-EP-c]' --target",
    ):
        assert part in reason


def test_the_evidence_of_a_failure_are_the_calls_up_to_it(outcome: Outcome) -> None:
    case = next(case for case in outcome.run.cases if "test_must" in case.id)
    assert [call.function for call in case.calls] == [
        "aclrtMalloc",
        "aclrtMemset",
        "aclrtMemset",
        "aclrtMemcpy",
    ]
    assert case.calls[0].args["policy"] == "ACL_MEM_MALLOC_HUGE_FIRST"
    assert "words of the test" in case.log


def test_good_cases_carry_no_calls(outcome: Outcome) -> None:
    assert all(not case.calls for case in outcome.run.cases if case.verdict.value == "pass")


def test_the_first_cause_is_the_first_call_that_failed(outcome: Outcome) -> None:
    case = next(case for case in outcome.run.cases if "test_observed" in case.id)
    assert case.first_cause is not None
    assert (case.first_cause.function, case.first_cause.code) == ("aclrtMemcpy", 100000)
    assert "aclrtMemcpy returned 100000" in case.observed


@pytest.mark.parametrize(
    ("name", "reason"),
    [
        ("test_broken", "error in the test: ZeroDivisionError: division by zero"),
        ("test_silent", "error in the test: it claimed nothing"),
        ("test_blocked", "no link here"),
        ("test_skipped", "not today"),
        ("test_absent", "aclrtMallocCached is not exported"),
    ],
)
def test_reason(outcome: Outcome, name: str, reason: str) -> None:
    assert outcome.reason(name) == reason


def test_the_console_counts_verdicts_lists_failures_and_says_how_to_repeat_them(outcome: Outcome) -> None:
    counts = dict(line.split()[:2] for line in outcome.text.partition("verdicts ==")[2].splitlines()[1:8])
    assert counts["fail"] == "5"
    assert counts["absent"] == "1"
    assert "fail: suites/test_verdicts.py::test_broken[910b-EP-c]: error in the test" in outcome.text
    again = next(line for line in outcome.text.splitlines() if line.startswith("again: "))
    assert "--sku 910b" in again
    assert again.count("suites/test_verdicts.py::") == 5


def test_deviates_is_bad_only_when_strict(tmp_path: Path) -> None:
    write_suite(tmp_path, verdicts=SUITE)
    lenient = run_suite(tmp_path, "suites", "-k", "expected_only or observed or unsupported", "--no-strict")
    assert (lenient.status, lenient.run.header.strict) == (0, False)
    strict = run_suite(tmp_path, "suites", "-k", "expected_only", "--strict")
    assert (strict.status, strict.run.header.strict) == (1, True)
    assert lenient.verdicts["test_expected_only"] == "deviates"


MESSES = """
from harness.plugin import covers, deadline, isolated


@covers("memcpy.h2d")
def test_overrun(acl, expect, memory):
    host, device = memory.host(78), memory.device(78)
    expect.success(acl.aclrtMemcpy(dst=device, destMax=78, src=host, count=78, kind=1))


@covers("memcpy.h2d")
def test_pending(expect, memory):
    memory.device(64, fill=0x66)
    expect.true("one is one", 1, 1)


@covers("malloc.roundtrip")
def test_leak(acl, expect):
    expect.success(acl.aclrtMalloc(size=64 << 20, policy=0))


@covers("malloc.roundtrip")
def test_given_back(acl, expect, afterwards):
    result = expect.success(acl.aclrtMalloc(size=64 << 20, policy=0))
    afterwards("aclrtFree", devPtr=result.devPtr)


@covers("malloc.roundtrip")
def test_lost_context(acl, expect):
    expect.success(acl.aclFinalize())


@covers("malloc.roundtrip")
def test_noise(expect, memory):
    memory.device(64)
    expect.true("one is two", 1, 2)


@covers("memcpy.h2d")
def test_clean(acl, expect, memory):
    host, device = memory.host(8), memory.device(8)
    expect.success(acl.aclrtMemcpy(dst=device, destMax=8, src=host, count=8, kind=1))
"""


def test_what_a_case_leaves_behind_is_its_own_failure_and_spares_the_next(tmp_path: Path) -> None:
    write_suite(tmp_path, messes=MESSES)
    outcome = run_suite(tmp_path, "suites", misbehave="overrun,pending,noise")
    assert outcome.verdicts == {
        "test_overrun": "fail",
        "test_pending": "fail",
        "test_leak": "fail",
        "test_given_back": "pass",
        "test_lost_context": "fail",
        "test_noise": "fail",
        "test_clean": "pass",
    }
    assert (
        "1 guard bytes after it were written, the nearest 0 bytes past its end (now 0x11)"
        in outcome.reason("test_overrun")
    )
    assert "asynchronous error was pending: aclrtSynchronizeDevice" in outcome.reason("test_pending")
    assert "left behind: free device memory" in outcome.reason("test_leak")
    assert "the context of device 0 is gone" in outcome.reason("test_lost_context")
    noise = next(case for case in outcome.run.cases if "test_noise" in case.id)
    assert "memset of 576 bytes" in noise.log
    assert "memset on stderr" in noise.log
