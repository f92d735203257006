"""Conditional tasks and task groups of captures."""

from __future__ import annotations

from typing import Any

from harness.plugin import Block
from suites.graph.captures import HANDLE_BYTES, ON_DEVICE, RELAXED, Captures, Copy, Graph

IF = "ACL_MODEL_RI_COND_TYPE_IF"


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
            place, number = self.condition_place(params["handle"]), self._memory.device(HANDLE_BYTES)
            number.write(value.to_bytes(HANDLE_BYTES, "little"))
            given = {"dst": place, "destMax": HANDLE_BYTES, "src": number, "count": HANDLE_BYTES}
            self.call("aclrtMemcpyAsync", **given, kind=ON_DEVICE, stream=graph.stream)
        self.call("aclmdlRIAddCondTask", params=params, stream=graph.stream, flags=0)
        side, blocks = self.stream(), self.blocks()
        (body,) = self.handles(room, 1)
        self.call("aclmdlRICaptureToModelRIBegin", stream=side, modelRI=body, mode=RELAXED)
        self.copy(side, blocks.source, blocks.target)
        self.call("aclmdlRICaptureEnd", stream=side)
        return self.end(graph.stream), blocks

    def group(self) -> int:
        """A task group without tasks of an instance."""
        stream = self.begin()
        self.call("aclmdlRICaptureTaskGrpBegin", stream=stream)
        group = int(self.call("aclmdlRICaptureTaskGrpEnd", stream=stream).handle)
        self.end(stream)
        return group

    def begin_update(self, group: int) -> None:
        """An update of a group on a stream of its own, until the end."""
        stream = self.stream()
        self.call("aclmdlRICaptureTaskUpdateBegin", stream=stream, handle=group)
        self._resources.before_waiting(lambda: self._end_update(stream))

    def _end_update(self, stream: int) -> None:
        self._c.call("aclmdlRICaptureTaskUpdateEnd", stream=stream)
