"""The reference device is tried in other processes too, which a run of suites has and this one must make."""

from __future__ import annotations

import pytest

from harness.plugin.companions import open_nursery


def pytest_configure(config: pytest.Config) -> None:
    """Before any test has loaded a library."""
    open_nursery()
