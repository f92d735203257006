"""Fixtures of the suites of versions, groups and the log of programs."""

from __future__ import annotations

from typing import Any

import pytest

from harness.plugin import Case
from suites.misc.groups import Groups
from suites.misc.halves import Halves
from suites.misc.packages import Packages


@pytest.fixture
def groups(acl: Any, case: Case) -> Groups:
    """Groups of compute units."""
    return Groups(acl, case)


@pytest.fixture
def packages(case: Case) -> Packages:
    """The packages of an installation and their versions."""
    return Packages(case)


@pytest.fixture
def halves(acl: Any, case: Case) -> Halves:
    """Numbers of half precision."""
    return Halves(acl, case)
