"""Fixtures of the suites of errors."""

from __future__ import annotations

from typing import Any

import pytest

from harness.plugin import Case, Expect, Memory
from suites.runtime.exceptions.errors import Errors
from suites.runtime.exceptions.failures import Failures


@pytest.fixture
def errors(acl: Any, case: Case, expect: Expect) -> Errors:
    """Calls that fail, and what the thread keeps of them."""
    return Errors(acl, case, expect)


@pytest.fixture
def failures(acl: Any, case: Case, memory: Memory, expect: Expect, stream: int) -> Failures:
    """Tasks that fail on one stream."""
    return Failures(acl, case, memory, expect, stream)
