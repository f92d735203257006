"""Conditional tasks and task groups of captures."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from itertools import pairwise
from typing import Any

from harness.plugin import Block
from suites.graph.captures import HANDLE_BYTES, ON_DEVICE, RELAXED, Captures, Copy, Graph

IF = "ACL_MODEL_RI_COND_TYPE_IF"
WHILE = "ACL_MODEL_RI_COND_TYPE_WHILE"
SWITCH = "ACL_MODEL_RI_COND_TYPE_SWITCH"


class Conditions(Captures):
    """Captures, and what only they can hold."""

    def condition(self, instance: int, value: int = 0) -> int:
        """A condition of an instance under capture, with a value at the start of each execution."""
        flag = "ACL_MODEL_RI_COND_HANDLE_ASSIGN_DEFAULT"
        given = {"modelRI": instance, "defaultLaunchValue": value, "flag": flag}
        return int(self.call("aclmdlRICondHandleCreate", **given).handle)

    def branch(self, instance: int, value: int = 0) -> tuple[dict[str, Any], Block]:
        """The parameters of a conditional task with one body, and where the body's handle comes."""
        body = self._memory.pageable(HANDLE_BYTES).fill(0)
        handle = self.condition(instance, value)
        return {"handle": handle, "type": IF, "size": 1, "modelRIArray": body.ptr}, body

    def body(self, graph: Graph, value: int = 0) -> int:
        """A conditional task in a capture; its body."""
        params, body = self.branch(graph.instance, value)
        self.call("aclmdlRIAddCondTask", params=params, stream=graph.stream, flags=0)
        return self.handles(body, 1)[0]

    def condition_place(self, handle: int) -> int:
        """Where the value of a condition lies on the device."""
        return int(self.call("aclmdlRICondHandleGetCondPtr", handle=handle).ptr)

    def conditional(self, value: int | None, initial: int = 0) -> tuple[int, Copy]:
        """An instance whose one body copies where the condition is not 0, and the copy. The captured tasks
        write `value` into the condition, where there is one, before it is asked.
        """
        graph = self.under_way()
        params, room = self.branch(graph.instance, initial)
        if value is not None:
            self._copy_word(graph.stream, self.condition_place(params["handle"]), self._word(value))
        self.call("aclmdlRIAddCondTask", params=params, stream=graph.stream, flags=0)
        blocks = self.blocks()
        with self._captured_into(self.handles(room, 1)[0]) as side:
            self.copy(side, blocks.source, blocks.target)
        return self.end(graph.stream), blocks

    def choosing(self, kind: str, bodies: int, value: int) -> tuple[int, list[Copy]]:
        """An instance whose conditional task of a kind has so many bodies, each with a copy; the condition
        has this value.
        """
        graph = self.under_way()
        room = self._memory.pageable(HANDLE_BYTES * bodies).fill(0)
        params = {"handle": self.condition(graph.instance, value), "type": kind, "size": bodies}
        asked = {"params": {**params, "modelRIArray": room.ptr}, "stream": graph.stream, "flags": 0}
        self.call("aclmdlRIAddCondTask", **asked)
        copies = [self.blocks() for _ in range(bodies)]
        for body, copy in zip(self.handles(room, bodies), copies, strict=True):
            with self._captured_into(body) as side:
                self.copy(side, copy.source, copy.target)
        return self.end(graph.stream), copies

    def looping(self, rounds: int = 5) -> tuple[int, Copy]:
        """An instance whose loop runs so many times: only then the target holds what the source does."""
        graph, blocks = self.under_way(), self.blocks()
        ways = [blocks.target, *(self.target() for _ in range(rounds - 1)), blocks.source]
        words = [self._word(1) for _ in range(rounds - 1)] + [self._word(0)]
        params, room = self.branch(graph.instance, 1)
        place = self.condition_place(params["handle"])
        self.call("aclmdlRIAddCondTask", params={**params, "type": WHILE}, stream=graph.stream, flags=0)
        with self._captured_into(self.handles(room, 1)[0]) as side:
            for target, source in pairwise(ways):
                self.copy(side, source, target)
            self._copy_word(side, place, words[0])
            for word, following in pairwise(words):
                self._copy_word(side, word.ptr, following)
        return self.end(graph.stream), blocks

    def arrived(self, copies: Sequence[Copy]) -> list[int]:
        """Which of these copies were made."""
        return [
            place for place, copy in enumerate(copies) if (copy.target.read() == copy.source.read()).all()
        ]

    @contextmanager
    def _captured_into(self, body: int) -> Iterator[int]:
        side = self.stream()
        self.call("aclmdlRICaptureToModelRIBegin", stream=side, modelRI=body, mode=RELAXED)
        yield side
        self.call("aclmdlRICaptureEnd", stream=side)

    def _word(self, value: int) -> Block:
        return self._memory.device(HANDLE_BYTES).write(value.to_bytes(HANDLE_BYTES, "little"))

    def _copy_word(self, stream: int, place: int, number: Block) -> None:
        given = {"dst": place, "destMax": HANDLE_BYTES, "src": number, "count": HANDLE_BYTES}
        self.call("aclrtMemcpyAsync", **given, kind=ON_DEVICE, stream=stream)

    def group(self) -> int:
        """A task group without tasks of an instance."""
        stream = self.begin()
        self.call("aclmdlRICaptureTaskGrpBegin", stream=stream)
        group = int(self.call("aclmdlRICaptureTaskGrpEnd", stream=stream).handle)
        self.end(stream)
        return group

    def begin_update(self, group: int, stream: int | None = None) -> int:
        """Update a group on a stream, a fresh one by default, until the end; the stream."""
        stream = self.stream() if stream is None else stream
        self.call("aclmdlRICaptureTaskUpdateBegin", stream=stream, handle=group)
        self._resources.before_waiting(lambda: self._end_update(stream))
        return stream

    def _end_update(self, stream: int) -> None:
        self._c.call("aclmdlRICaptureTaskUpdateEnd", stream=stream)
