"""Shared buffers: their data, the user's bytes, references and chains."""

from __future__ import annotations

from typing import Any

from harness.device import Block, require
from harness.plugin import Expect, Memory
from suites.services.objects import Objects

SIZE = 4096
"""Bytes of a buffer."""


class Buffers:
    """Makes shared buffers, on the surface under test."""

    def __init__(self, acl: Any, objects: Objects, expect: Expect, memory: Memory) -> None:
        self._acl = acl
        self._objects = objects
        self._expect = expect
        self._memory = memory

    def make(self, size: int = SIZE) -> int:
        """A buffer."""
        made = self._acl.call("acltdtAllocBuf", size=size, type="ACL_TDT_NORMAL_MEM")
        return int(require(made, "making a buffer").buf)

    def data(self, buffer: int) -> int:
        """Where the data of a buffer lie."""
        return int(require(self._acl.call("acltdtGetBufData", buf=buffer), "asking for the data").dataPtr)

    def length(self, buffer: int) -> int:
        """How many bytes of a buffer are in use."""
        answer = self._acl.call("acltdtGetBufDataLen", buf=buffer)
        return int(require(answer, "asking for the length").len)

    def reference(self, buffer: int) -> int:
        """A second reference to a buffer."""
        return int(require(self._acl.call("acltdtCopyBufRef", buf=buffer), "making a reference").newBuf)

    def append(self, head: int, count: int = 1) -> list[int]:
        """Append so many buffers to a chain; they go with its head."""
        appended = []
        for _ in range(count):
            made = self.make(64)
            require(self.try_append(head, made), "appending a buffer")
            appended.append(made)
        return appended

    def try_append(self, head: int, buffer: int) -> Any:
        """What appending a buffer gives."""
        result = self._acl.call("acltdtAppendBufChain", headBuf=head, buf=buffer)
        if result.ok:
            self._objects.forget("acltdtFreeBuf", buffer)
        return result

    def user_bytes(self, buffer: int, size: int) -> Block:
        """The user's bytes of a buffer."""
        room = self._memory.pageable(size)
        answer = self._acl.call("acltdtGetBufUserData", buf=buffer, dataPtr=room, size=size, offset=0)
        require(answer, "reading the user's bytes")
        return room
