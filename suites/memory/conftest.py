"""Fixtures that several of the memory suites use."""

from __future__ import annotations

from typing import Any

import pytest

from harness.plugin import Expect
from suites.memory.no_device import NoDevice


@pytest.fixture
def no_device(initialised_only: Any, expect: Expect) -> NoDevice:
    """What must be true after a call that was made before any device is set."""
    return NoDevice(initialised_only, expect)
