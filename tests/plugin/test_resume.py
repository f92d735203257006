"""A run that was cut off goes on: the same verdicts, each case once."""

from __future__ import annotations

import os
import signal
import subprocess
import time
from pathlib import Path

import pytest

from harness.results import Run, read_run
from tests.fakes.runs import command, environment, fake_library, run_suite, write_suite

SUITE = """
import os
import time
import pytest
from harness.plugin import covers, covers_rules


@covers("memcpy.h2d")
@pytest.mark.parametrize("n", range(12))
def test_some(expect, n):
    if n > 6 and "SLOW" in os.environ:
        time.sleep(0.3)
    expect.true("n is not 3", n != 3)


def null_rules(rule, profile, supported):
    return rule.id in ("memcpy.null_dst", "memcpy.null_src")


@covers_rules(null_rules, ["aclrtMemcpy"])
def test_rules(api, acl, each_rule):
    for rule in each_rule:
        with each_rule.judge(rule) as check:
            check.expect.refused(acl.call(api, dst=None, destMax=1, src=None, count=1, kind=0))
"""


def verdicts(run: Run) -> dict[str, str]:
    found = {case.id: case.verdict.value for case in run.cases}
    assert len(found) == len(run.cases)
    return found


def kill_midway(folder: Path, *options: str) -> None:
    """Start a run and kill all its processes at once as soon as a few results are there."""
    process = subprocess.Popen(
        command("suites", *options),
        cwd=folder,
        env=environment(more={"SLOW": "1"}),
        stdout=subprocess.DEVNULL,
        start_new_session=True,
    )
    results = folder / "out" / "results.jsonl"
    end = time.monotonic() + 60
    while not results.exists() or len(results.read_bytes().splitlines()) < 5:
        assert process.poll() is None
        assert time.monotonic() < end
        time.sleep(0.02)
    os.killpg(process.pid, signal.SIGKILL)
    process.wait()


@pytest.mark.parametrize("workers", [[], ["-n", "2"]], ids=["alone", "with workers"])
def test_a_killed_run_goes_on_and_ends_like_a_whole_one(tmp_path: Path, workers: list[str]) -> None:
    whole = run_suite(write_suite(tmp_path / "whole", some=SUITE), "suites")
    folder = write_suite(tmp_path / "parts", some=SUITE)
    kill_midway(folder, *workers)
    first = read_run(folder / "out")
    assert not first.finished
    outcome = run_suite(folder, "suites", "--resume", *workers)
    assert verdicts(outcome.run) == verdicts(whole.run)
    assert outcome.run.finished
    assert outcome.status == whole.status == 1
    kept = [
        case for case in first.cases if case.id in {done.id for done in outcome.run.cases[: len(first.cases)]}
    ]
    assert len(kept) >= 3
    assert f"resumed: {len(kept)} cases are done" in outcome.text


def cut(folder: Path, lines: int, rest: bytes = b"") -> None:
    """Leave the first lines of the results, and some bytes of the next one."""
    file = folder / "out" / "results.jsonl"
    file.write_bytes(b"".join(file.read_bytes().splitlines(keepends=True)[:lines]) + rest)


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    write_suite(tmp_path, some=SUITE)
    run_suite(tmp_path, "suites")
    return tmp_path


def test_the_rules_of_the_last_item_are_judged_again(folder: Path) -> None:
    before = verdicts(read_run(folder / "out"))
    cut(folder, 14, b'{"kind":"case","id":"suites/te')
    assert "::memcpy." in read_run(folder / "out").cases[-1].id
    outcome = run_suite(folder, "suites", "--resume")
    assert "resumed: 12 cases are done" in outcome.text
    assert verdicts(outcome.run) == before


def test_a_run_of_which_only_the_end_is_missing_is_ended(folder: Path) -> None:
    before = verdicts(read_run(folder / "out"))
    # The last item's rules run again, everything else stands.
    cut(folder, 15)
    outcome = run_suite(folder, "suites", "--resume", "-k", "some")
    assert outcome.status == 1
    assert outcome.run.finished
    assert set(verdicts(outcome.run)) == {name for name in before if "test_some" in name}


@pytest.mark.parametrize(
    ("options", "how", "message"),
    [
        ([], {}, "has finished; start a new one without --resume"),
        (["--seed", "7"], {"cut": True}, "was of other options (seed); start a new one"),
        (["--results", "nowhere"], {}, "--resume: nowhere: cannot be read"),
        ([], {"cut": True, "target": "other"}, "was of another library; start a new one"),
    ],
    ids=["finished", "other options", "nothing there", "another library"],
)
def test_what_cannot_go_on_is_left_as_it_is(
    folder: Path, options: list[str], how: dict[str, object], message: str
) -> None:
    if how.get("cut"):
        cut(folder, 5)
    before = (folder / "out" / "results.jsonl").read_bytes()
    target = fake_library(reference=True) if how.get("target") else fake_library()
    outcome = run_suite(folder, "suites", "--resume", *options, target=target)
    assert outcome.status == 2
    assert message in outcome.text
    assert "Traceback" not in outcome.text
    assert (folder / "out" / "results.jsonl").read_bytes() == before
