"""Fixtures of the suites that load models."""

from __future__ import annotations

import pytest

from harness.plugin import Case
from suites.models.load.files import Files
from suites.models.workbench import Workbench


@pytest.fixture
def files(case: Case, workbench: Workbench) -> Files:
    """Arguments of the calls that read models, and files and images that are none."""
    return Files(case, workbench)
