"""Running suites of their own against fake libraries, the way a user does: pytest in a process of its own."""

from __future__ import annotations

import functools
import os
import shutil
import subprocess
import sys
import tempfile
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from harness.results import FILE_NAME, Run, read_run

REPOSITORY = Path(__file__).parents[2]
FAKE_SOURCE = Path(__file__).with_name("fake_acl.c")

_CONFTEST = 'pytest_plugins = ["harness.plugin"]\n'


@functools.lru_cache(maxsize=2)
def fake_library(*, reference: bool = False) -> Path:
    """The fake ACL library, compiled once for this process; it may pass for a reference device."""
    folder = Path(tempfile.mkdtemp(prefix="aclcts-fake-"))
    library = folder / "libascendcl.so"
    compiler = shutil.which("cc") or shutil.which("gcc") or shutil.which("clang") or "cc"
    defines = ["-DREFERENCE"] if reference else []
    subprocess.run([compiler, "-shared", "-fPIC", "-O1", *defines, "-o", library, FAKE_SOURCE], check=True)
    return library


@dataclass
class Outcome:
    """How a run of pytest ended."""

    status: int
    text: str
    folder: Path

    @property
    def results(self) -> Path:
        """The results folder that `run_suite` names."""
        return self.folder / "out"

    def __post_init__(self) -> None:
        # Read now: another run in the same folder replaces the file.
        self._run = read_run(self.results) if (self.results / FILE_NAME).exists() else None

    @property
    def run(self) -> Run:
        """The records."""
        assert self._run is not None, self.text
        return self._run

    @property
    def verdicts(self) -> dict[str, str]:
        """Verdict by test name, without file and with the matrix part left out where it is the usual one."""
        return {short(case.id): case.verdict.value for case in self.run.cases}

    def reason(self, name: str) -> str:
        """The reason of a case's verdict."""
        return next(case.reason for case in self.run.cases if short(case.id) == name)


def short(case_id: str) -> str:
    """A case's id without file and without `[910b-EP-c]`."""
    name = case_id.split("::", 1)[1]
    return name.replace("[910b-EP-c]", "").replace("910b-EP-c-", "")


def write_suite(folder: Path, **files: str) -> Path:
    """A folder with a conftest and `suites/test_<name>.py` for each keyword."""
    suites = folder / "suites"
    suites.mkdir(parents=True, exist_ok=True)
    (folder / "pytest.ini").write_text("[pytest]\n")
    (folder / "conftest.py").write_text(_CONFTEST)
    for name, text in files.items():
        (suites / f"test_{name}.py").write_text(text)
    return folder


def command(
    *options: str, target: Path | str | None = None, sku: str = "910b", surface: str = "c"
) -> list[str]:
    """The command that runs the suites of a folder on the fake library, or another target."""
    words = [sys.executable, "-m", "pytest", "-p", "no:hypothesispytest", "--results", "out"]
    words += ["--target", str(target or fake_library())]
    words += ["--sku", sku] if sku else []
    words += ["--surface", surface] if surface else []
    return [*words, *options]


def run_suite(
    folder: Path, *options: str, misbehave: str = "", env: dict[str, str] | None = None, **how: Any
) -> Outcome:
    """Run the suites of a folder; `misbehave` tells the fake library what to do wrong."""
    done = subprocess.run(
        command(*options, **how),
        cwd=folder,
        env=environment(misbehave, env),
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
        timeout=120,
        check=False,
    )
    return Outcome(done.returncode, done.stdout, folder)


def environment(misbehave: str = "", more: dict[str, str] | None = None) -> dict[str, str]:
    """The environment of a run."""
    kept = {name: value for name, value in os.environ.items() if not name.startswith(("PYTEST_", "ASCEND_"))}
    return {**kept, "PYTHONPATH": str(REPOSITORY), "FAKE_ACL": misbehave, **(more or {})}
