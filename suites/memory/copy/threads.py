"""Work for other threads: each has the context of the thread that asks, as a program's workers would."""

from __future__ import annotations

import threading
from collections.abc import Callable, Sequence
from concurrent.futures import ThreadPoolExecutor
from typing import Any, TypeVar

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


def soon(acl: Any, job: Callable[[], object], seconds: float = 0.03) -> threading.Timer:
    """Do a job in another thread a little later, for a call that blocks until then; the caller joins it."""
    context = acl.call("aclrtGetCurrentContext").context

    def work() -> None:
        acl.call("aclrtSetCurrentContext", context=context)
        job()

    timer = threading.Timer(seconds, work)
    timer.start()
    return timer
