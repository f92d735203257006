"""Fixtures of the suites of kernels."""

from __future__ import annotations

from typing import Any

import pytest

from harness.plugin import Case, Expect, Memory
from suites.kernels.launches import Launches
from suites.kernels.listeners import Listeners
from suites.kernels.workbench import KernelBench
from suites.runtime.desk import Desk


@pytest.fixture
def kernels(case: Case) -> KernelBench:
    """Loaded binaries and their kernels, made on the C surface and given back at the end."""
    return KernelBench(case, case.resources)


@pytest.fixture
def launches(acl: Any, case: Case, expect: Expect, kernels: KernelBench, stream: int) -> Launches:
    """Kernels launched on one stream, and what they do."""
    return Launches(acl, case, expect, kernels, stream)


@pytest.fixture
def listeners(case: Case, kernels: KernelBench, launches: Launches) -> Listeners:
    """Functions that hear of the failing kernels of one binary."""
    return Listeners(case, kernels, launches)


@pytest.fixture
def desk(acl: Any, case: Case, memory: Memory) -> Desk:
    """Contexts and streams."""
    return Desk(acl, case, memory)
