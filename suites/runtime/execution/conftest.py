"""Fixtures of the suites of execution control."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import pytest

from harness.plugin import Case, Expect, Memory
from suites.runtime.execution.callbacks import Callbacks
from suites.runtime.execution.limits import Limits
from suites.runtime.execution.randoms import Randoms
from suites.runtime.execution.reductions import Reductions


@pytest.fixture
def reductions(acl: Any, case: Case, memory: Memory, expect: Expect, stream: int) -> Reductions:
    """Reductions on one stream."""
    return Reductions(acl, case, memory, expect, stream)


@pytest.fixture
def randoms(acl: Any, case: Case, memory: Memory, expect: Expect, stream: int) -> Randoms:
    """Random numbers on one stream."""
    return Randoms(acl, case, memory, expect, stream)


@pytest.fixture
def limits(acl: Any, case: Case, expect: Expect) -> Limits:
    """The time limit of operators; it is as it was when the case ends."""
    return Limits(acl, case, expect)


@pytest.fixture
def callbacks(acl: Any, case: Case, expect: Expect) -> Iterator[Callbacks]:
    """Functions between the tasks of streams; none waits any more when the case ends."""
    made = Callbacks(acl, case, expect)
    yield made
    made.calls.gate.set()
