"""Fixtures of the model suites."""

from __future__ import annotations

import pytest

from harness.plugin import Case
from suites.models.shaping import Shaping
from suites.models.workbench import Workbench


@pytest.fixture
def workbench(case: Case) -> Workbench:
    """Loaded models, datasets and runs, made on the C surface and given back at the end."""
    return Workbench(case, case.resources)


@pytest.fixture
def shaping(case: Case, workbench: Workbench) -> Shaping:
    """Runs whose shape is decided before each of them."""
    return Shaping(workbench, case.resources)
