"""pytest's own ways of running tests, on cases: they mean what they always mean."""

from __future__ import annotations

import os
import re
import signal
import subprocess
import time
from collections.abc import Callable
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import execnet
import pytest

from harness.plugin.protocol import attach_records, attached_records
from tests.fakes.runs import Outcome, command, environment, fake_library, run_suite, write_suite

SUITE = """
import os
import time
import warnings
import execnet
import pytest
from harness.plugin import covers, isolated

pytestmark = pytest.mark.filterwarnings("default")


@pytest.fixture(scope="module")
def opened():
    with open("opened", "a") as file:
        file.write("x")
    yield 1
    with open("closed", "a") as file:
        file.write("x")


@covers("memcpy.h2d")
@pytest.mark.slow
def test_one(expect, opened):
    print("out of one")
    warnings.warn("watch out")
    expect.true("one is one", 1, 1)


@covers("memcpy.h2d")
def test_two(expect, opened, record_property):
    record_property("answer", 42)
    expect.true("one is two", 1, 2)


@covers("memcpy.h2d")
@isolated("for the mixture")
def test_three(expect):
    expect.true("three is three", 3, 3)


@covers("memcpy.h2d")
def test_four(expect, opened, tmp_path, monkeypatch):
    monkeypatch.setenv("FOUR", "4")
    expect.true("four is four", os.environ["FOUR"], "4")


def test_plain():
    assert "FOUR" not in os.environ
"""


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    write_suite(tmp_path, running=SUITE)
    (tmp_path / "pytest.ini").write_text("[pytest]\nmarkers =\n    slow: takes long\n")
    return tmp_path


def outcomes(outcome: Outcome) -> str:
    """The last line of pytest without the time."""
    found = re.findall(r"=* ?((?:\d+ \w+(?:, )?)+) in [\d.]+s", outcome.text)
    return str(found[-1]) if found else outcome.text


def test_module_fixtures_live_once_in_the_runner(folder: Path) -> None:
    outcome = run_suite(folder, "suites")
    assert outcomes(outcome) == "1 failed, 4 passed, 1 warning"
    # The isolated case between them ends the module's set-up in the runner, which is made again.
    assert (folder / "opened").read_text() == (folder / "closed").read_text() == "xx"


def test_warnings_of_cases_are_told(folder: Path) -> None:
    outcome = run_suite(folder, "suites")
    assert "UserWarning: watch out" in outcome.text
    assert "suites/test_running.py::test_one[910b-EP-c]" in outcome.text.partition("warnings summary")[2]


def test_exit_first_stops_after_the_first_bad_case(folder: Path) -> None:
    outcome = run_suite(folder, "suites", "-x")
    assert outcomes(outcome) == "1 failed, 2 passed, 1 warning"
    assert outcome.status == 1
    assert set(outcome.verdicts) == {"test_one", "test_two"}
    assert not outcome.run.finished
    (folder / "suites" / "test_running.py").write_text(
        SUITE.replace('one is two", 1, 2', 'two is two", 2, 2')
    )
    mended = run_suite(folder, "suites", "--resume")
    assert set(mended.verdicts) == {"test_one", "test_two", "test_three", "test_four"}
    assert mended.run.finished


def test_exit_first_with_workers_has_the_same_status(folder: Path) -> None:
    outcome = run_suite(folder, "suites", "--maxfail", "1", "-n", "1", "-k", "one or two or three")
    assert outcome.status == 1
    assert outcome.verdicts["test_two"] == "fail"
    assert outcome.run.finished == (len(outcome.verdicts) == 3)


def test_exit_first_at_the_last_case_cuts_nothing_off(folder: Path) -> None:
    outcome = run_suite(folder, "suites", "-x", "-k", "two")
    assert (outcome.status, outcome.run.finished) == (1, True)


def test_last_failed_runs_only_the_bad_case(folder: Path) -> None:
    run_suite(folder, "suites")
    outcome = run_suite(folder, "suites", "--lf")
    assert outcome.verdicts == {"test_two": "fail"}


def test_marks_and_names_select(folder: Path) -> None:
    assert set(run_suite(folder, "suites", "-m", "slow").verdicts) == {"test_one"}
    assert set(run_suite(folder, "suites", "-k", "three or four").verdicts) == {"test_three", "test_four"}


def test_output_of_a_case_is_shown_where_asked_for(folder: Path) -> None:
    assert "out of one" in run_suite(folder, "suites", "-rP", "-k", "one").text
    assert "out of one" in run_suite(folder, "suites", "-s", "-k", "one").text
    assert "out of one" not in run_suite(folder, "suites", "-k", "one").text


LEAVING = """
import pytest
from harness.plugin import covers


@pytest.fixture
def noisy():
    yield 1
    print("out of a tear-down")


@covers("memcpy.h2d")
@pytest.mark.parametrize("wanted", [1, 2])
def test_noisy(expect, noisy, wanted):
    expect.true("one is wanted", 1, wanted)
"""


