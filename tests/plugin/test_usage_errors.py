"""What cannot be used ends the run at once: one line, exit status 2, nothing half-written."""

from __future__ import annotations

import shlex
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from tests.fakes.runs import REPOSITORY, command, environment, fake_library, run_suite, write_suite

SUITE = """
from harness.plugin import covers


@covers("memcpy.h2d")
def test_one(expect):
    expect.true("one is one", 1, 1)
"""


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    return write_suite(tmp_path, usage=SUITE)


def check(folder: Path, message: str, *options: str, **how: object) -> None:
    """The run ends with status 2 and exactly one line, and leaves no results behind."""
    outcome = run_suite(folder, "suites", *options, **how)  # type: ignore[arg-type]
    lines = [line for line in outcome.text.splitlines() if line.strip()]
    assert outcome.status == 2, outcome.text
    assert len(lines) == 1, outcome.text
    assert lines[0].startswith("ERROR: ")
    assert message in lines[0]
    assert not outcome.results.exists()


@pytest.mark.parametrize(
    ("options", "message"),
    [
        (["--sku", "910x"], "--sku: no product '910x'; choose from 950, A3, 910b"),
        (["--form", "PCIE"], "--form: no host form 'PCIE'; choose from EP, RC, ccpu"),
        (["--form", "RC"], "--form: RC is no host form of the chosen products (910b: EP)"),
        (["--cann", "new"], "--cann: 'new' is not a CANN version"),
        (["--cann", "12.1"], "--cann: version 12.1 is unknown; the contract covers 7.0 to 9.0"),
        (["--surface", "rust"], "--surface: no surface 'rust'; choose from c, pyacl, all"),
        (["--rule", "memcpy.h2x*"], "--rule: no rule matches 'memcpy.h2x*'"),
        (["--isolate", "some"], "--isolate: 'some' is not one of all, marked, none"),
        (["--case-timeout", "soon"], "--case-timeout: 'soon' is not a positive number"),
        (["--case-timeout", "-1"], "--case-timeout: '-1' is not a positive number"),
        (["--shuffle", "x"], "--shuffle: 'x' is neither a whole number below 2**64 nor `random`"),
        (["--seed", "x"], "--seed: 'x' is not a whole number"),
        (["--seed", "²"], "--seed: '²' is not a whole number"),
        (["--shuffle", "9" * 5000], "is neither a whole number below 2**64 nor `random`"),
        (["--models", "x" * 300], "is no folder"),
        (["--progress", "x"], "--progress: 'x' is not one of auto, bar, lines, letters"),
        (["--chapter", ""], "--chapter: '' names nothing; leave the option out"),
        (["--sku", "910b", "--sku", ","], "--sku: ',' names nothing"),
        (["--rule", ""], "--rule: '' names nothing"),
        (["--waivers", ""], "--waivers: '' names nothing"),
        (["--rule", "memcpy.h2f"], "; perhaps memcpy.h2"),
        (["--chapter", "memory_cpoy"], "; perhaps memory_copy"),
        (["-n", "-1"], "-n: -1 is no number of workers"),
        (["-n", "2", "--dist", "each"], "--dist each: a result holds each case once"),
        (["-p", "harness.plugin", "-n", "x"], "argument -n/--numprocesses: invalid"),
        (["--bogus"], "unrecognized arguments: --bogus"),
        (["--results", "x" * 300], "not a folder to write to (File name too long)"),
        (["--results", "pytest.ini"], "pytest.ini: not a folder to write to (Not a directory)"),
        (["--report", "suites"], "suites: the report cannot be written (Is a directory)"),
        (["--report", "pytest.ini/x"], "pytest.ini/x: the report cannot be written (Not a directory)"),
        (["--fault", "memcpy_tail"], "is no reference device; faults exist only there"),
    ],
    ids=lambda value: " ".join(value) if isinstance(value, list) else "",
)
def test_wrong_options(folder: Path, options: list[str], message: str) -> None:
    check(folder, message, *options)


def test_an_unknown_fault_of_a_reference_device(folder: Path) -> None:
    check(
        folder,
        "--fault: the reference device has no fault 'unknown'",
        "--fault",
        "unknown",
        target=fake_library(reference=True),
    )


def test_a_page_that_cannot_be_written_is_no_success(folder: Path) -> None:
    # Below /proc nobody can make a file, and nobody is told before.
    outcome = run_suite(folder, "suites", "--report", "/proc/page.html")
    assert outcome.status == 2
    assert outcome.verdicts == {"test_one": "pass"}
    assert outcome.run.finished
    (told,) = (line for line in outcome.text.splitlines() if "/proc/page.html" in line)
    assert told.startswith("ERROR: no report: /proc/page.html: the report cannot be written (")


