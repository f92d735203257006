"""Fixtures of the suites of errors."""

from __future__ import annotations

from typing import Any

import pytest

from harness.plugin import Case, Expect
from suites.runtime.exceptions.errors import Errors


@pytest.fixture
def errors(acl: Any, case: Case, expect: Expect) -> Errors:
    """Calls that fail, and what the thread keeps of them."""
    return Errors(acl, case, expect)
