"""Libraries that crash, hang or end the process: the affected cases say so, every other verdict stays."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.fakes.runs import Outcome, run_suite, write_suite

SUITE = """
import os
import pytest
from harness.plugin import covers, covers_rules, deadline, isolated

H2D = 1


@covers("memcpy.h2d")
@pytest.mark.parametrize("size", [1, 76, 77, 78])
def test_copy(acl, expect, memory, size):
    host, device = memory.host(size), memory.device(size)
    print("copying", size)
    expect.success(acl.aclrtMemcpy(dst=device, destMax=size, src=host, count=size, kind=H2D))


@covers("memcpy.d2h")
def test_synchronise(acl, expect, stream):
    expect.success(acl.aclrtSynchronizeStream(stream=stream))


@covers("memcpy.d2h")
@isolated("to have one of this kind")
def test_synchronise_alone(acl, expect, stream):
    expect.success(acl.aclrtSynchronizeStream(stream=stream))


@covers("memcpy.d2h")
def test_free(expect, memory):
    memory.device(64, fill=0x99)
    expect.true("one is one", 1, 1)


@covers("memcpy.d2h")
def test_wrong(expect):
    expect.true("one is two", 1, 2)


@pytest.fixture(scope="module")
def shared():
    return os.getpid()


@covers("memcpy.d2h")
@pytest.mark.parametrize("n", range(4))
def test_after(expect, shared, n):
    expect.true("the fixture is of this process", shared, os.getpid())


def null_rules(rule, profile, supported):
    return rule.type == "null-argument"


@covers_rules(null_rules, ["aclrtMemcpy"])
def test_derived(api, acl, each_rule):
    for rule in each_rule:
        with each_rule.judge(rule) as check:
            size = 77 if rule.id == "memcpy.null_src" else 4
            host, device = check.resources.memory().host(size), check.resources.memory().device(size)
            acl.aclrtMemcpy(dst=device, destMax=size, src=host, count=size, kind=H2D)
            check.expect.refused(acl.aclrtMemcpy(dst=None, destMax=size, src=host, count=size, kind=H2D))
"""

AFFECTED = {
    "segv": {"test_synchronise": "crash", "test_synchronise_alone": "crash"},
    "hang": {
        "test_copy[77]": "hang",
        "test_derived[aclrtMemcpy-910b-EP-c]::memcpy.null_src": "hang",
    },
    "exit": {"test_free": "crash"},
}


@pytest.fixture(scope="module")
def clean(tmp_path_factory: pytest.TempPathFactory) -> Outcome:
    return run_suite(write_suite(tmp_path_factory.mktemp("clean"), hostile=SUITE), "suites")


@pytest.mark.parametrize("workers", [[], ["-n", "2"]], ids=["alone", "with workers"])
@pytest.mark.parametrize("fault", AFFECTED)
def test_only_the_affected_cases_change(
    clean: Outcome, tmp_path: Path, fault: str, workers: list[str]
) -> None:
    write_suite(tmp_path, hostile=SUITE)
    outcome = run_suite(tmp_path, "suites", "--case-timeout", "1.5", *workers, misbehave=fault)
    expected = {short_name(name): verdict for name, verdict in clean.verdicts.items()} | {
        short_name(name): verdict for name, verdict in AFFECTED[fault].items()
    }
    assert {short_name(name): verdict for name, verdict in outcome.verdicts.items()} == expected
    assert outcome.status == 1
    assert outcome.run.footer is not None


def short_name(name: str) -> str:
    """The name of a case with the function of a derived one left out."""
    return name.replace("[aclrtMemcpy-910b-EP-c]", "").replace("[aclrtMemcpy-910b-EP-c", "")


def test_a_clean_library_passes_everything_but_the_wrong_claim(clean: Outcome) -> None:
    assert set(clean.verdicts.values()) == {"pass", "fail"}
    assert [name for name, verdict in clean.verdicts.items() if verdict == "fail"] == ["test_wrong"]


def test_the_record_of_a_crash_names_signal_call_and_output(tmp_path: Path) -> None:
    write_suite(tmp_path, hostile=SUITE)
    outcome = run_suite(tmp_path, "suites", "-k", "synchronise", misbehave="segv,noise")
    case = outcome.run.cases[0]
    assert case.reason.startswith("killed by SIGSEGV in aclrtSynchronizeStream(stream=0x")
    assert [call.function for call in case.calls] == ["aclrtCreateStream", "aclrtSynchronizeStream"]
    assert [call.returned for call in case.calls] == [True, False]
    assert case.first_cause is not None
    assert case.first_cause.function == "aclrtSynchronizeStream"
    assert "Segmentation fault" in case.log
    assert "test_hostile.py" in case.log
    assert "_pytest" not in case.log
    assert "aclrtSynchronizeStream(stream=" in outcome.text


def test_the_record_of_a_hang_shows_where_the_test_was(tmp_path: Path) -> None:
    write_suite(tmp_path, hostile=SUITE)
    outcome = run_suite(tmp_path, "suites", "-k", "copy and 77", "--case-timeout", "1", misbehave="hang")
    (case,) = outcome.run.cases
    assert case.reason.startswith("no answer within 1 s in aclrtMemcpy(dst=0x")
    assert "copying 77" in case.log
    assert "in test_copy" in case.log


IN_A_THREAD = """
import threading
import time
from harness.plugin import covers, deadline


