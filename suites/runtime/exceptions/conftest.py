"""Fixtures of the suites of errors."""

from __future__ import annotations

from typing import Any

import pytest

from harness.plugin import Case, Expect
from suites.runtime.exceptions.errors import Errors
from suites.runtime.exceptions.listeners import Failures


@pytest.fixture
def errors(acl: Any, case: Case, expect: Expect) -> Errors:
    """Calls that fail, and what the thread keeps of them."""
    return Errors(acl, case, expect)


@pytest.fixture
def failures(acl: Any, case: Case, stream: int) -> Failures:
    """Tasks that fail on one stream, and who hears of them."""
    return Failures(acl, case, stream)
