"""Streams, events and notifies at work: what the tests of chapters 06 to 10 do over and over."""

from __future__ import annotations

import threading
import time
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from functools import partial
from typing import Any

from harness.device import require
from harness.plugin import Block, Case, Memory
from suites.runtime.sleeping import queue_sleep
from suites.threads import alone, soon

COMPLETE = 0
"""What aclrtStreamQuery tells of a stream without work."""

_RELAXED = "ACL_MODEL_RI_CAPTURE_MODE_RELAXED"
_GRACE_S = 0.01
_PATIENCE_S = 5.0
_POLL_S = 0.0005


class Desk:
    """What a case makes here is given back when it ends. Arranging calls go to the C surface."""

    def __init__(self, acl: Any, case: Case, memory: Memory) -> None:
        self._acl = acl
        self._case = case
        self._memory = memory
        self._call = case.engine.c.call

    # Making

    def must(self, api: str, **args: Any) -> Any:
        """A call of the C surface that has to succeed; DeviceError where it does not."""
        return require(self._call(api, **args), "arranging a case")

    def stream(self, flag: int | str = 0) -> int:
        """A stream with flags."""
        return self.took_stream(self.must("aclrtCreateStreamWithConfig", priority=0, flag=flag))

    def took_stream(self, result: Any) -> int:
        """The stream that the call under test has made, if it has."""
        if result.ok:
            self._case.resources.afterwards("aclrtDestroyStream", stream=result.stream)
        return int(result.stream or 0)

    def event(self, flag: int) -> int:
        """An event of aclrtCreateEventWithFlag."""
        return self.took_event(self.must("aclrtCreateEventWithFlag", flag=flag))

    def event_ex(self, flag: int = 1) -> int:
        """An event of aclrtCreateEventExWithFlag."""
        return self.took_event(self.must("aclrtCreateEventExWithFlag", flag=flag))

    def took_event(self, result: Any) -> int:
        """The event that the call under test has made, if it has."""
        if result.ok:
            self._case.resources.afterwards("aclrtDestroyEvent", event=result.event)
        return int(result.event or 0)

    def notify(self) -> int:
        """A notify."""
        made = int(self.must("aclrtCreateNotify", flag=0).notify)
        self._case.resources.afterwards("aclrtDestroyNotify", notify=made)
        return made

    def key_room(self) -> dict[str, Block]:
        """Where the C surface puts a key; pyACL has room of its own."""
        if self._case.surface != "c":
            return {}
        self._key = self._memory.pageable(65)
        return {"key": self._key}

    def key_length(self, result: Any) -> int:
        """How many characters the key has that a call gave."""
        if self._case.surface != "c":
            return len(result.key)
        return int(self._key.read().tobytes().find(b"\0"))

    # Working

    def fill(self, block: Block, value: int, stream: int | None) -> None:
        """Queue that a block is filled with a byte."""
        self._case.needs("aclrtMemsetAsync")
        size = block.size
        self.must("aclrtMemsetAsync", devPtr=block, maxCount=size, value=value, count=size, stream=stream)

    def fill_in_turn(self, block: Block, values: Sequence[int], stream: int | None) -> None:
        """Queue that a block is filled with each of these bytes, one after the other."""
        for value in values:
            self.fill(block, value, stream)

    def sleeping(self, stream: int | None, seconds: float = 0.05) -> threading.Event:
        """Queue a function that takes so long, and then sets the event."""
        return queue_sleep(self._call, stream, partial(time.sleep, seconds))

    def copy(self, target: Block, source: Block, stream: int | None) -> None:
        """Queue a copy inside the device."""
        args = {"dst": target, "destMax": target.size, "src": source, "count": source.size}
        self.must("aclrtMemcpyAsync", **args, kind="ACL_MEMCPY_DEVICE_TO_DEVICE", stream=stream)

    def record(self, event: int, stream: int | None) -> int:
        """Record an event."""
        self.must("aclrtRecordEvent", event=event, stream=stream)
        return event

    def done(self, event: int, stream: int) -> int:
        """Record an event, and wait until it is complete."""
        self.record(event, stream)
        self.sync(stream)
        return event

    def sync(self, stream: int | None) -> None:
        """Wait for a stream."""
        self.must("aclrtSynchronizeStream", stream=stream)

    def wait_for(self, notifies: Sequence[int], streams: Sequence[int]) -> None:
        """Each of the streams waits for all of these notifies."""
        for stream in streams:
            for notify in notifies:
                self.must("aclrtWaitAndResetNotify", notify=notify, stream=stream, timeout=0)

    def wait_each(self, notifies: Sequence[int], streams: Sequence[int]) -> None:
        """Each of the streams waits for the notify of its place."""
        for notify, stream in zip(notifies, streams, strict=True):
            self.wait_for([notify], [stream])

    def notify_all(self, notifies: Sequence[int], stream: int) -> None:
        """Record all of these notifies."""
        for notify in notifies:
            self.must("aclrtRecordNotify", notify=notify, stream=stream)

    def round(
        self, acl: Any, notify: int, number: int, blocks: Sequence[Block], streams: Sequence[int]
    ) -> int:
        """One stream fills a block and records, the other one waits and copies it; the byte that arrived."""
        acl.call("aclrtWaitAndResetNotify", notify=notify, stream=streams[1], timeout=0)
        self.copy(blocks[1], blocks[0], streams[1])
        self.fill(blocks[0], number, streams[0])
        self.must("aclrtRecordNotify", notify=notify, stream=streams[0])
        self.sync(streams[1])
        return int(blocks[1].read()[-1])

    def event_round(
        self, acl: Any, event: int, number: int, blocks: Sequence[Block], streams: Sequence[int]
    ) -> int:
        """One stream fills a block and records; the other one waits, resets and copies it; the byte that
        arrived.
        """
        self.fill(blocks[0], number, streams[0])
        self.record(event, streams[0])
        self.must("aclrtStreamWaitEvent", stream=streams[1], event=event)
        require(acl.call("aclrtResetEvent", event=event, stream=streams[1]), "resetting an event")
        self.copy(blocks[1], blocks[0], streams[1])
        self.sync(streams[1])
        return int(blocks[1].read()[-1])

    def forget_failures(self, *streams: int) -> list[int]:
        """Hear what there is to hear about streams whose work has failed or was dropped; their codes."""
        codes = [int(self._call("aclrtSynchronizeStream", stream=stream).code) for stream in streams]
        self._call("aclrtSynchronizeDevice")
        return codes

    def noting(self, told: list[Any]) -> Callable[..., int]:
        """A function that keeps what it is told, and answers that all is well."""

        def note(*what: Any) -> int:
            told.append(what)
            return 0

        return note

    def works(self, stream: int | None) -> bool:
        """Whether a stream takes a fill and does it."""
        block = self._memory.device(64).fill(0)
        self.fill(block, 7, stream)
        self.sync(stream)
        return bool((block.read() == 7).all())

    # Looking

    def complete(self, stream: int | None) -> bool:
        """Whether a stream says that it has no work left."""
        return int(self.must("aclrtStreamQuery", stream=stream).status) == COMPLETE

    def pause(self) -> None:
        """Wait long enough for what must not happen to happen."""
        time.sleep(_GRACE_S)

    def held(self, *streams: int | None) -> bool:
        """Whether all of these streams still have work after a moment."""
        self.pause()
        return not any(self.complete(stream) for stream in streams)

    def through(self, *streams: int | None, patience: float = _PATIENCE_S) -> bool:
        """Whether each of these streams gets through its work in so many seconds."""
        return all(self._until(partial(self.complete, stream), patience) for stream in streams)

    def completed(self, *streams: int) -> int:
        """How many of these streams are complete after a moment."""
        self._until(lambda: any(self.complete(stream) for stream in streams))
        self.pause()
        return sum(self.complete(stream) for stream in streams)

    def seconds_through(self, stream: int, patience: float) -> float:
        """After how many seconds a stream has got through its work; `patience` where it has not by then."""
        start = time.monotonic()
        self.through(stream, patience=patience)
        return time.monotonic() - start

    def recorded(self, event: int) -> bool:
        """Whether an event says that it is complete."""
        return int(self.must("aclrtQueryEventStatus", event=event).status) == 1

    def streams_left(self) -> int:
        """How many streams the device still gives."""
        return int(self.must("aclrtGetStreamAvailableNum").streamCount)

    def events_left(self) -> int:
        """How many events the device still gives."""
        return int(self.must("aclrtGetEventAvailNum").eventCount)

    def highest_priority(self) -> int:
        """The number of the highest priority of a stream."""
        return int(self.must("aclrtDeviceGetStreamPriorityRange").greatestPriority)

    def timed(self, api: str, **args: Any) -> tuple[Any, float]:
        """The answer of the surface under test, and the seconds it took."""
        start = time.monotonic()
        result = self._acl.call(api, **args)
        return result, time.monotonic() - start

    # Threads and contexts

    def soon(self, job: Callable[[], object], seconds: float = 0.03) -> None:
        """Do a job in another thread a little later, for a call that waits until then."""
        self._case.resources.at_end(soon(self._case.engine.c, job, seconds).join)

    def context(self) -> int:
        """The current context."""
        return int(self.must("aclrtGetCurrentContext").context)

    def without_context(self, api: str, **args: Any) -> Any:
        """The answer to a call from a thread that has neither device nor context."""
        return alone(partial(self._acl.call, api, **args))

    def from_threads(self, count: int, api: str, **args: Any) -> list[Any]:
        """The answers to the same call from several threads of this context."""
        job = partial(self._do_in, self.context(), partial(self._acl.call, api, **args))
        with ThreadPoolExecutor(count) as pool:
            return [each.result() for each in [pool.submit(job) for _ in range(count)]]

    @contextmanager
    def other_context(self) -> Iterator[None]:
        """A second context of device 0 is current inside the block, and goes away with it."""
        self._case.needs("aclrtCreateContext")
        home = self.context()
        made = self.must("aclrtCreateContext", deviceId=0).context
        try:
            yield
        finally:
            self.must("aclrtDestroyContext", context=made)
            self.must("aclrtSetCurrentContext", context=home)

    @contextmanager
    def second(self, device: int) -> Iterator[None]:
        """A second device is set and current inside the block."""
        home = self.context()
        self.must("aclrtSetDevice", deviceId=device)
        try:
            yield
        finally:
            self.must("aclrtResetDevice", deviceId=device)
            self.must("aclrtSetCurrentContext", context=home)

    # Captures

    @contextmanager
    def capturing(self, stream: int) -> Iterator[None]:
        """A stream is captured inside the block; what that gives is thrown away."""
        self._case.needs("aclmdlRICaptureBegin", "aclmdlRICaptureEnd")
        self.must("aclmdlRICaptureBegin", stream=stream, mode=_RELAXED)
        try:
            yield
        finally:
            self._end_capture(stream)

    def captured(self, api: str, capture: int, before: Callable[[], object] = bool, **args: Any) -> Any:
        """The answer to a call while a stream is captured; that of the end of the capture where the call
        was accepted.
        """
        self._case.needs("aclmdlRICaptureBegin", "aclmdlRICaptureEnd")
        self.must("aclmdlRICaptureBegin", stream=capture, mode=_RELAXED)
        before()
        result = self._acl.call(api, **args)
        ended = self._end_capture(capture)
        return ended if result.ok else result

    def _end_capture(self, stream: int) -> Any:
        ended = self._call("aclmdlRICaptureEnd", stream=stream)
        if ended.ok and ended.modelRI:
            self._case.resources.afterwards("aclmdlRIDestroy", modelRI=ended.modelRI)
        return ended

    def _do_in(self, context: int, job: Callable[[], Any]) -> Any:
        self.must("aclrtSetCurrentContext", context=context)
        return job()

    def _until(self, holds: Callable[[], bool], patience: float = _PATIENCE_S) -> bool:
        end = time.monotonic() + patience
        while not (met := holds()) and time.monotonic() < end:
            time.sleep(_POLL_S)
        return met
