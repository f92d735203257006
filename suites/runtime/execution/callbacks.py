"""Functions of the caller between the tasks of a stream, and the thread that runs them."""

from __future__ import annotations

import threading
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from functools import partial
from typing import Any

from harness.device import require
from harness.plugin import Case, Expect, told
from suites.runtime.crowd import Crowd

PATIENCE_S = 10.0
_SLICE_MS = 50
_GIVEN_S = 0.03


def apart(count: int) -> list[int]:
    """So many numbers that differ in either half of 64 bits."""
    return [number << 32 | number * number for number in range(count)]


class Calls:
    """What functions that ran have noted: their arguments in order, and the threads they ran in."""

    def __init__(self) -> None:
        self.arguments: list[int] = []
        self.threads: list[int] = []
        self.gate = threading.Event()
        """A function that waits goes on when it is set."""
        self.started = threading.Event()
        """A function that waits has begun."""

    def note(self, argument: Any) -> None:
        """Note one call."""
        number = argument[0] if isinstance(argument, list) else argument
        self.arguments.append(int(number or 0))
        self.threads.append(threading.get_ident())

    def wait(self, argument: Any) -> None:
        """Note one call that lasts until the gate is opened."""
        self.started.set()
        self.gate.wait(PATIENCE_S)
        self.note(argument)


class Server:
    """A thread that runs the callbacks of the streams it is subscribed for, until it is stopped."""

    def __init__(self, call: Callable[..., Any]) -> None:
        self._call = call
        self._ended = threading.Event()
        self._thread = threading.Thread(target=self._serve, name="report", daemon=True)
        self._thread.start()

    @property
    def ident(self) -> int:
        """What aclrtSubscribeReport calls the thread."""
        return int(self._thread.ident or 0)

    def stop(self) -> None:
        """Let the thread end, and wait for it."""
        self._ended.set()
        self._thread.join()

    def _serve(self) -> None:
        while not self._ended.is_set():
            if not self._call("aclrtProcessReport", timeout=_SLICE_MS).ok:
                self._ended.wait(0.001)


class Callbacks:
    """What the tests of callbacks do."""

    def __init__(self, acl: Any, case: Case, expect: Expect) -> None:
        self._acl, self._case, self._expect = acl, case, expect
        self._call = case.engine.c.call
        self.calls = Calls()
        """What the functions of the case have noted."""

    @contextmanager
    def server(self, *streams: int) -> Iterator[Server]:
        """A thread that serves these streams inside the block; all of them are waited for at its end."""
        made = Server(self._call)
        taken: list[int] = []
        try:
            for stream in streams:
                self._expect.success(self._acl.aclrtSubscribeReport(threadId=made.ident, stream=stream))
                taken.append(stream)
            yield made
        finally:
            self.calls.gate.set()
            for stream in taken:
                self._call("aclrtSynchronizeStream", stream=stream)
                self._call("aclrtUnSubscribeReport", threadId=made.ident, stream=stream)
            made.stop()

    def launch(self, stream: int, number: int = 0, waits: bool = False, blocks: bool = True) -> Any:
        """The answer to a callback put on a stream, with a number as its argument."""
        function = self.calls.wait if waits else self.calls.note
        kind = "ACL_CALLBACK_BLOCK" if blocks else "ACL_CALLBACK_NO_BLOCK"
        return self._acl.aclrtLaunchCallback(fn=function, userData=number, blockType=kind, stream=stream)

    def launch_host(self, stream: int | None, number: int | None = 0, waits: bool = False) -> Any:
        """The answer to a host function put on a stream, with a number as its argument."""
        function = self.calls.wait if waits else self.calls.note
        return self._acl.aclrtLaunchHostFunc(stream=stream, fn=function, args=number)

    def launch_many(self, launch: Callable[[int, int], Any], stream: int, count: int) -> None:
        """Launch so many, with the numbers of `apart`, and wait for the stream."""
        for number in apart(count):
            self._expect.success(launch(stream, number))
        self.wait(stream)

    def wait(self, stream: int | None) -> None:
        """Wait for a stream."""
        require(self._call("aclrtSynchronizeStream", stream=stream), "waiting for the callbacks")

    def begun(self) -> None:
        """Wait until a function that waits has begun."""
        self._expect.true("the function has begun", self.calls.started.wait(PATIENCE_S))

    def given_time(self) -> None:
        """Wait long enough for what must not happen to happen."""
        time.sleep(_GIVEN_S)

    def open_soon(self) -> None:
        """Let the function that waits go on a little later."""
        timer = threading.Timer(0.05, self.calls.gate.set)
        timer.start()
        self._case.resources.at_end(timer.join)

    def process(self, timeout: int) -> Any:
        """The answer to aclrtProcessReport in this thread."""
        return self._acl.aclrtProcessReport(timeout=timeout)

    def timed_process(self, timeout: int) -> tuple[Any, float]:
        """The same, and the seconds it took."""
        start = time.monotonic()
        result = self.process(timeout)
        return result, time.monotonic() - start

    def subscribe_here(self, stream: int) -> None:
        """This thread serves a stream; ended with the case."""
        ends = {"threadId": threading.get_ident(), "stream": stream}
        require(self._call("aclrtSubscribeReport", **ends), "subscribing")
        self._case.resources.afterwards("aclrtUnSubscribeReport", **ends)

    def launch_soon(self, stream: int) -> None:
        """Put a callback on a stream a little later, from another thread."""
        context = require(self._call("aclrtGetCurrentContext"), "asking for the context").context
        timer = threading.Timer(0.1, partial(self._launch_in, context, stream))
        timer.start()
        self._case.resources.at_end(timer.join)

    def threads_until_refused(self, most: int) -> tuple[int, Any]:
        """How many different threads were subscribed, each to a stream of its own, and the first answer that
        was a refusal or came after `most`; blocked where there are fewer streams.
        """
        streams = Crowd(self._case, "aclrtCreateStream", "stream", "aclrtDestroyStream")
        if streams.fill(most + 1) <= most:
            self._expect.blocked(f"there are {len(streams.handles)} streams, a thread each needs {most + 1}")
        subscribed: list[dict[str, int]] = []
        for number, stream in enumerate(streams.handles, 1):
            ends = {"threadId": number, "stream": stream}
            result = self._acl.aclrtSubscribeReport(**ends)
            if not result.ok:
                break
            subscribed.append(ends)
        for ends in subscribed:
            self._call("aclrtUnSubscribeReport", **ends)
        return min(len(subscribed), most), result

    def answers(self, apis: Sequence[str]) -> str:
        """What functions without arguments answer, in words."""
        return "; ".join(told(self._acl.call(api)) for api in apis if self._acl.has(api)) or "none is there"

    def _launch_in(self, context: int, stream: int) -> None:
        self._call("aclrtSetCurrentContext", context=context)
        self.launch(stream, 7)
