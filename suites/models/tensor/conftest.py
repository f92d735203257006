"""Fixtures of the suites of data buffers and tensor descriptions."""

from __future__ import annotations

from typing import Any

import pytest

from harness.plugin import Case, Expect, Memory
from suites.models.objects import tracked
from suites.models.tensor.single_operators import SingleOperators
from suites.models.tensor.tensors import Tensors


@pytest.fixture
def acl(case: Case) -> Any:
    """The surface under test; what is made through it is given back after the case."""
    return tracked(case)


@pytest.fixture
def tensors(acl: Any, case: Case, expect: Expect) -> Tensors:
    """Data buffers and tensor descriptions."""
    return Tensors(acl, case, expect)


@pytest.fixture
def operators(acl: Any, case: Case, expect: Expect, memory: Memory, tensors: Tensors) -> SingleOperators:
    """Single operators."""
    return SingleOperators(acl, case, expect, memory, tensors)
