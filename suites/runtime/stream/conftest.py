"""Fixtures of the suites of streams."""

from __future__ import annotations

from typing import Any

import pytest

from harness.plugin import Case, Memory
from suites.runtime.desk import Desk
from suites.runtime.stream.built import BuiltModel
from suites.runtime.stream.configured import Configured
from suites.runtime.stream.switches import Switches


@pytest.fixture
def configured(acl: Any, case: Case, memory: Memory) -> Configured:
    """Streams that are made with a handle."""
    return Configured(acl, case, memory)


@pytest.fixture
def switches(memory: Memory, desk: Desk, model: BuiltModel) -> Switches:
    """A model with two streams, one of which may go on at the other."""
    return Switches(memory, desk, model)
