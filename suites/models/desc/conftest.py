"""Fixtures of the suites of model descriptions."""

from __future__ import annotations

from typing import Any

import pytest

from harness.plugin import Case, Expect
from suites.models.desc.descriptions import Descriptions
from suites.models.desc.operators import Operators
from suites.models.objects import tracked
from suites.models.shaping import Shaping
from suites.models.workbench import Workbench


@pytest.fixture
def acl(case: Case) -> Any:
    """The surface under test; what is made through it is given back after the case."""
    return tracked(case)


@pytest.fixture
def descs(acl: Any, case: Case, expect: Expect, workbench: Workbench) -> Descriptions:
    """Descriptions of models."""
    return Descriptions(acl, case, expect, workbench)


@pytest.fixture
def operators(acl: Any, case: Case, expect: Expect, workbench: Workbench, shaping: Shaping) -> Operators:
    """Operators that models have run."""
    return Operators(acl, case, expect, workbench, shaping)