def test_a_page_that_cannot_be_written_hides_no_failure(folder: Path) -> None:
    (folder / "suites" / "test_bad.py").write_text(SUITE.replace("1, 1", "1, 2"))
    assert run_suite(folder, "suites", "--report", "/proc/page.html").status == 1


def test_a_closed_standard_output_is_no_failure(folder: Path) -> None:
    words = shlex.join(command("suites", "-p", "harness.plugin"))
    done = subprocess.run(
        f"exec {words} >&-",
        shell=True,
        cwd=folder,
        env=environment(),
        stderr=subprocess.PIPE,
        text=True,
        check=False,
    )
    assert (done.returncode, done.stderr) == (0, "")
    assert (folder / "out" / "report.html").exists()


def test_a_known_fault_and_a_seed_reach_the_reference_device(folder: Path) -> None:
    outcome = run_suite(
        folder, "suites", "--fault", "known", "--seed", "7", target=fake_library(reference=True)
    )
    assert outcome.status == 0, outcome.text
    assert outcome.run.header.options["fault"] == "known"
    assert outcome.run.header.seed == 7


def test_a_missing_library(folder: Path) -> None:
    check(folder, "--target: ", target=folder / "nowhere" / "libascendcl.so")


def test_a_file_that_is_no_library(folder: Path) -> None:
    (folder / "libascendcl.so").write_text("not a library")
    check(folder, "libascendcl.so: ", target=folder / "libascendcl.so")


def test_a_library_for_another_architecture(folder: Path) -> None:
    image = bytearray(fake_library().read_bytes())
    image[18:20] = (40).to_bytes(2, "little")
    (folder / "libascendcl.so").write_bytes(image)
    check(folder, "libascendcl.so: ", target=folder / "libascendcl.so")


def test_a_library_that_is_not_an_acl_one(folder: Path) -> None:
    source, library = folder / "other.c", folder / "libascendcl.so"
    source.write_text("int somethingElse(void) { return 0; }\n")
    compiler = shutil.which("cc") or "gcc"
    subprocess.run([compiler, "-shared", "-fPIC", "-o", library, source], check=True)
    check(folder, "not an ACL library", target=library)


def test_a_library_of_an_unknown_product(folder: Path) -> None:
    check(folder, "does not name its SoC, which no product of the contract has; say which one", sku="")


def test_a_reference_device_that_is_not_there(folder: Path) -> None:
    check(
        folder,
        "--target: ",
        target="reference",
        sku="",
        env={"ACLCTS_REFERENCE": str(folder / "nothing.so")},
    )


def test_cann_that_is_not_installed(folder: Path) -> None:
    check(folder, "source CANN's set_env.sh first", target="cann", env={"ASCEND_HOME_PATH": str(folder)})


@pytest.mark.parametrize("workers", [[], ["-n", "1"]], ids=["alone", "with a worker"])
def test_a_results_folder_in_use(folder: Path, workers: list[str]) -> None:
    (folder / "suites" / "test_slow.py").write_text(
        SUITE.replace("test_one", "test_slow").replace(
            "    expect", "    open('begun', 'w').close()\n    __import__('time').sleep(200)\n    expect"
        )
    )
    first = subprocess.Popen(
        command("suites", "-k", "slow", "--case-timeout", "300"),
        cwd=folder,
        env=environment(),
        stdout=subprocess.DEVNULL,
    )
    try:
        while not (folder / "begun").exists():
            assert first.poll() is None
        second = run_suite(folder, "suites", "-k", "one", *workers)
    finally:
        first.kill()
        first.wait()
    assert second.status == 2
    assert "ERROR: out: in use by another run (process" in second.text
    assert "Traceback" not in second.text
    assert "INTERNALERROR" not in second.text
    assert second.run.cases == []


def test_a_results_folder_that_cannot_be_written(folder: Path) -> None:
    # Below /proc nobody can make a folder, not even root.
    outcome = run_suite(folder, "suites", "--results", "/proc/aclcts")
    assert outcome.status == 2
    assert "ERROR: /proc/aclcts: not a folder to write to" in outcome.text
    assert "Traceback" not in outcome.text


