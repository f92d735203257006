"""Cases that hold much memory run one at a time, over all workers, and never wait for themselves."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.fakes.runs import run_suite, write_suite

SUITE = """
import os
import time
import pytest
from harness.plugin import covers, isolated, sequential


@covers("memcpy.h2d")
@sequential
@pytest.mark.parametrize("n", range(4))
def test_large(expect, n):
    use_alone(expect)


@covers("memcpy.h2d")
@sequential
@isolated("its process is forked while the lock is held")
def test_process(expect):
    use_alone(expect)


def use_alone(expect):
    os.mkdir("busy")
    time.sleep(0.2)
    os.rmdir("busy")
    expect.true("nobody else was here", True)
"""


@pytest.mark.parametrize("workers", [[], ["-n", "2"]], ids=["alone", "with workers"])
def test_sequential_cases_run_one_after_the_other(tmp_path: Path, workers: list[str]) -> None:
    """The first case starts the processes that run all of them: none may keep its turn."""
    (tmp_path / "tmp").mkdir()
    outcome = run_suite(
        write_suite(tmp_path, large=SUITE), "suites", *workers, env={"TMPDIR": str(tmp_path / "tmp")}
    )
    assert outcome.verdicts == {
        **{f"test_large[{n}]": "pass" for n in range(4)},
        "test_process": "pass",
    }
