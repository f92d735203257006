"""Streams that are made with a configuration handle."""

from __future__ import annotations

from typing import Any

from harness.device import require
from harness.plugin import Case, Memory, pattern

_SIZE = 64


class Configured:
    """What the tests of configuration handles do; streams and handles are given back at the end."""

    def __init__(self, acl: Any, case: Case, memory: Memory) -> None:
        self._acl, self._memory, self._resources = acl, memory, case.resources
        self._call = case.engine.c.call

    def handle(self) -> int:
        """A handle that the caller destroys."""
        return int(self._call("aclrtCreateStreamConfigHandle").value)

    def kept_handle(self) -> int:
        """A handle that is destroyed at the end."""
        made = self.handle()
        self._resources.afterwards("aclrtDestroyStreamConfigHandle", handle=made)
        return made

    def choose(self, handle: int, priority: int) -> Any:
        """The answer to choosing a priority."""
        value = self._memory.pageable(4).write(priority.to_bytes(4, "little"))
        given = {"attr": "ACL_RT_STREAM_PRIORITY", "attrValue": value, "valueSize": 4}
        return self._acl.aclrtSetStreamConfigOpt(handle=handle, **given)

    def stream(self, priority: int | None) -> Any:
        """The answer to making a stream, or the refusal of the priority before; the handle has gone then."""
        handle = self.handle()
        result = None if priority is None else self.choose(handle, priority)
        if result is None or result.ok:
            result = self._acl.aclrtCreateStreamV2(handle=handle)
            if result.ok:
                self._resources.afterwards("aclrtDestroyStream", stream=result.stream)
        require(self._call("aclrtDestroyStreamConfigHandle", handle=handle), "destroying a handle")
        return result

    def copies(self, stream: int) -> bool:
        """Whether a copy to the device and back arrives on a stream."""
        data = pattern(_SIZE)
        there, back = self._memory.device(_SIZE), self._memory.host(_SIZE)
        source = self._memory.host(_SIZE).write(data)
        self._copy(there, source, "ACL_MEMCPY_HOST_TO_DEVICE", stream)
        self._copy(back, there, "ACL_MEMCPY_DEVICE_TO_HOST", stream)
        require(self._call("aclrtSynchronizeStream", stream=stream), "waiting for the copies")
        return back.read().tobytes() == bytes(data)

    def _copy(self, target: Any, source: Any, kind: str, stream: int) -> None:
        ends = {"dst": target.ptr, "destMax": _SIZE, "src": source.ptr, "count": _SIZE}
        queued = self._call("aclrtMemcpyAsyncWithCondition", **ends, kind=kind, stream=stream)
        require(queued, "queueing a copy")
