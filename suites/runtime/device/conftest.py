"""Fixtures of the suites of devices."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest

from harness.device import require
from harness.plugin import Block, Case, Expect, Memory, pattern
from suites.failing import put_failing_task
from suites.runtime.device.devices import Devices
from suites.runtime.device.limits import Limits
from suites.runtime.device.numbers import Numbers
from suites.runtime.device.states import States


@pytest.fixture
def devices(case: Case, expect: Expect) -> Devices:
    """Devices on the surface under test."""
    return Devices(case.engine.surface(case.surface), case, expect)


@pytest.fixture
def numbers(case: Case) -> Numbers:
    """Numbers of devices on the surface under test."""
    return Numbers(case.engine.surface(case.surface), case)


@pytest.fixture
def states(initialised_only: Any, case: Case) -> States:
    """Functions for device states in a process that has set no device."""
    return States(initialised_only, case)


@pytest.fixture
def limits(case: Case, expect: Expect) -> Limits:
    """Limits of the devices on the surface under test."""
    return Limits(case.engine.surface(case.surface), case, expect)


@pytest.fixture
def initialised_later(bare: Any) -> Callable[[], Any]:
    """Initialises once the case has prepared the environment, and gives the surface under test."""

    def initialise() -> Any:
        require(bare.call("aclInit", configPath=None), "initialising the runtime")
        return bare

    return initialise


@pytest.fixture
def copied(case: Case, memory: Memory, stream: int) -> Callable[[], tuple[Block, Any]]:
    """Copies 64 bytes to the device on a stream; the block, and the bytes it must hold."""

    def copy() -> tuple[Block, Any]:
        data = pattern(64)
        host, device = memory.host(64).write(data), memory.device(64)
        ends = {"dst": device.ptr, "destMax": 64, "src": host.ptr, "count": 64}
        kind = "ACL_MEMCPY_HOST_TO_DEVICE"
        require(case.engine.c.call("aclrtMemcpyAsync", **ends, kind=kind, stream=stream), "queueing a copy")
        require(case.engine.c.call("aclrtSynchronizeStream", stream=stream), "waiting for it")
        return device, data

    return copy


@pytest.fixture
def failing_task(case: Case, memory: Memory) -> Callable[[int], Block]:
    """Puts a task on a stream that fails when it runs, and gives its memory; blocked where none can fail."""

    def put(stream: int) -> Block:
        block = memory.device(64)
        put_failing_task(case, stream, block)
        return block

    return put