@pytest.mark.parametrize("workers", [[], ["-n", "1"]], ids=["alone", "with a worker"])
def test_output_of_a_tear_down_is_shown_with_its_failure_alone(tmp_path: Path, workers: list[str]) -> None:
    write_suite(tmp_path, leaving=LEAVING)
    assert run_suite(tmp_path, "suites", *workers).text.count("out of a tear-down") == 1
    slowest = run_suite(tmp_path, "suites", *workers, "--durations", "0", "-vv").text
    assert slowest.count("s teardown suites/") == 2


def test_setup_show_tells_fixtures_in_order(folder: Path) -> None:
    text = run_suite(folder, "suites", "--setup-show", "-k", "one").text
    order = [text.index(words) for words in ("SETUP    M opened", "SETUP    F case", "SETUP    F expect")]
    assert order == sorted(order)
    assert text.index("TEARDOWN F case") < text.index("TEARDOWN M opened")


@pytest.mark.parametrize("option", ["--setup-only", "--setup-plan", "--collect-only"])
@pytest.mark.parametrize("workers", [[], ["-n", "1"]], ids=["alone", "with a worker"])
def test_showing_leaves_the_results_of_the_last_run(folder: Path, option: str, workers: list[str]) -> None:
    before = run_suite(folder, "suites", "-k", "one").run
    outcome = run_suite(folder, "suites", option, "-k", "one", *workers)
    assert outcome.status == 0
    assert outcome.run.header.run_id == before.header.run_id
    assert outcome.run.cases == before.cases


@pytest.mark.parametrize(
    "options",
    [
        ["-p", "no:xdist"],
        ["-n", "2"],
        ["-n", "2", "--dist", "loadscope"],
        ["-p", "no:cacheprovider"],
        ["-p", "no:capture", "-p", "no:debugging", "-p", "no:setuponly"],
    ],
    ids=" ".join,
)
def test_plugins_change_nothing(folder: Path, options: list[str]) -> None:
    outcome = run_suite(folder, "suites", *options)
    assert outcome.verdicts == {
        "test_one": "pass",
        "test_two": "fail",
        "test_three": "pass",
        "test_four": "pass",
    }
    assert outcome.status == 1


def test_a_report_of_another_plugin_has_every_case(folder: Path) -> None:
    run_suite(folder, "suites", "--junit-xml", "junit.xml")
    text = (folder / "junit.xml").read_text()
    assert 'tests="5"' in text
    assert 'failures="1"' in text
    assert 'name="answer" value="42"' in text


LISTENER = """
import os

def tell(config, *words):
    where = "worker" if hasattr(config, "workerinput") else os.environ["WORKERS"]
    with open(f"heard-{where}", "a") as file:
        file.write(" ".join(map(str, words)) + "\\n")

class Listener:
    def __init__(self, config):
        self.config = config
    def pytest_runtest_logstart(self, nodeid, location):
        tell(self.config, nodeid, "start", location)
    def pytest_runtest_logreport(self, report):
        told = hasattr(report, "node"), getattr(report, "worker_id", "") == "gw0"
        wanted = os.environ["WORKERS"] == "1" and not hasattr(self.config, "workerinput")
        assert told == (wanted, wanted)
        assert 0 <= report.duration < 60 and report.start <= report.stop
        properties, slow = report.user_properties, "slow" in report.keywords
        tell(self.config, report.nodeid, report.when, report.outcome, report.location, properties, slow)
    def pytest_runtest_logfinish(self, nodeid, location):
        tell(self.config, nodeid, "finish", location)

def pytest_configure(config):
    config.pluginmanager.register(Listener(config))
"""


@pytest.mark.parametrize(("place", "options"), [("", []), ("", ["-v"]), ("suites", [])])
def test_other_plugins_hear_the_same_from_workers(
    folder: Path, monkeypatch: pytest.MonkeyPatch, place: str, options: list[str]
) -> None:
    with (folder / place / "conftest.py").open("a") as file:
        file.write(LISTENER)
    heard = []
    for workers in "0", "1":
        monkeypatch.setenv("WORKERS", workers)
        run_suite(folder, "suites", "-n", workers, *options)
        heard.append((folder / f"heard-{workers}").read_text().splitlines())
    heard.append((folder / "heard-worker").read_text().splitlines())
    here, there, inside = ([line for line in lines if "test_plain" not in line] for lines in heard)
    assert here == there == inside
    assert [line.split()[1] for line in here[:5]] == ["start", "setup", "call", "teardown", "finish"]
    assert len(here) == 20


def test_the_page_is_made_at_the_end_where_it_is_wanted(folder: Path) -> None:
    outcome = run_suite(folder, "suites", "--report", "pages/mine.html")
    page = (folder / "pages" / "mine.html").read_text()
    assert "test_two" in page
    assert "report: pages/mine.html" in outcome.text
    run_suite(folder, "suites")
    assert (folder / "out" / "report.html").exists()


def test_nothing_selected_is_not_green(folder: Path) -> None:
    assert run_suite(folder, "suites", "-k", "nothing_like_this").status == 2


