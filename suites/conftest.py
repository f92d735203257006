"""Fixtures that suites of several chapters use."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import pytest

from harness.device import require
from harness.plugin import Case, Memory
from suites.runtime.desk import Desk


@pytest.fixture
def initialised_only(bare: Any) -> Iterator[Any]:
    """The surface after aclInit, before any device is set."""
    require(bare.call("aclInit", configPath=None), "initialising the runtime")
    yield bare
    bare.call("aclFinalize")


@pytest.fixture
def desk(acl: Any, case: Case, memory: Memory) -> Desk:
    """Streams, events and notifies at work."""
    return Desk(acl, case, memory)
