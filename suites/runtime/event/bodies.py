"""Captures into the body of a conditional task."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager

from harness.plugin import Case, Memory
from suites.runtime.desk import Desk

_MODE = "ACL_MODEL_RI_CAPTURE_MODE_RELAXED"
_HANDLE_BYTES = 8


class Bodies:
    """What the tests of captured bodies do; blocked where there are no conditional tasks."""

    def __init__(self, case: Case, desk: Desk, memory: Memory) -> None:
        case.needs("aclmdlRICaptureBegin", "aclmdlRICondHandleCreate", "aclmdlRICaptureToModelRIBegin")
        self._desk, self._memory = desk, memory

    @contextmanager
    def captured(self, stream: int, inside: int) -> Iterator[None]:
        """Inside the block one stream is captured with a conditional task, and the other into its body."""
        must = self._desk.must
        with self._desk.capturing(stream):
            model = must("aclmdlRICaptureGetInfo", stream=stream).modelRI
            condition = must("aclmdlRICondHandleCreate", modelRI=model, defaultLaunchValue=0, flag=0).handle
            room = self._memory.pageable(_HANDLE_BYTES).fill(0)
            task = {"handle": condition, "type": "ACL_MODEL_RI_COND_TYPE_IF", "size": 1}
            must("aclmdlRIAddCondTask", params={**task, "modelRIArray": room.ptr}, stream=stream, flags=0)
            body = int.from_bytes(room.read().tobytes(), "little")
            must("aclmdlRICaptureToModelRIBegin", stream=inside, modelRI=body, mode=_MODE)
            try:
                yield
            finally:
                must("aclmdlRICaptureEnd", stream=inside)
