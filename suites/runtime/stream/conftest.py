"""Fixtures of the suites of streams."""

from __future__ import annotations

from typing import Any

import pytest

from harness.plugin import Case, Memory
from suites.runtime.stream.configured import Configured


@pytest.fixture
def configured(acl: Any, case: Case, memory: Memory) -> Configured:
    """Streams that are made with a handle."""
    return Configured(acl, case, memory)
