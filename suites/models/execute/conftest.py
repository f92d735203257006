"""Fixtures of the suites that execute models."""

from __future__ import annotations

import pytest

from harness.plugin import Case
from suites.models.execute.runs import Runs
from suites.models.workbench import Workbench


@pytest.fixture
def runs(case: Case, workbench: Workbench) -> Runs:
    """Arguments for the calls that execute a model, and what they come to."""
    return Runs(case, case.resources, workbench)
