"""Fixtures of the suites of dynamic models."""

from __future__ import annotations

from typing import Any

import pytest

from harness.plugin import Case, Expect
from suites.models.dynamic.gears import Gears
from suites.models.dynamic.pictures import Pictures
from suites.models.objects import tracked
from suites.models.shaping import Shaping
from suites.models.workbench import Workbench


@pytest.fixture
def acl(case: Case) -> Any:
    """The surface under test; what is made through it is given back after the case."""
    return tracked(case)


@pytest.fixture
def gears(acl: Any, case: Case, expect: Expect, workbench: Workbench, shaping: Shaping) -> Gears:
    """Runs of models with gears."""
    return Gears(acl, case, expect, workbench, shaping)


@pytest.fixture
def pictures(acl: Any, case: Case, expect: Expect, workbench: Workbench) -> Pictures:
    """Preprocessing parameters."""
    return Pictures(acl, case, expect, workbench)
