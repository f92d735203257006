"""Work for other threads: with the context of the one that asks, with a device, or with neither."""

from __future__ import annotations

import threading
from collections.abc import Callable, Sequence
from concurrent.futures import ThreadPoolExecutor
from typing import Any, TypeVar

from harness.device import require

T = TypeVar("T")

PATIENCE_S = 20.0
"""How long threads wait for each other before the case fails."""


def together(acl: Any, jobs: Sequence[Callable[[], T]]) -> list[T]:
    """Do every job in a thread of its own, all at the same time; the first exception of one is raised."""
    context = acl.call("aclrtGetCurrentContext").context
    start = threading.Barrier(len(jobs))

    def work(job: Callable[[], T]) -> T:
        acl.call("aclrtSetCurrentContext", context=context)
        start.wait(PATIENCE_S)
        return job()

    with ThreadPoolExecutor(len(jobs)) as pool:
        return list(pool.map(work, jobs))


def elsewhere(acl: Any, job: Callable[[], T]) -> T:
    """Do a job in another thread and give what it gave."""
    return together(acl, [job])[0]


def soon(acl: Any, job: Callable[[], object], seconds: float = 0.02) -> threading.Timer:
    """Do a job in another thread a little later, for a call that blocks until then; the caller joins it."""
    context = acl.call("aclrtGetCurrentContext").context

    def work() -> None:
        acl.call("aclrtSetCurrentContext", context=context)
        job()

    timer = threading.Timer(seconds, work)
    timer.start()
    return timer


def alone(job: Callable[[], T]) -> T:
    """Do a job in a fresh thread, which has neither device nor context."""
    with ThreadPoolExecutor(1) as pool:
        return pool.submit(job).result()


def alone_on(call: Callable[..., Any], device: int, job: Callable[[], T]) -> T:
    """Do a job in a fresh thread that has set a device; it is reset again."""

    def work() -> T:
        require(call("aclrtSetDevice", deviceId=device), "setting the device in another thread")
        try:
            return job()
        finally:
            require(call("aclrtResetDevice", deviceId=device), "resetting it")

    return alone(work)
