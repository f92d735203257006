"""Fixtures that several of the runtime suites use."""

from __future__ import annotations

import pytest

from harness.plugin import Case
from suites.runtime.visible import Visible


@pytest.fixture
def visible(case: Case, monkeypatch: pytest.MonkeyPatch) -> Visible:
    """The list of devices that the process may see; for cases that begin before aclInit."""
    return Visible(case, monkeypatch)
