"""Captured tasks beside plain copies: fills, copies of rows and batches, where a library records them."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from harness.plugin import Block, pattern
from suites.graph.captures import BYTES, Captures

H2D = "ACL_MEMCPY_HOST_TO_DEVICE"

_FILL = 0x5A
_ROW = 16
_WORD = 4


@dataclass(frozen=True)
class Recorded:
    """An instance of one task, and what the task leaves in its target."""

    api: str
    instance: int
    target: Block
    expected: Any


class Others(Captures):
    """Captures of tasks of other kinds."""

    def record_others(self) -> list[Recorded]:
        """An instance for every kind of task that the library takes into a capture."""
        host = self._memory.host(BYTES).write(pattern(BYTES, 9))
        filled, copied = np.full(BYTES, _FILL, np.uint8), pattern(BYTES, 9)
        tasks: dict[str, tuple[Any, Any]] = {
            "aclrtMemsetAsync": (self._fill, filled),
            "aclrtMemsetD32Async": (self._fill_words, filled),
            "aclrtMemcpy2dAsync": (self._rows, copied),
            "aclrtMemcpyBatchAsync": (self._batch, copied),
            "aclrtMemcpyBatchAsyncV2": (self._batch, copied),
        }
        supported = {api: task for api, task in tasks.items() if self._case.supports(api)}
        made = [
            self._record(api, arguments(self.target(), host), expected)
            for api, (arguments, expected) in supported.items()
        ]
        return [recorded for recorded in made if recorded is not None]

    def undone(self, recorded: list[Recorded]) -> list[str]:
        """The functions whose tasks have not left in their targets what they should."""
        return [one.api for one in recorded if not (one.target.read() == one.expected).all()]

    def _record(self, api: str, given: tuple[Block, dict[str, Any]], expected: Any) -> Recorded | None:
        target, arguments = given
        stream = self.begin()
        taken = self._c.call(api, **arguments, stream=stream)
        ended = self._ended(stream)
        if not taken.ok or not ended.ok or not ended.modelRI:
            return None
        return Recorded(api, int(ended.modelRI), target, expected)

    def _fill(self, target: Block, host: Block) -> tuple[Block, dict[str, Any]]:
        return target, {"devPtr": target, "maxCount": BYTES, "value": _FILL, "count": BYTES}

    def _fill_words(self, target: Block, host: Block) -> tuple[Block, dict[str, Any]]:
        value = int.from_bytes(bytes([_FILL] * _WORD), "little")
        return target, {"ptr": target, "memSize": BYTES, "value": value, "N": BYTES // _WORD}

    def _rows(self, target: Block, host: Block) -> tuple[Block, dict[str, Any]]:
        rows = {"dpitch": _ROW, "spitch": _ROW, "width": _ROW, "height": BYTES // _ROW}
        return target, {"dst": target, "src": host, **rows, "kind": H2D}

    def _batch(self, target: Block, host: Block) -> tuple[Block, dict[str, Any]]:
        place = {"type": "ACL_MEM_LOCATION_TYPE_HOST", "id": 0}
        there = {"type": "ACL_MEM_LOCATION_TYPE_DEVICE", "id": 0}
        arrays = {"dsts": [target.ptr], "destMaxs": [BYTES], "srcs": [host.ptr], "sizes": [BYTES]}
        entry = {"srcLoc": place, "dstLoc": there, "rsv": [0] * 16}
        return target, {**arrays, "numBatches": 1, "attrs": [entry], "attrsIndexes": [0], "numAttrs": 1}
