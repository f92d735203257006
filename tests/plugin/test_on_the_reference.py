"""What the fixtures promise, on the reference device: memory, held streams, and nothing left behind."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from harness.binding import find_reference
from harness.results import CaseRecord
from tests.fakes.runs import Outcome, run_suite, write_suite

SUITE = """
import pytest
from harness.plugin import covers, isolated, pattern

KINDS = ["device", "pinned", "pageable", "host", "registered", "managed", "vmm"]


@covers("memcpy.h2d")
@pytest.mark.parametrize("kind", KINDS)
def test_memory(acl, expect, memory, kind):
    block = memory.host(1000) if kind == "host" else memory.of(kind, 1000)
    expect.data(block, 0xEE, "a new block")
    expect.data(block.write(pattern(1000)), pattern(1000), "a written block")
    block.check_guards()


@covers("memcpy.h2d")
def test_hold(acl, expect, case, memory, stream, blocked_stream):
    host, device = memory.host(64).write(pattern(64)), memory.device(64)
    with blocked_stream(stream) as hold:
        case.needs("aclrtStreamQuery")
        before = acl.aclrtStreamQuery(stream=stream).status
        hold.release()
        expect.success(acl.aclrtSynchronizeStream(stream=stream))
    after = acl.aclrtStreamQuery(stream=stream).status
    names = ["ACL_STREAM_STATUS_NOT_READY", "ACL_STREAM_STATUS_COMPLETE"]
    expect.true("held, then done", [before, after], [case.contract.value(name) for name in names])


@covers("memcpy.h2d")
def test_hold_until_the_end(expect, stream, other_stream, blocked_stream):
    with blocked_stream(stream), blocked_stream(other_stream):
        expect.true("two streams", stream != other_stream)


@covers("memcpy.h2d")
def test_leaked_stream(acl, expect, case):
    case.needs("aclrtCreateStream")
    expect.success(acl.aclrtCreateStream())


@covers("memcpy.h2d")
def test_leaked_memory(acl, expect):
    expect.success(acl.aclrtMalloc(size=32, policy="ACL_MEM_MALLOC_HUGE_FIRST"))


@covers("memcpy.h2d")
def test_pending_error(acl, expect, case, library, stream, memory):
    case.needs("aclrtMemcpyAsync")
    library.control.inject_task_error(stream, 507011)
    host, device = memory.host(64), memory.device(64)
    args = dict(dst=device, destMax=64, src=host, count=64, kind="ACL_MEMCPY_HOST_TO_DEVICE", stream=stream)
    expect.success(acl.aclrtMemcpyAsync(**args))


@covers("memcpy.h2d")
def test_failing_callback(acl, expect, case, stream):
    case.needs("aclrtLaunchHostFunc")

    def fail(args):
        raise ValueError("from the callback")

    expect.success(acl.aclrtLaunchHostFunc(stream=stream, fn=fail, args=None))


@covers("memcpy.h2d")
def test_lost_context(acl, expect):
    expect.success(acl.aclrtResetDevice(deviceId=0))


@covers("memcpy.h2d")
@isolated("to see the library before aclInit")
def test_bare(bare, expect):
    result = bare.aclrtMalloc(size=32, policy="ACL_MEM_MALLOC_HUGE_FIRST")
    expect.true("the library is not initialised", result.ok, False)


@covers("memcpy.h2d")
def test_second_device(expect, second_device):
    expect.true("the second device", second_device, 1)


@covers("memcpy.h2d")
def test_clean(expect, memory, stream):
    expect.data(memory.device(64), 0xEE)
"""

PRODUCTS = "910b,310p,310b"


@pytest.fixture(scope="module")
def outcome(tmp_path_factory: pytest.TempPathFactory) -> Outcome:
    assert find_reference() is not None, "the reference device is not built"
    folder = write_suite(tmp_path_factory.mktemp("reference"), fixtures=SUITE)
    return run_suite(folder, "suites", target="reference", sku=PRODUCTS)


def cases_of(outcome: Outcome, name: str, ending: str = "]") -> list[CaseRecord]:
    """The records of one test, over all profiles."""
    return [case for case in outcome.run.cases if f"::{name}[" in case.id and case.id.endswith(ending)]


def verdicts(cases: list[CaseRecord]) -> set[str]:
    assert cases
    return {case.verdict.value for case in cases}


@pytest.mark.parametrize("kind", ["device", "pinned", "pageable", "host"])
def test_common_kinds_of_memory_are_everywhere(outcome: Outcome, kind: str) -> None:
    assert verdicts(cases_of(outcome, "test_memory", f"-{kind}]")) == {"pass"}


@pytest.mark.parametrize("kind", ["registered", "managed", "vmm"])
def test_other_kinds_are_there_or_the_case_says_that_they_are_not(outcome: Outcome, kind: str) -> None:
    cases = cases_of(outcome, "test_memory", f"-{kind}]")
    by_profile = {case.profile: case for case in cases}
    assert by_profile["910b-EP"].verdict.value == "pass"
    blocked = [case for case in cases if case.verdict.value == "blocked"]
    assert all(f"no {kind} memory on {case.profile}" in case.reason for case in blocked)
    assert verdicts(cases) <= {"pass", "blocked"}


def test_streams_are_held_by_a_value_or_by_a_callback(outcome: Outcome) -> None:
    assert verdicts(cases_of(outcome, "test_hold")) == {"pass"}
    assert verdicts(cases_of(outcome, "test_hold_until_the_end")) == {"pass"}


@pytest.mark.parametrize(
    ("name", "what"),
    [
        ("test_leaked_stream", "left behind: streams: "),
        ("test_leaked_memory", "left behind: device_allocations: 0 before, 1 after"),
        ("test_pending_error", "an asynchronous error was pending: aclrtSynchronizeDevice returned"),
        ("test_failing_callback", "aclrtHostFunc raised ValueError: from the callback"),
        ("test_lost_context", "the context of device 0 is gone"),
    ],
)
def test_what_a_case_leaves_behind_is_its_failure(outcome: Outcome, name: str, what: str) -> None:
    assert verdicts(cases_of(outcome, name)) == {"fail"}
    assert all(what in case.reason for case in cases_of(outcome, name))


@pytest.mark.parametrize("name", ["test_bare", "test_second_device", "test_clean"])
def test_everything_else_passes_beside_them(outcome: Outcome, name: str) -> None:
    assert verdicts(cases_of(outcome, name)) == {"pass"}


def test_without_default_streams_they_are_made_and_held_too(tmp_path: Path) -> None:
    write_suite(tmp_path, fixtures=SUITE)
    outcome = run_suite(tmp_path, "suites", "-k", "until or clean", target="reference", sku="IPV350")
    assert set(outcome.verdicts.values()) == {"pass"}


def test_one_worker_for_each_core(tmp_path: Path) -> None:
    write_suite(tmp_path, fixtures=SUITE)
    outcome = run_suite(tmp_path, "suites", "-k", "clean", "-n", "auto", target="reference", sku="910b")
    assert f"{len(os.sched_getaffinity(0))} workers" in outcome.text
