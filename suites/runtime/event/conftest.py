"""Fixtures of the suites of events."""

from __future__ import annotations

from typing import Any

import pytest

from harness.plugin import Case, Expect, Memory
from suites.runtime.desk import Desk
from suites.runtime.event.bodies import Bodies
from suites.runtime.event.waits import Blocking, Waits


@pytest.fixture
def waits(acl: Any, case: Case, desk: Desk, expect: Expect, blocked_stream: Blocking) -> Waits:
    """Waits for events that come late."""
    return Waits(acl, case, desk, expect, blocked_stream)


@pytest.fixture
def bodies(case: Case, desk: Desk, memory: Memory) -> Bodies:
    """Captures into the body of a conditional task."""
    return Bodies(case, desk, memory)
