"""Fixtures of the suites of graphs."""

from __future__ import annotations

from typing import Any

import pytest

from harness.plugin import Case, Memory
from suites.graph.graphs import Graphs
from suites.graph.kernels import Kernels
from suites.runtime.desk import Desk


@pytest.fixture
def graphs(case: Case) -> Graphs:
    """Captures and instances, made on the C surface."""
    return Graphs(case, case.resources)


@pytest.fixture
def kernels(case: Case, graphs: Graphs) -> Kernels:
    """Kernels on the streams of captures; blocked where there are none."""
    return Kernels(case, case.resources, graphs)


@pytest.fixture
def desk(acl: Any, case: Case, memory: Memory) -> Desk:
    """Other contexts."""
    return Desk(acl, case, memory)
