"""Fixtures of the suites of device memory."""

from __future__ import annotations

from typing import Any

import pytest

from harness.plugin import Case, Expect, Memory
from suites.memory.alloc.allocations import Allocations
from suites.memory.alloc.figures import Figures
from suites.memory.alloc.memory_types import Types
from suites.memory.alloc.read_only import ReadOnly, combination
from suites.memory.alloc.releases import Releases
from suites.memory.alloc.sizes import BANDWIDTHS, BASE_POLICIES
from suites.memory.alloc.usage import Usage
from suites.memory.holdings import Holdings, tracked


@pytest.fixture
def acl(case: Case, holdings: Holdings) -> Any:
    """The surface under test; what is taken through it is given back after the case."""
    return tracked(case, holdings)


@pytest.fixture
def figures(acl: Any, case: Case, expect: Expect) -> Figures:
    """How much device memory there is."""
    return Figures(acl, case, expect)


@pytest.fixture
def allocations(acl: Any, case: Case, expect: Expect, figures: Figures) -> Allocations:
    """Device memory as the allocation functions give it."""
    return Allocations(acl, case, expect, figures)


@pytest.fixture
def releases(acl: Any, case: Case, memory: Memory, expect: Expect, holdings: Holdings) -> Releases:
    """Releases of memory that others work with."""
    return Releases(acl, case, memory, expect, holdings)


@pytest.fixture
def read_only(
    acl: Any, case: Case, memory: Memory, expect: Expect, allocations: Allocations, stream: int
) -> ReadOnly:
    """Memory that user space may only read."""
    return ReadOnly(acl, case, memory, expect, allocations, stream)


@pytest.fixture
def combined(case: Case) -> list[int]:
    """Every bandwidth together with every base policy, as numbers."""
    return [combination(case, bandwidth, base) for bandwidth in BANDWIDTHS for base in BASE_POLICIES]


@pytest.fixture
def usage(acl: Any, expect: Expect) -> Usage:
    """Which components hold device memory."""
    return Usage(acl, expect)


@pytest.fixture
def types(acl: Any, case: Case, expect: Expect, allocations: Allocations) -> Types:
    """Types of memory."""
    return Types(acl, case, expect, allocations)
