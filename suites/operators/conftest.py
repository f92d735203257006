"""Fixtures of the suites of single operators."""

from __future__ import annotations

from typing import Any

import pytest

from harness.plugin import Case
from suites.operators.attributes import Attributes
from suites.operators.casting import Casting
from suites.operators.compile_options import CompileOptions
from suites.operators.compiling import Compiling
from suites.operators.dumped_graphs import DumpedGraphs
from suites.operators.inferring import Inferring
from suites.operators.loaded import LoadedOperators
from suites.operators.products import Products
from suites.operators.selecting import Selecting
from suites.operators.watching import Watching
from suites.services.objects import Objects, tracked


@pytest.fixture
def acl(case: Case) -> Any:
    """The surface under test; the objects it makes are given back after the case."""
    return tracked(case, Objects())


@pytest.fixture
def attributes(acl: Any) -> Attributes:
    """Attribute sets."""
    return Attributes(acl)


@pytest.fixture
def selecting(case: Case, acl: Any) -> Selecting:
    """Selectors and kernels of custom operators."""
    return Selecting(acl, case, case.resources)


@pytest.fixture
def operators(case: Case) -> LoadedOperators:
    """Loaded operators and everything for a run of one, made on the C surface."""
    return LoadedOperators(case, case.resources)


@pytest.fixture
def inferring(case: Case, acl: Any) -> Inferring:
    """Questions for the shapes of outputs."""
    return Inferring(acl, case, case.resources)


@pytest.fixture
def casting(acl: Any, operators: LoadedOperators) -> Casting:
    """Conversions."""
    return Casting(acl, operators)


@pytest.fixture
def products(case: Case, operators: LoadedOperators) -> Products:
    """Products of matrices and vectors."""
    return Products(case, operators)


@pytest.fixture
def compiling(acl: Any, operators: LoadedOperators) -> Compiling:
    """Operators that are compiled online."""
    return Compiling(acl, operators)


@pytest.fixture
def compile_options(acl: Any) -> CompileOptions:
    """Options of the online compiler."""
    return CompileOptions(acl)


@pytest.fixture
def watching(acl: Any, case: Case, compiling: Compiling, operators: LoadedOperators) -> Watching:
    """Operators that watch their memory."""
    return Watching(acl, case, compiling, operators)


@pytest.fixture
def dumped(acl: Any, case: Case, operators: LoadedOperators) -> DumpedGraphs:
    """Graphs of operators that are dumped."""
    return DumpedGraphs(acl, case, operators)
