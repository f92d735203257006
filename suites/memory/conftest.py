"""Fixtures that several of the memory suites use."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import pytest

from harness.device import require
from harness.plugin import Expect
from suites.memory.no_device import NoDevice


@pytest.fixture
def initialised_only(bare: Any) -> Iterator[Any]:
    """The surface after aclInit, before any device is set."""
    require(bare.call("aclInit", configPath=None), "initialising the runtime")
    yield bare
    bare.call("aclFinalize")


@pytest.fixture
def no_device(initialised_only: Any, expect: Expect) -> NoDevice:
    """What must be true after a call that was made before any device is set."""
    return NoDevice(initialised_only, expect)
