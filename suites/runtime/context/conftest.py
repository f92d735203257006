"""Fixtures of the suites of contexts."""

from __future__ import annotations

from typing import Any

import pytest

from harness.plugin import Case, Expect, Memory
from suites.runtime.context.contexts import Contexts


@pytest.fixture
def contexts(acl: Any, case: Case, memory: Memory, expect: Expect) -> Contexts:
    """Contexts of device 0 beside the one that the case begins with."""
    return Contexts(acl, case, memory, expect)
