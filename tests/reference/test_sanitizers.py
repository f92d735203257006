"""The reference device's own C++ tests, under the address, undefined-behaviour and thread sanitizers."""

from __future__ import annotations

import subprocess
from pathlib import Path

import pytest

from tests.reference.toolchain import ADDRESS, PROGRAMS, THREAD, Build

# Under the thread sanitizer only the programs whose subject is threads: the others say the same again.
BUILDS = [
    *(pytest.param(ADDRESS, source, id=f"address-{source.stem}") for source in PROGRAMS),
    *(
        pytest.param(THREAD, source, id=f"thread-{source.stem}")
        for source in PROGRAMS
        if source.stem in {"runtime_test", "stress_test", "copy_test", "capture_test"}
    ),
]


@pytest.mark.parametrize(("build", "source"), BUILDS)
def test_program(build: Build, source: Path) -> None:
    """The program ends well, and the sanitizer it was built with has nothing to say."""
    build.make_library()
    program = build.make_program(source)
    done = subprocess.run([program], capture_output=True, text=True, timeout=120, check=False)
    assert done.returncode == 0, f"{done.stdout}{done.stderr}"
    assert "Sanitizer" not in done.stderr, done.stderr
    assert " 0 failed" in done.stdout