def test_collecting_leaves_no_results(folder: Path) -> None:
    outcome = run_suite(folder, "suites", "--collect-only")
    assert outcome.status == 0
    assert not outcome.results.exists()


def test_the_header_says_what_is_tested(folder: Path) -> None:
    text = run_suite(folder, "suites", "-k", "one", "--seed", "7", "--cann", "8.0").text
    assert f"target: 910b (libascendcl.so) at {fake_library()}, seed 7" in text
    assert "profiles: 910b-EP (CANN 8.0), surfaces: c" in text
    assert "results: out, isolation: marked, not strict" in text


SLEEPING = """
import os
import time
from harness.plugin import covers


@covers("memcpy.h2d")
def test_quick(expect):
    expect.true("one is one", 1, 1)


@covers("memcpy.h2d")
def test_sleeping(expect):
    with open("pid", "w") as file:
        file.write(str(os.getpid()))
    time.sleep(60)


@covers("memcpy.h2d")
def test_never(expect):
    expect.true("one is one", 1, 1)
"""


def wait_for(path: Path, process: subprocess.Popen[str]) -> int:
    """The number in a file that a case writes, as soon as it is there."""
    end = time.monotonic() + 60
    while not (path.exists() and path.read_text().strip()):
        assert process.poll() is None, "the run ended before its case began"
        assert time.monotonic() < end
        time.sleep(0.02)
    return int(path.read_text())


def is_running(pid: int) -> bool:
    try:
        return Path(f"/proc/{pid}/stat").read_text().rsplit(")", 1)[1].split()[0] != "Z"
    except OSError:
        return False


@pytest.mark.parametrize(
    "stop",
    [lambda pid: os.killpg(pid, signal.SIGINT), lambda pid: os.kill(pid, signal.SIGTERM)],
    ids=["Ctrl-C", "SIGTERM of a build server"],
)
@pytest.mark.parametrize("workers", [[], ["-n", "1"]], ids=["alone", "with a worker"])
def test_an_interrupt_ends_the_run_with_a_partial_result(
    tmp_path: Path, workers: list[str], stop: Callable[[int], None]
) -> None:
    write_suite(tmp_path, sleeping=SLEEPING)
    process = subprocess.Popen(
        command("suites", *workers),
        cwd=tmp_path,
        env=environment(),
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
        start_new_session=True,
        # A shell's background job ignores Ctrl-C, and so would everything that it starts.
        preexec_fn=lambda: signal.signal(signal.SIGINT, signal.default_int_handler),
    )
    runner = wait_for(tmp_path / "pid", process)
    stop(process.pid)
    text, _ = process.communicate(timeout=30)
    outcome = Outcome(process.returncode, text, tmp_path)
    assert outcome.status == 3
    assert outcome.verdicts == {"test_quick": "pass"}
    assert not outcome.run.finished
    end = time.monotonic() + 5
    while is_running(runner) and time.monotonic() < end:
        time.sleep(0.02)
    assert not is_running(runner)


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM], ids=lambda number: number.name)
def test_an_interrupt_while_the_suites_are_read_is_one_too(tmp_path: Path, number: signal.Signals) -> None:
    waiting = "import os, time\nopen('pid', 'w').write(str(os.getpid()))\ntime.sleep(60)\n"
    write_suite(tmp_path, waiting=waiting)
    process = subprocess.Popen(
        command("suites"),
        cwd=tmp_path,
        env=environment(),
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
        preexec_fn=lambda: signal.signal(signal.SIGINT, signal.default_int_handler),
    )
    wait_for(tmp_path / "pid", process)
    process.send_signal(number)
    text, _ = process.communicate(timeout=60)
    assert process.returncode == 3, text
    assert not (tmp_path / "out").exists()


DEADLY = """
import os
import signal
import time
import execnet
import pytest
from harness.plugin import covers


@covers("memcpy.h2d")
@pytest.mark.parametrize("n", range(4))
def test_fine(expect, n):
    expect.true("one is one", 1, 1)


@covers("memcpy.h2d")
def test_deadly(expect):
    zygote = open(f"/proc/{os.getppid()}/stat").read().rsplit(")", 1)[1].split()
    os.kill(int(zygote[1]), signal.SIGKILL)
    time.sleep(30)
"""


def test_a_worker_that_dies_loses_no_result_and_names_the_case(tmp_path: Path) -> None:
    write_suite(tmp_path, deadly=DEADLY)
    outcome = run_suite(tmp_path, "suites", "-n", "2")
    assert outcome.verdicts == {**{f"test_fine[{n}]": "pass" for n in range(4)}, "test_deadly": "crash"}
    assert outcome.reason("test_deadly") == "the worker process died"
    assert {case.cann for case in outcome.run.cases} == {"9.0"}
    assert outcome.status == 1


def test_records_travel_with_any_number_in_them() -> None:
    """Reports of workers are sent in a format that knows no numbers below -2**31."""
    report: Any = SimpleNamespace()
    assert attached_records(report) is None
    records = [{"calls": [{"args": {"dim": -(2**63)}}]}]
    attach_records(report, records)
    execnet.dumps(vars(report))
    assert attached_records(report) == records
