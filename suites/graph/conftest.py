"""Fixtures of the suites of graphs."""

from __future__ import annotations

from typing import Any

import pytest

from harness.plugin import Case, Memory
from suites.graph.graphs import Graphs
from suites.runtime.desk import Desk


@pytest.fixture
def graphs(case: Case) -> Graphs:
    """Captures and instances, made on the C surface."""
    return Graphs(case, case.resources)


@pytest.fixture
def desk(acl: Any, case: Case, memory: Memory) -> Desk:
    """Other contexts."""
    return Desk(acl, case, memory)
