"""Fixtures of the suites of allocators."""

from __future__ import annotations

from typing import Any

import pytest

from harness.plugin import Case, Expect, Memory
from suites.memory.allocator.allocators import Allocators
from suites.memory.holdings import Holdings, tracked


@pytest.fixture
def acl(case: Case, holdings: Holdings) -> Any:
    """The surface under test; what is taken through it is given back after the case."""
    return tracked(case, holdings)


@pytest.fixture
def allocators(acl: Any, case: Case, expect: Expect, memory: Memory) -> Allocators:
    """Allocators of streams."""
    return Allocators(acl, case, expect, memory)
