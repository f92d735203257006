"""Fixtures of the suites of the runtime."""

from __future__ import annotations

import pytest

from harness.plugin import Case
from suites.runtime.desk import Desk
from suites.runtime.importers import Exports
from suites.runtime.stream.built import BuiltModel
from suites.runtime.visible import Visible


@pytest.fixture
def exports(case: Case, desk: Desk) -> Exports:
    """Notifies and events of this process in others."""
    return Exports(case, desk)


@pytest.fixture
def model(case: Case) -> BuiltModel:
    """A model that is built stream by stream; blocked where there is no such thing."""
    return BuiltModel(case, case.resources.at_end)


@pytest.fixture
def visible(case: Case, monkeypatch: pytest.MonkeyPatch) -> Visible:
    """The list of devices that the process may see; for cases that begin before aclInit."""
    return Visible(case, monkeypatch)
