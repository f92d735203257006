"""Fixtures of the suites of notifies."""

from __future__ import annotations

from typing import Any

import pytest

from harness.plugin import Case, Memory
from suites.runtime.desk import Desk
from suites.runtime.notify.counters import Counter
from suites.runtime.notify.jumps import Jumps
from suites.runtime.stream.built import BuiltModel


@pytest.fixture
def counter(acl: Any, case: Case, desk: Desk) -> Counter:
    """A counting notify; blocked where there is no such thing."""
    case.needs("aclrtCntNotifyCreate")
    handle = int(desk.must("aclrtCntNotifyCreate", flag=0).cntNotify)
    case.resources.afterwards("aclrtCntNotifyDestroy", cntNotify=handle)
    return Counter(acl, desk, handle)


@pytest.fixture
def jumps(case: Case, memory: Memory, desk: Desk, model: BuiltModel) -> Jumps:
    """A model with three labels."""
    return Jumps(case, memory, desk, model)