@covers("memcpy.h2d")
@deadline(1)
def test_two_threads(acl, expect):
    copy = {"dst": 1 << 20, "destMax": 77, "src": 2 << 20, "count": 77, "kind": 1}
    threading.Thread(target=lambda: acl.aclrtMemcpy(**copy), daemon=True).start()
    time.sleep(0.1)
    expect.success(acl.aclrtGetDeviceCount())
    time.sleep(30)
"""


def test_the_record_of_a_hang_names_the_call_of_another_thread(tmp_path: Path) -> None:
    outcome = run_suite(write_suite(tmp_path, threads=IN_A_THREAD), "suites", misbehave="hang")
    assert outcome.reason("test_two_threads").startswith("no answer within 1 s in aclrtMemcpy(dst=")


IN_ANOTHER_PROCESS = """
import time
from harness.binding import Journal
from harness.plugin import covers, deadline, journal_of


@covers("memcpy.h2d")
@deadline(1)
def test_asks_another(acl, case, expect):
    expect.success(acl.aclrtGetDeviceCount())
    Journal(journal_of(case.engine.journal, 4711)).start("aclrtFree", (1,))
    time.sleep(30)
"""


def test_the_record_of_a_hang_names_the_call_of_another_process(tmp_path: Path) -> None:
    outcome = run_suite(write_suite(tmp_path, others=IN_ANOTHER_PROCESS), "suites")
    reason = outcome.reason("test_asks_another")
    assert reason == "no answer within 1 s while another process was in aclrtFree(devPtr=1)"


LOST = """
import os
import time
from harness.plugin import ProcessLost, covers, deadline


@covers("memcpy.h2d")
@deadline(5)
def test_lost(acl, expect, memory, afterwards):
    # What waits for the other process, as a synchronisation would.
    afterwards("aclrtMemcpy", dst=1 << 20, destMax=77, src=2 << 20, count=77, kind=1)
    raise ProcessLost("another process was killed by SIGSEGV", hung=False)


@covers("memcpy.h2d")
def test_next(acl, expect):
    expect.success(acl.aclrtGetDeviceCount())
"""


def test_a_case_that_has_lost_another_process_does_not_wait_for_it(tmp_path: Path) -> None:
    outcome = run_suite(write_suite(tmp_path, lost=LOST), "suites", misbehave="hang")
    assert outcome.verdicts == {"test_lost": "crash", "test_next": "pass"}
    assert outcome.reason("test_lost").startswith("another process was killed by SIGSEGV")


def test_a_deadline_of_its_own_ends_a_case_earlier(tmp_path: Path) -> None:
    text = SUITE.replace('@covers("memcpy.h2d")', '@covers("memcpy.h2d")\n@deadline(0.5)')
    outcome = run_suite(write_suite(tmp_path, hostile=text), "suites", "-k", "copy", misbehave="hang")
    assert outcome.reason("test_copy[77]").startswith("no answer within 0.5 s")


def test_isolating_all_gives_the_same_verdicts(clean: Outcome, tmp_path: Path) -> None:
    write_suite(tmp_path, hostile=SUITE)
    assert run_suite(tmp_path, "suites", "--isolate", "all").verdicts == clean.verdicts


def test_isolating_none_gives_the_same_verdicts_in_this_process(clean: Outcome, tmp_path: Path) -> None:
    write_suite(tmp_path, hostile=SUITE)
    outcome = run_suite(tmp_path, "suites", "--isolate", "none")
    assert outcome.verdicts == clean.verdicts
    assert outcome.status == 1


def test_a_library_that_dies_when_it_is_opened_is_a_usage_error(tmp_path: Path) -> None:
    write_suite(tmp_path, hostile=SUITE)
    outcome = run_suite(tmp_path, "suites", misbehave="stillborn")
    assert outcome.status == 2
    (line,) = outcome.text.splitlines()
    assert r"ended the process: killed by SIGABRT; it said: 'the driver\x1b[31m is too old'" in line
    assert not outcome.results.exists()


def test_a_device_that_is_broken_by_a_crash_runs_nothing_more(tmp_path: Path) -> None:
    write_suite(tmp_path, hostile=SUITE)
    poison = {"FAKE_ACL_POISON": str(tmp_path / "poison")}
    outcome = run_suite(tmp_path, "suites", "-k", "not alone", misbehave="poison", env=poison)
    verdicts = outcome.verdicts
    assert verdicts.pop("test_synchronise") == "crash"
    before = {name: verdict for name, verdict in verdicts.items() if "test_copy" in name}
    after = {name: verdict for name, verdict in verdicts.items() if "test_copy" not in name}
    assert set(before.values()) == {"pass"}
    assert set(after.values()) == {"blocked"}
    assert "is quarantined since suites/test_hostile.py::test_synchronise" in outcome.reason("test_wrong")
    assert "aclrtMalloc returned 207001" in outcome.reason("test_wrong")
    assert any("memcpy.null_src" in name for name in after)


def test_a_library_that_forks_while_it_loads_has_each_case_once(clean: Outcome, tmp_path: Path) -> None:
    outcome = run_suite(write_suite(tmp_path, hostile=SUITE), "suites", misbehave="forks")
    assert outcome.verdicts == clean.verdicts
    assert outcome.run.footer is not None
