"""Tensor channels: made under fresh names, filled, read back, and stopped."""

from __future__ import annotations

import threading
import time
from dataclasses import dataclass
from typing import Any

from harness.device import require
from harness.plugin import Case
from suites.services.names import fresh_name
from suites.services.tensors import Tensors

AT_ONCE_S = 1.0
"""Seconds within which a call that must not wait has returned."""

_WAKE_S = 5.0
_ASLEEP_S = 0.2
_FOREVER = -1


@dataclass(frozen=True)
class Timed:
    """What a call gave back, and how many seconds it took."""

    result: Any
    seconds: float


class Channels:
    """Makes channels and sends through them, on the surface under test."""

    def __init__(self, acl: Any, tensors: Tensors, case: Case) -> None:
        self._acl = acl
        self._tensors = tensors
        self._expect = case.expect
        # There the host is known to be able to read what it has sent.
        self._read_back = case.engine.library.control is not None

    def make(self, name: str = "", capacity: int = 4) -> int:
        """A channel; under a name of its own where none is given."""
        made = self.create(name or fresh_name(), capacity)
        return int(require(made, "making a channel").value)

    def create(self, name: str, capacity: int = 4) -> Any:
        """What making a channel of device 0 gives."""
        call = self._acl.call
        return call("acltdtCreateChannelWithCapacity", deviceId=0, name=name, capacity=capacity)

    def plain(self) -> int:
        """A channel without a capacity."""
        made = self._acl.call("acltdtCreateChannel", deviceId=0, name=fresh_name())
        return int(require(made, "making a channel").value)

    def send(self, channel: int, count: int = 1) -> None:
        """Send a tensor so many times."""
        dataset = self._tensors.one()
        for _ in range(count):
            require(self._send(channel, dataset, 1000), "sending a tensor")

    def send_late(self, channel: int, timeout: int) -> Timed:
        """Send one tensor more, and take the time."""
        dataset = self._tensors.one()
        start = time.monotonic()
        result = self._send(channel, dataset, timeout)
        return Timed(result, time.monotonic() - start)

    def receive_late(self, channel: int, timeout: int) -> Timed:
        """Receive, and take the time."""
        dataset = self._tensors.dataset()
        start = time.monotonic()
        result = self._receive(channel, dataset, timeout)
        return Timed(result, time.monotonic() - start)

    def receive(self, channel: int) -> int:
        """The dataset that comes out of a channel; the case is blocked where the host cannot read it."""
        dataset = self._tensors.dataset()
        result = self._receive(channel, dataset, 1000)
        if not result.ok and not self._read_back:
            self._expect.blocked("this library lets only the device read a channel")
        require(result, "receiving a tensor")
        return dataset

    def size(self, channel: int) -> int:
        """How many messages stand in a channel."""
        answer = self._acl.call("acltdtQueryChannelSize", handle=channel)
        return int(require(answer, "counting messages").size)

    def stop_while_somebody_waits(self, channel: int) -> Any:
        """Stop a channel while another thread waits for a tensor; the thread must return soon.

        Gives what stopping it gave.
        """
        dataset = self._tensors.dataset()
        waiter = threading.Thread(target=self._receive, args=(channel, dataset, _FOREVER), daemon=True)
        waiter.start()
        waiter.join(_ASLEEP_S)
        self._expect.true("the other thread waits for a tensor", waiter.is_alive())
        stopped = self._acl.call("acltdtStopChannel", handle=channel)
        waiter.join(_WAKE_S)
        self._expect.true(f"the waiting thread returns within {_WAKE_S:g} s", not waiter.is_alive())
        return stopped

    def stop_and_destroy(self, channel: int) -> None:
        """Both succeed."""
        require(self._acl.call("acltdtStopChannel", handle=channel), "stopping a channel")
        require(self._acl.call("acltdtDestroyChannel", handle=channel), "destroying a channel")

    def expect_late(self, timed: Timed, low: float, high: float) -> None:
        """The call was refused, between so many seconds."""
        self._expect.refused(timed.result)
        self._expect.within("the call returns in time, in seconds", timed.seconds, low, high)

    def _send(self, channel: int, dataset: int, timeout: int) -> Any:
        return self._acl.call("acltdtSendTensor", handle=channel, dataset=dataset, timeout=timeout)

    def _receive(self, channel: int, dataset: int, timeout: int) -> Any:
        return self._acl.call("acltdtReceiveTensor", handle=channel, dataset=dataset, timeout=timeout)
