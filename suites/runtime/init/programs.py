"""Programs of their own that load the library under test, and how they end."""

from __future__ import annotations

import os
import subprocess
import sys
from dataclasses import dataclass

from harness.plugin import Case
from suites.runtime.init import program_main

_PATIENCE_S = 20.0


@dataclass(frozen=True)
class Ended:
    """How a program has ended, in words, and what it has printed."""

    how: str
    printed: str


def run_program(case: Case, way: str) -> Ended:
    """Run a program on what this case plays, and wait for its end."""
    command = [sys.executable, "-m", program_main.__name__, way, str(case.engine.target.path)]
    environment = {**os.environ, "PYTHONPATH": os.pathsep.join(path for path in sys.path if path)}
    if not case.engine.target.hardware:
        environment |= {"ACLREF_PROFILE": case.profile.spec, "ACLREF_FAULT": ",".join(case.engine.faults)}
    try:
        done = subprocess.run(
            command, capture_output=True, text=True, env=environment, timeout=_PATIENCE_S, check=False
        )
    except subprocess.TimeoutExpired:
        return Ended(f"did not end within {_PATIENCE_S:g} s", "")
    if done.returncode < 0:
        return Ended(f"was killed by signal {-done.returncode}", done.stdout)
    return Ended(f"ended with status {done.returncode}", done.stdout)
