"""Executing models: what comes out, and what is refused."""

from __future__ import annotations

import pytest

from harness.models import catalogue
from harness.plugin import covers


@covers("execute.synchronous")
@pytest.mark.parametrize("name", ["affine", "two_by_two", *catalogue.TYPED_NAMES])
def test_results(acl, expect, workbench, name):
    """The outputs are complete when the call returns: what numpy makes of the same inputs."""
    run = workbench.run_of(name)
    acl.aclmdlExecute(**run.datasets)
    expect.data(run.result(), run.wanted, name)
