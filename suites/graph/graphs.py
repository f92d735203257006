"""Everything that cases do with instances of graphs."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable, Sequence
from pathlib import Path
from typing import Any

import numpy as np

from harness.binding import InOut
from harness.device import require
from harness.plugin import Block, pattern
from suites.graph.building import Building
from suites.graph.captures import BYTES, RELAXED, Copy
from suites.graph.conditions import Conditions
from suites.graph.modes import Modes
from suites.graph.others import Others

NAME_LIMIT = 512
"""Bytes that a name of an instance has at most."""

_FLOAT_BYTES = 4
_SLACK_BYTES = 64 << 20


class Graphs(Building, Conditions, Modes, Others):
    """Captures, builds and executes on the C surface; everything is given back by its owner."""

    def run_each(self, instances: Iterable[int]) -> None:
        """Execute instances one after the other."""
        for instance in instances:
            self.run(instance)

    def run_times(self, instance: int, stream: int, count: int) -> None:
        """Execute so many times and wait."""
        for _ in range(count):
            self.call("aclmdlRIExecuteAsync", modelRI=instance, stream=stream)
        self.wait(stream)

    def right_runs(
        self, instance: int, stream: int, source: Block, targets: Sequence[Block], count: int
    ) -> int:
        """Execute so many times with other bytes in the source; how often they came to all targets."""
        good = 0
        for seed in range(count):
            data = pattern(BYTES, seed)
            source.write(data)
            for target in targets:
                target.fill(0)
            self.run(instance, stream)
            good += all(bool((target.read() == data).all()) for target in targets)
        return good

    def outcome(self, ended: Any) -> str:
        """What executing the instance of a capture that has ended comes to, in words."""
        if not ended.ok or not ended.modelRI:
            return "there is no instance"
        stream = self.stream()
        started = self._c.call("aclmdlRIExecuteAsync", modelRI=ended.modelRI, stream=stream)
        waited = self._c.call("aclrtSynchronizeStream", stream=stream)
        return f"executing: {started.code}, waiting: {waited.code}"

    def counting(self) -> tuple[int, Block, int]:
        """An instance that adds 1 to a float, the float, and the stream it was captured on."""
        self._case.needs("aclrtReduceAsync")
        one, counter = np.array([1], np.float32), self._memory.device(_FLOAT_BYTES).fill(0)
        source = self._memory.device(_FLOAT_BYTES).write(one.view(np.uint8))
        stream = self.begin()
        given = {
            "dst": counter,
            "src": source,
            "count": _FLOAT_BYTES,
            "kind": "ACL_RT_MEMCPY_SDMA_AUTOMATIC_SUM",
        }
        self.call("aclrtReduceAsync", **given, type="ACL_FLOAT", stream=stream, reserve=None)
        return self.end(stream), counter, stream

    def number(self, block: Block) -> float:
        """The float in a block."""
        return float(block.read().view(np.float32)[0])

    def come_and_go(self, count: int, tasks: int) -> tuple[int, int]:
        """Capture so many tasks, execute and destroy, over and over; the streams and the bytes that are
        missing in the end. What the first round has taken may stay.
        """
        stream, blocks = self.stream(), self.blocks()
        self._cycle(stream, blocks, tasks)
        streams, free = self._resources_left()
        for _ in range(count - 1):
            self._cycle(stream, blocks, tasks)
        left = self._resources_left()
        return streams - left[0], free - left[1]

    @property
    def slack(self) -> int:
        """Bytes by which free memory may be off: none on the reference device, which nobody else uses."""
        return 0 if self._c.library.control is not None else _SLACK_BYTES

    def _cycle(self, stream: int, blocks: Copy, tasks: int) -> None:
        self.call("aclmdlRICaptureBegin", stream=stream, mode=RELAXED)
        for _ in range(tasks):
            self.copy(stream, blocks.source, blocks.target)
        instance = int(self.call("aclmdlRICaptureEnd", stream=stream).modelRI)
        self.run_times(instance, stream, 1)
        self.call("aclmdlRIDestroy", modelRI=instance)

    def _resources_left(self) -> tuple[int, int]:
        streams = int(self.call("aclrtGetStreamAvailableNum").streamCount)
        told = (self._c.call("aclrtGetMemInfo", attr=attr) for attr in ("ACL_HBM_MEM", "ACL_DDR_MEM"))
        return streams, next(int(info.free) for info in told if info.ok and info.total)

    def go_home(self) -> None:
        """Make the context current in which the graphs were made."""
        self.call("aclrtSetCurrentContext", context=self._home)

    def function(self, function: Callable[[int], object]) -> Any:
        """A function that the library can call."""
        return self._case.engine.library.callback("aclrtCallback", function)

    def call_back(self, acl: Any, instance: int, function: Callable[[int], object], data: int) -> None:
        """Register a function for the end of an instance."""
        given = {"modelRI": instance, "func": self.function(function), "userData": data}
        require(acl.call("aclmdlRIDestroyRegisterCallback", **given), "registering a function")

    def name(self, acl: Any, instance: int, room: int) -> bytes:
        """The name of an instance, asked for with so much room."""
        block = self._memory.pageable(room)
        answer = acl.call("aclmdlRIGetName", modelRI=instance, maxLen=room, name=block)
        require(answer, "asking for a name")
        return block.read().tobytes().partition(b"\0")[0]

    def no_count(self) -> InOut:
        """A count of 0 that a call writes over."""
        return InOut(0)

    def is_json(self, path: Path) -> bool:
        """Whether a file holds JSON."""
        try:
            json.loads(path.read_text())
        except ValueError:
            return False
        return True
