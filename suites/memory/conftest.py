"""Fixtures that several of the memory suites use."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import pytest

from harness.plugin import Case, Expect
from suites.memory.copy.peers import Peer
from suites.memory.holdings import Holdings
from suites.memory.no_device import NoDevice


@pytest.fixture
def holdings() -> Holdings:
    """What the case has taken and not given back."""
    return Holdings()


@pytest.fixture
def peer(case: Case, second_device: int) -> Iterator[Peer]:
    """The second device, set in this thread but not current."""
    with Peer(case, second_device) as made:
        yield made


@pytest.fixture
def no_device(initialised_only: Any, expect: Expect) -> NoDevice:
    """What must be true after a call that was made before any device is set."""
    return NoDevice(initialised_only, expect)
