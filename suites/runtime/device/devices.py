"""Devices that a case sets and resets itself, and the work that shows whether one is there."""

from __future__ import annotations

import threading
import time
from collections.abc import Callable, Sequence
from concurrent.futures import ThreadPoolExecutor
from typing import Any

from harness.device import require
from harness.plugin import Case, Expect
from suites.runtime.sleeping import LAUNCH, queue_sleep
from suites.threads import alone, alone_on

_SET, _RESET, _FORCE = "aclrtSetDevice", "aclrtResetDevice", "aclrtResetDeviceForce"
_STEPS = {"set": _SET, "reset": _RESET, "force": _FORCE}
_PATIENCE_S = 20.0
_LONGER_S = 0.02


class Devices:
    """Calls about devices on the surface under test."""

    def __init__(self, acl: Any, case: Case, expect: Expect) -> None:
        self._acl = acl
        self._case = case
        self._expect = expect
        self._call = case.engine.c.call
        self._woken = threading.Event()

    # Setting and resetting

    def count(self) -> int:
        """How many devices there are."""
        return int(require(self._call("aclrtGetDeviceCount"), "counting devices").count)

    def set(self, times: int = 1, device: int = 0) -> None:
        """Set a device so many times, which must succeed."""
        for _ in range(times):
            require(self._acl.call(_SET, deviceId=device), "setting the device")

    def turns(self, steps: str, device: int = 0) -> list[bool]:
        """Whether each step succeeded: `set`, `reset` and `force`, in words with a blank between."""
        return [bool(self._acl.call(_STEPS[step], deviceId=device).ok) for step in steps.split()]

    def set_each(self) -> list[int]:
        """The device that is told after each one was set; each is reset again."""
        told = []
        for device in range(self.count()):
            self._expect.success(self._acl.call(_SET, deviceId=device))
            told.append(int(self._acl.call("aclrtGetDevice").deviceId))
            require(self._acl.call(_RESET, deviceId=device), "resetting the device")
        return told

    # Looking

    def current(self) -> int | None:
        """The device of this thread, or None."""
        told = self._acl.call("aclrtGetDevice")
        return int(told.deviceId) if told.ok else None

    def works(self) -> bool:
        """Whether the current device gives memory and takes it back."""
        made = self._call("aclrtMalloc", size=64, policy="ACL_MEM_MALLOC_HUGE_FIRST")
        return bool(made.ok and self._call("aclrtFree", devPtr=made.devPtr).ok)

    def streams_left(self) -> int:
        """How many streams the device still gives."""
        return int(require(self._call("aclrtGetStreamAvailableNum"), "counting streams").streamCount)

    def make_streams(self, count: int) -> None:
        """Make streams that nobody destroys."""
        for _ in range(count):
            self.make_stream()

    def make_stream(self) -> int:
        """Make a stream that nobody destroys."""
        self._case.needs("aclrtCreateStream")
        return int(require(self._call("aclrtCreateStream"), "making a stream").stream)

    def context(self) -> int:
        """The current context."""
        return int(require(self._call("aclrtGetCurrentContext"), "asking for the context").context)

    # Threads

    def elsewhere(self, job: Callable[[], Any]) -> Any:
        """What a job gives in a thread that has set no device."""
        return alone(job)

    def elsewhere_with(self, device: int, job: Callable[[], Any]) -> Any:
        """What a job gives in a thread that has set a device, which is reset again."""
        return alone_on(self._acl.call, device, job)

    def told_in_two_threads(self, second: int) -> tuple[int | None, int | None]:
        """The devices of two threads, asked after each has set its own: device 0 first, then the second."""
        with ThreadPoolExecutor(1) as one, ThreadPoolExecutor(1) as other:
            one.submit(self.set).result()
            other.submit(self.set, device=second).result()
            told = one.submit(self.current).result(), other.submit(self.current).result()
            other.submit(self.turns, "reset", second).result()
            one.submit(self.turns, "reset").result()
        return told

    def forced_in_two_threads(self) -> tuple[bool, bool]:
        """Whether a forced reset succeeded in two threads that had both set the device, one by one."""
        with ThreadPoolExecutor(1) as one, ThreadPoolExecutor(1) as other:
            one.submit(self.set).result()
            other.submit(self.set).result()
            return one.submit(self.turns, "force").result()[0], other.submit(self.turns, "force").result()[0]

    # Work that takes a while

    def queue_sleep(self, seconds: float, stream: int | None = None) -> threading.Event:
        """Put a function on a stream that sleeps, or until `wake`, and then sets the event; blocked where
        there is none.
        """
        self._case.needs(LAUNCH)
        return queue_sleep(self._call, stream, lambda: self._woken.wait(seconds))

    def synchronized(self) -> tuple[Any, bool]:
        """Put a while's work on the default stream; the answer to waiting for the device, and whether the
        work was done at return.
        """
        done = self.queue_sleep(0.05)
        return self._acl.call("aclrtSynchronizeDevice"), done.is_set()

    def wake(self) -> None:
        """Let the functions that sleep end now."""
        self._woken.set()

    def queue_on_streams(self, streams: Sequence[int | None], seconds: float) -> list[threading.Event]:
        """A function that sleeps on each stream, a little longer than on the one before."""
        return [self.queue_sleep(seconds + _LONGER_S * place, stream) for place, stream in enumerate(streams)]

    def queue_in_another_context(self, seconds: float) -> threading.Event:
        """A function that sleeps on the default stream of another context; that goes when the case ends."""
        home = self.context()
        other = require(self._call("aclrtCreateContext", deviceId=0), "making a context").context
        done = self.queue_sleep(seconds)
        require(self._call("aclrtSetCurrentContext", context=home), "going back")

        def give_back() -> None:
            done.wait(_PATIENCE_S)
            require(self._call("aclrtDestroyContext", context=other), "destroying the context")

        self._case.resources.at_end(give_back)
        return done


def timed(call: Callable[[], Any]) -> tuple[Any, float]:
    """What a call gives, and its seconds."""
    start = time.monotonic()
    return call(), time.monotonic() - start
