"""Work for a stream that takes a while: a function of the host, and how to see that it is done."""

from __future__ import annotations

import threading
from collections.abc import Callable
from typing import Any

from harness.device import require

LAUNCH = "aclrtLaunchHostFunc"


def queue_sleep(call: Callable[..., Any], stream: int | None, sleep: Callable[[], object]) -> threading.Event:
    """Put a function on a stream that sleeps, and then sets the event."""
    done = threading.Event()

    def work(_: int) -> None:
        sleep()
        done.set()

    require(call(LAUNCH, stream=stream, fn=work, args=None), "queueing a function")
    return done