def test_a_folder_named_suites_elsewhere_is_no_conformance_run(folder: Path) -> None:
    """Tests of the suites' own helpers need no library and no results folder."""
    (folder / "tests" / "suites").mkdir(parents=True)
    (folder / "tests" / "suites" / "test_helper.py").write_text("def test_plain(): ...\n")
    done = subprocess.run(
        [sys.executable, "-m", "pytest", "-q", "-p", "no:hypothesispytest", "tests/suites"],
        cwd=folder,
        env=environment(more={"ACLCTS_REFERENCE": "/nonexistent/libascendcl.so"}),
        capture_output=True,
        text=True,
        check=False,
    )
    assert (done.returncode, done.stderr) == (0, "")
    assert "target:" not in done.stdout
    assert not (folder / "reports").exists()


def test_a_results_folder_that_is_a_file(folder: Path) -> None:
    (folder / "out").write_text("a file")
    outcome = run_suite(folder, "suites")
    assert outcome.status == 2
    assert "ERROR: out: " in outcome.text
    assert "Traceback" not in outcome.text
    assert (folder / "out").read_text() == "a file"


# An editable installation answers for `harness` before the path does; the copy on the path is to be read.
COPY_WINS = """\
import sys

sys.meta_path[:] = [finder for finder in sys.meta_path if "ScikitBuild" not in type(finder).__name__]
"""


def test_a_corrupt_contract(tmp_path: Path) -> None:
    product = tmp_path / "product"
    product.mkdir()
    shutil.copytree(
        REPOSITORY / "harness", product / "harness", ignore=shutil.ignore_patterns("__pycache__", "_lib")
    )
    rules = product / "harness/contract/data/rules/memory_copy.json"
    rules.write_text(rules.read_text(encoding="utf-8").replace('"type": "data"', '"type": "date"', 1))
    (product / "sitecustomize.py").write_text(COPY_WINS)
    folder = write_suite(tmp_path / "run", usage=SUITE)
    check(folder, "memory_copy.json", env={"PYTHONPATH": str(product)})


def test_a_usage_error_does_not_replace_the_results_of_a_run_before(folder: Path) -> None:
    assert run_suite(folder, "suites").status == 0
    before = (folder / "out" / "results.jsonl").read_bytes()
    assert run_suite(folder, "suites", "--sku", "910x").status == 2
    assert (folder / "out" / "results.jsonl").read_bytes() == before


def test_tests_without_cases_need_no_target(tmp_path: Path) -> None:
    (tmp_path / "pytest.ini").write_text("[pytest]\n")
    (tmp_path / "conftest.py").write_text('pytest_plugins = ["harness.plugin"]\n')
    (tmp_path / "test_plain.py").write_text("def test_plain(): ...\n")
    done = subprocess.run(
        [sys.executable, "-m", "pytest", "-q", "-p", "no:hypothesispytest"],
        cwd=tmp_path,
        env=environment(more={"ACLCTS_REFERENCE": "/nonexistent/libascendcl.so"}),
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0
    assert "1 passed" in done.stdout
    assert not (tmp_path / "reports").exists()


FULL_DISK = """
import resource
from pathlib import Path

import pytest

pytest_plugins = ["harness.plugin"]


def fill():
    # A limit of the size of files stands for a full disk.
    size = Path("out/results.jsonl").stat().st_size
    resource.setrlimit(resource.RLIMIT_FSIZE, (size + 20, resource.RLIM_INFINITY))


@pytest.hookimpl(tryfirst=True)
def HOOK:
    fill()
"""


@pytest.mark.parametrize(
    ("hook", "verdicts"),
    [
        ("pytest_sessionfinish(session)", {"test_one": "pass"}),
        ("pytest_runtest_logreport(report)", {}),
    ],
    ids=["at the end", "midway"],
)
def test_a_full_disk_is_told_with_what_was_judged(folder: Path, hook: str, verdicts: dict[str, str]) -> None:
    (folder / "conftest.py").write_text(FULL_DISK.replace("HOOK", hook))
    outcome = run_suite(folder, "suites", "--report", "none")
    assert outcome.status == 3, outcome.text
    assert "out/results.jsonl: a record cannot be written (File too large)" in outcome.text
    assert "Traceback" not in outcome.text
    assert "INTERNALERROR" not in outcome.text
    assert outcome.verdicts == verdicts
    assert not outcome.run.finished


def test_a_library_in_another_project_does_not_give_the_cases_their_ids(tmp_path: Path) -> None:
    driver = tmp_path / "driver"
    (driver / "build").mkdir(parents=True)
    (driver / "tox.ini").write_text("[pytest]\n")
    library = shutil.copy(fake_library(), driver / "build")
    project = write_suite(tmp_path / "project", usage=SUITE)
    told = f"project/suites: pytest takes {driver} for its project ({driver}/tox.ini); name the suites before"
    check(project, told, target=library)
