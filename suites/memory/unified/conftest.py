"""Fixtures of the suites of unified addressing and cache operations."""

from __future__ import annotations

from typing import Any

import pytest

from harness.plugin import Case, Expect, Memory
from suites.memory.alloc.figures import Figures
from suites.memory.holdings import Holdings, tracked
from suites.memory.unified.addresses import Addresses
from suites.memory.unified.advice import Advice
from suites.memory.unified.caches import Caches
from suites.memory.unified.managed import Managed
from suites.memory.unified.models import BoundStream
from suites.memory.unified.prefetches import Prefetches


@pytest.fixture
def acl(case: Case, holdings: Holdings) -> Any:
    """The surface under test; what is taken through it is given back after the case."""
    return tracked(case, holdings)


@pytest.fixture
def managed(acl: Any, case: Case, memory: Memory, expect: Expect) -> Managed:
    """Managed memory."""
    return Managed(acl, case, memory, expect, Figures(acl, case, expect))


@pytest.fixture
def advice(acl: Any, case: Case, memory: Memory, expect: Expect, managed: Managed) -> Advice:
    """Advice about managed memory, and its attributes."""
    return Advice(acl, case, memory, expect, managed)


@pytest.fixture
def prefetches(acl: Any, case: Case, expect: Expect, managed: Managed) -> Prefetches:
    """Managed memory that streams move."""
    return Prefetches(acl, case, expect, managed)


@pytest.fixture
def addresses(acl: Any, case: Case, memory: Memory, expect: Expect) -> Addresses:
    """What addresses of every kind of memory are."""
    return Addresses(acl, case, memory, expect)


@pytest.fixture
def caches(acl: Any, case: Case, memory: Memory, expect: Expect) -> Caches:
    """Cache operations on streams."""
    return Caches(acl, case, memory, expect)


@pytest.fixture
def bound(case: Case) -> BoundStream:
    """A stream that is bound to a model; both are destroyed after the case."""
    made = BoundStream(case.engine.c)
    case.resources.at_end(made.give_back)
    return made
