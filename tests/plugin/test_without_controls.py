"""A library that is no reference device, though it behaves like one: the suites need none of its controls."""

from __future__ import annotations

import re
import subprocess
import sys
from pathlib import Path

import pytest

from harness.binding import find_reference
from harness.results import Verdict, read_run

ROOT = Path(__file__).parents[2]
# Cases that prepare what a library reads as it is loaded, and cases in several processes.
CASES = (
    "suites/runtime/device/test_visible_devices.py",
    "suites/runtime/init/test_config_limits.py::test_hidden_device",
    "suites/runtime/device/test_device_limits.py::test_hidden_device",
    "suites/runtime/event/test_sharing.py",
    "suites/memory/copy/test_memcpy.py::test_h2d",
)


@pytest.fixture(scope="module")
def library(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The reference device with the names of its controls changed: nothing finds them."""
    reference = find_reference()
    assert reference is not None
    made = tmp_path_factory.mktemp("plain") / "libascendcl.so"
    made.write_bytes(re.sub(rb"\0aclref(?=[A-Z])", b"\0nobody", reference.read_bytes()))
    return made


def test_no_case_is_bad(library: Path, tmp_path: Path) -> None:
    words = [sys.executable, "-m", "pytest", *CASES, "--target", str(library), "--results", str(tmp_path)]
    done = subprocess.run(
        [*words, "--report", "none", "-p", "no:cacheprovider"], cwd=ROOT, capture_output=True, check=False
    )
    run = read_run(tmp_path)
    bad = {case.id: case.reason for case in run.cases if case.verdict.is_bad(strict=True)}
    assert run.header.target.kind == "other"
    assert bad == {}
    assert done.returncode == 0
    assert sum(case.verdict is Verdict.PASS for case in run.cases) >= 30
