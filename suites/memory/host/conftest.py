"""Fixtures of the suites of host memory."""

from __future__ import annotations

import resource
from collections.abc import Iterator
from typing import Any

import pytest

from harness.plugin import Case, Expect, Memory
from suites.memory.alloc.figures import Figures
from suites.memory.alloc.releases import Releases
from suites.memory.holdings import Holdings, tracked
from suites.memory.host.capabilities import Capabilities
from suites.memory.host.host_blocks import HostBlocks
from suites.memory.host.host_copies import HostCopies
from suites.memory.host.registrations import Registrations

SMALL_LOCK_LIMIT = 64 * 1024
"""Bytes a process may lock, as some containers have it."""


@pytest.fixture
def acl(case: Case, holdings: Holdings) -> Any:
    """The surface under test; what is taken through it is given back after the case."""
    return tracked(case, holdings)


@pytest.fixture
def figures(acl: Any, case: Case, expect: Expect) -> Figures:
    """How much device memory there is."""
    return Figures(acl, case, expect)


@pytest.fixture
def releases(acl: Any, case: Case, memory: Memory, expect: Expect, holdings: Holdings) -> Releases:
    """Releases of memory that others work with."""
    return Releases(acl, case, memory, expect, holdings)


@pytest.fixture
def host_blocks(acl: Any, case: Case, memory: Memory, expect: Expect, figures: Figures) -> HostBlocks:
    """Host memory as the library gives it."""
    return HostBlocks(acl, case, memory, expect, figures)


@pytest.fixture
def registrations(acl: Any, case: Case, memory: Memory, expect: Expect, holdings: Holdings) -> Registrations:
    """Registered host memory."""
    return Registrations(acl, case, memory, expect, holdings)


@pytest.fixture
def copies(acl: Any, case: Case, memory: Memory, expect: Expect) -> HostCopies:
    """Copies between given blocks."""
    return HostCopies(acl, case, memory, expect)


@pytest.fixture
def capabilities(acl: Any, case: Case, expect: Expect) -> Capabilities:
    """Which accelerators can reach host memory."""
    return Capabilities(acl, case, expect)


@pytest.fixture
def small_lock_limit() -> Iterator[None]:
    """The process may lock 64 KiB only; for tests with @isolated."""
    before = resource.getrlimit(resource.RLIMIT_MEMLOCK)
    resource.setrlimit(resource.RLIMIT_MEMLOCK, (min(SMALL_LOCK_LIMIT, *_bounded(before)), before[1]))
    yield
    resource.setrlimit(resource.RLIMIT_MEMLOCK, before)


def _bounded(limits: tuple[int, int]) -> list[int]:
    return [limit for limit in limits if limit != resource.RLIM_INFINITY]
