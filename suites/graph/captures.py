"""Captures that are under way, what is put on their streams, and the instances that come of them."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from harness.binding import InOut
from harness.device import require
from harness.plugin import Block, Case, Resources, pattern

GLOBAL = "ACL_MODEL_RI_CAPTURE_MODE_GLOBAL"
THREAD_LOCAL = "ACL_MODEL_RI_CAPTURE_MODE_THREAD_LOCAL"
RELAXED = "ACL_MODEL_RI_CAPTURE_MODE_RELAXED"

BYTES = 64
"""Bytes that a copy of a graph moves."""

MOST = 4
"""Room of arrays for streams and for tasks."""

ON_DEVICE = "ACL_MEMCPY_DEVICE_TO_DEVICE"
HANDLE_BYTES = 8
SYNC_EVENT = 1

_NO_ROOM = "ACL_ERROR_RT_NO_EVENT_RESOURCE"


@dataclass(frozen=True)
class Copy:
    """A copy on the device."""

    source: Block
    target: Block


@dataclass(frozen=True)
class Graph:
    """An instance in the making, and the stream that its tasks are put on."""

    instance: int
    stream: int


class Captures:
    """Captures on the C surface; everything is given back by its owner."""

    def __init__(self, case: Case, resources: Resources) -> None:
        self._case = case
        self._c = case.engine.c
        self._resources = resources
        self._memory = resources.memory()
        self._alive: set[int] = set()
        self._captured: list[int] = []
        self._home = int(self.call("aclrtGetCurrentContext").context)

    def call(self, api: str, /, **args: Any) -> Any:
        """A call that must succeed."""
        return require(self._c.call(api, **args), "preparing a graph")

    def begin(self, stream: int | None = None, mode: str = RELAXED) -> int:
        """A stream, a fresh one by default, that is captured until the end."""
        stream = self._resources.stream() if stream is None else stream
        self.call("aclmdlRICaptureBegin", stream=stream, mode=mode)
        self.end_later(stream)
        return stream

    def end_later(self, stream: int) -> None:
        """The case has begun a capture: it ends at the end where it is still under way."""
        self._captured.append(stream)
        self._resources.before_waiting(lambda: self.abandon(stream))

    def begin_or_end(self, acl: Any, stream: int | None, mode: str = RELAXED) -> Any:
        """The answer to beginning a capture of a stream, or to its end where it could begin."""
        begun = acl.call("aclmdlRICaptureBegin", stream=stream, mode=mode)
        if not begun.ok:
            return begun
        return self._ended(stream)

    def record(self, mode: str) -> tuple[int, Copy]:
        """Capture one copy on a fresh stream; the instance and its copy."""
        source, target = self.block(), self.target()
        stream = self.begin(mode=mode)
        copy = self.copy(stream, source, target)
        return self.end(stream), copy

    def default_stream(self) -> int:
        """The handle of the default stream."""
        self._case.needs("aclrtCtxGetCurrentDefaultStream")
        return int(self.call("aclrtCtxGetCurrentDefaultStream").stream)

    def stream(self) -> int:
        """An ordinary stream."""
        return self._resources.stream()

    def destroyed_stream(self) -> int:
        """The handle of a stream that is gone."""
        stream = int(self.call("aclrtCreateStream").stream)
        self.call("aclrtDestroyStream", stream=stream)
        return stream

    def passing_stream(self) -> int:
        """A stream that goes with its context, or that the case destroys itself."""
        return int(self.call("aclrtCreateStream").stream)

    def event(self) -> int:
        """An event that captures can record."""
        event = int(self.call("aclrtCreateEventExWithFlag", flag=SYNC_EVENT).event)
        self._resources.afterwards("aclrtDestroyEvent", event=event)
        return event

    def follow(self, stream: int, other: int) -> None:
        """What comes on the other stream waits for what is on this one, which draws it into the capture."""
        event = self.event()
        self.call("aclrtRecordEvent", event=event, stream=stream)
        self.call("aclrtStreamWaitEvent", stream=other, event=event)

    def side(self, stream: int) -> int:
        """A stream that is drawn into a capture."""
        side = self.stream()
        self.follow(stream, side)
        return side

    def joined(self) -> tuple[int, int]:
        """A stream that is being captured, and one that was drawn in and joined back."""
        stream = self.begin()
        side = self.side(stream)
        self.follow(side, stream)
        return stream, side

    def unjoined(self) -> list[int]:
        """Streams whose captures lack a join: of the one side stream, which has a task or none, of one of
        two, and of one that a side stream has drawn in.
        """
        busy, idle, one_of_two, far = (self.begin() for _ in range(4))
        self.copy(self.side(busy))
        self.side(idle)
        first, second = self.side(one_of_two), self.side(one_of_two)
        self.copy(second)
        self.follow(first, one_of_two)
        near = self.side(far)
        self.copy(self.side(near))
        self.follow(near, far)
        return [busy, idle, one_of_two, far]

    def recorded(self, stream: int) -> int:
        """An event that is recorded on a stream."""
        event = self.event()
        self.call("aclrtRecordEvent", event=event, stream=stream)
        return event

    def abandon(self, stream: int) -> None:
        """End a capture where one is under way; its instance goes."""
        told = self._c.call("aclmdlRICaptureGetInfo", stream=stream)
        if not told.ok or told.status == 0:
            return
        ended = self._c.call("aclmdlRICaptureEnd", stream=stream)
        if ended.ok and ended.modelRI:
            self.call("aclmdlRIDestroy", modelRI=ended.modelRI)

    def end(self, stream: int) -> int:
        """End a capture; the instance."""
        return self.keep(int(self.call("aclmdlRICaptureEnd", stream=stream).modelRI))

    def _ended(self, stream: int) -> Any:
        return self.try_end(self._c, stream)

    def try_end(self, acl: Any, stream: int) -> Any:
        """The answer to the end of a capture; where it gives an instance, that is kept."""
        ended = acl.call("aclmdlRICaptureEnd", stream=stream)
        if ended.ok and ended.modelRI:
            self.keep(int(ended.modelRI))
        return ended

    def end_all(self) -> None:
        """End every capture that is under way."""
        for stream in self._captured:
            self.abandon(stream)

    def broken(self) -> int:
        """A stream whose capture an illegal call has broken: it waited for an event of another capture."""
        stream, other, event = self.begin(), self.begin(), self.event()
        self.call("aclrtRecordEvent", event=event, stream=other)
        self._c.call("aclrtStreamWaitEvent", stream=stream, event=event)
        return stream

    def without_wait(self) -> int:
        """A stream whose capture has lost a wait: the call for it failed though nothing was wrong; blocked
        where that cannot be brought about.
        """
        control, stream = self._c.library.control, self.begin()
        if control is None:
            self._case.expect.blocked("only the reference device can be told to let a call fail")
        event, side = self.recorded(stream), self.stream()
        control.inject_call_error("aclrtStreamWaitEvent", self._case.contract.value(_NO_ROOM))
        waited = self._c.call("aclrtStreamWaitEvent", stream=side, event=event)
        self._case.expect.true("the wait has failed", waited.ok, False)
        return stream

    def time_is_over(self, answer: Any) -> bool:
        """Whether a call says that the time for it is over."""
        return int(answer.code) == self._case.contract.value("ACL_ERROR_RT_STREAM_SYNC_TIMEOUT")

    def keep(self, instance: int) -> int:
        """An instance that the case has made: destroyed at the end unless `forget` was told."""
        self._alive.add(instance)
        self._resources.at_end(lambda: self._destroy(instance))
        return instance

    def forget(self, instance: int) -> None:
        """The call under test has destroyed an instance."""
        self._alive.discard(instance)

    def captured(self) -> int:
        """An instance of one captured copy."""
        stream = self.begin()
        self.copy(stream)
        return self.end(stream)

    def destroyed(self) -> int:
        """The handle of an instance that is gone."""
        instance = self.captured()
        self.call("aclmdlRIDestroy", modelRI=instance)
        self.forget(instance)
        return instance

    def info(self, stream: int) -> tuple[int, int]:
        """Status and instance of a stream's capture."""
        told = self.call("aclmdlRICaptureGetInfo", stream=stream)
        return int(told.status), int(told.modelRI)

    def under_way(self) -> Graph:
        """A stream that is being captured and the instance that comes of it."""
        stream = self.begin()
        return Graph(self.info(stream)[1], stream)

    def copy(self, stream: int, source: Block | None = None, target: Block | None = None) -> Copy:
        """Put a copy of 64 bytes on a stream, of fresh blocks by default."""
        made = Copy(source or self.block(), target or self.target())
        blocks = {"dst": made.target, "destMax": BYTES, "src": made.source, "count": BYTES}
        self.call("aclrtMemcpyAsync", **blocks, kind=ON_DEVICE, stream=stream)
        return made

    def try_copy(
        self, stream: int, source: Block | None = None, target: Block | None = None, kind: str = ON_DEVICE
    ) -> Any:
        """The answer to a copy on a stream."""
        target = target or self.target()
        given = {"dst": target, "destMax": BYTES, "src": source or self.block(), "count": BYTES}
        return self._c.call("aclrtMemcpyAsync", **given, kind=kind, stream=stream)

    def copy_or_end(self, stream: int, source: Block, target: Block, kind: str) -> Any:
        """The answer to a copy in a capture, or to its end where the copy was accepted."""
        tried = self.try_copy(stream, source, target, kind)
        return self._ended(stream) if tried.ok else tried

    def call_or_end(self, acl: Any, on: int, api: str, /, **args: Any) -> Any:
        """The answer to a call while a stream is being captured, or to the end where it was accepted."""
        answer = acl.call(api, **args)
        return self._ended(on) if answer.ok else answer

    def block(self, seed: int = 1) -> Block:
        """Device memory with bytes of its own."""
        return self._memory.device(BYTES).write(pattern(BYTES, seed))

    def target(self) -> Block:
        """Device memory full of zeros."""
        return self._memory.device(BYTES).fill(0)

    def blocks(self) -> Copy:
        """The blocks of a copy that is not made yet."""
        return Copy(self.block(), self.target())

    def array(self) -> Block:
        """Room for handles."""
        return self._memory.pageable(MOST * HANDLE_BYTES).fill(0)

    def handles(self, block: Block, count: int) -> list[int]:
        """The first handles of an array."""
        return [int(each) for each in block.view().view("uint64")[:count]]

    def streams(self, instance: int) -> list[int]:
        """The streams of an instance."""
        room = self.array()
        told = self.call("aclmdlRIGetStreams", modelRI=instance, streams=room, numStreams=InOut(MOST))
        return self.handles(room, int(told.numStreams))

    def tasks(self, instance: int) -> list[int]:
        """The tasks of an instance's first stream."""
        room = self.array()
        given = {"stream": self.streams(instance)[0], "tasks": room}
        told = self.call("aclmdlRIGetTasksByStream", **given, numTasks=InOut(MOST))
        return self.handles(room, int(told.numTasks))

    def copies(self, stream: int, count: int) -> None:
        """Put so many copies on a stream."""
        blocks = self.blocks()
        for _ in range(count):
            self.copy(stream, blocks.source, blocks.target)

    def run(self, instance: int, stream: int | None = None) -> None:
        """Execute an instance on a stream, a fresh one by default, and wait for it."""
        stream = self._resources.stream() if stream is None else stream
        self.call("aclmdlRIExecuteAsync", modelRI=instance, stream=stream)
        self.wait(stream)

    def wait(self, stream: int | None) -> None:
        """Wait for a stream, or for the default one."""
        self.call("aclrtSynchronizeStream", stream=stream)

    def _destroy(self, instance: int) -> None:
        if instance in self._alive:
            self._alive.discard(instance)
            self.call("aclmdlRIDestroy", modelRI=instance)
