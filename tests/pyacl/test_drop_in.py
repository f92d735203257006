"""Programs written for pyACL on the drop-in: by the command, and by PYTHONPATH."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

from harness.pyacl import PATH_FOLDER

SCRIPT = """
import sys
import acl

assert acl.init() == 0
assert acl.rt.set_device(0) == 0
address, code = acl.rt.malloc(64, 0)
assert code == 0 and acl.rt.free(address) == 0
print(acl.__name__, sys.argv[1:])
"""

PARENT = """
import subprocess
import sys

subprocess.run([sys.executable, "-c", "import acl; print(acl.rt.get_device_count())"], check=True)
"""


def run(
    command: list[str], library: Path | None, environment: dict[str, str] | None = None
) -> subprocess.CompletedProcess[str]:
    """A command in a process whose environment names this library, or none."""
    variables = {key: value for key, value in os.environ.items() if key != "ACLCTS_LIBRARY"}
    variables |= {"ACLCTS_LIBRARY": str(library)} if library is not None else {}
    variables |= environment or {}
    return subprocess.run(command, capture_output=True, text=True, env=variables, timeout=60, check=False)


@pytest.fixture
def script(tmp_path: Path) -> Path:
    """A program that imports acl."""
    file = tmp_path / "program.py"
    file.write_text(SCRIPT, encoding="utf-8")
    return file


def on_the_path(folder: Path | str = PATH_FOLDER) -> dict[str, str]:
    """The environment in which `import acl` finds the drop-in."""
    known = [path for path in sys.path if path]
    return {"PYTHONPATH": os.pathsep.join([str(folder), *known])}


def test_a_script_runs_by_the_command(script: Path, fake_path: Path) -> None:
    command = [
        sys.executable,
        "-m",
        "harness.pyacl",
        "--library",
        str(fake_path),
        str(script),
        "--steps",
        "3",
    ]
    done = run(command, None)
    assert (done.returncode, done.stdout.strip()) == (0, "harness.pyacl ['--steps', '3']"), done.stderr


def test_the_library_may_be_named_by_the_environment(script: Path, fake_path: Path) -> None:
    done = run([sys.executable, "-m", "harness.pyacl", str(script)], fake_path)
    assert done.returncode == 0, done.stderr


def test_a_script_runs_by_the_path(script: Path, fake_path: Path) -> None:
    done = run([sys.executable, str(script)], fake_path, on_the_path())
    assert (done.returncode, done.stdout.strip()) == (0, "harness.pyacl []"), done.stderr


def test_the_command_tells_the_folder_for_the_path(script: Path, fake_path: Path) -> None:
    folder = run([sys.executable, "-m", "harness.pyacl", "--path"], None).stdout.strip()
    assert run([sys.executable, str(script)], fake_path, on_the_path(folder)).returncode == 0


def test_processes_that_a_script_starts_find_it_too(tmp_path: Path, fake_path: Path) -> None:
    parent = tmp_path / "parent.py"
    parent.write_text(PARENT, encoding="utf-8")
    command = [sys.executable, "-m", "harness.pyacl", "--library", str(fake_path), str(parent)]
    done = run(command, None, {"PYTHONPATH": os.pathsep.join(path for path in sys.path if path)})
    assert (done.returncode, done.stdout.strip()) == (0, "(2, 0)"), done.stderr


def test_a_library_that_is_not_there_is_told(script: Path, tmp_path: Path) -> None:
    missing = tmp_path / "missing.so"
    by_path = run([sys.executable, str(script)], missing, on_the_path())
    by_command = run([sys.executable, "-m", "harness.pyacl", "--library", str(missing), str(script)], None)
    assert by_path.stderr.splitlines()[-1].startswith("ImportError: acl: ")
    assert (by_command.returncode, "missing.so" in by_command.stderr) == (2, True)


def test_a_command_without_a_script_is_wrong_usage(fake_path: Path) -> None:
    done = run([sys.executable, "-m", "harness.pyacl"], fake_path)
    assert (done.returncode, "which script?" in done.stderr) == (2, True)
