"""Fixtures of the suites of initialisation and of the settings of a process."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from harness.binding import Library
from harness.plugin import Case, Expect
from suites.runtime.init.callbacks import Registrations
from suites.runtime.init.cores import Cores
from suites.runtime.init.options import Options
from suites.runtime.init.process import Process


@pytest.fixture
def process(bare: Any, case: Case, expect: Expect, tmp_path: Path) -> Process:
    """The process of the case before aclInit."""
    return Process(bare, case, expect, tmp_path)


@pytest.fixture
def registrations(bare: Any, library: Library) -> Registrations:
    """Functions that aclInit and aclFinalize call."""
    return Registrations(bare, library)


@pytest.fixture
def options(acl: Any, case: Case, expect: Expect) -> Options:
    """Options of the process; they are as they were when the case ends."""
    return Options(acl, case, expect)


@pytest.fixture
def cores(acl: Any, case: Case, expect: Expect) -> Cores:
    """Limits of cores; there are none when the case ends."""
    return Cores(acl, case, expect)
