"""Kernels in captures: tasks that can be grouped, updated and disabled."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from harness.plugin import Block, Case, Resources
from suites.graph.graphs import Graphs
from suites.kernels.workbench import FILL, KernelBench, address, packed, word

WORDS = 4
"""Numbers that a kernel writes."""


class Kernels:
    """Kernels that write a number into a block; blocked where there are none."""

    def __init__(self, case: Case, resources: Resources, graphs: Graphs) -> None:
        case.needs("aclrtLaunchKernelV2")
        self._bench, self._graphs, self._case = KernelBench(case, resources), graphs, case
        self._fill = self._bench.kernel(FILL)

    def targets(self, count: int) -> list[Block]:
        """So many blocks full of zeros."""
        return [self._bench.memory.device(4 * WORDS).fill(0) for _ in range(count)]

    def launch(self, stream: int, targets: Sequence[Block], first: int) -> None:
        """Put a kernel on a stream for each block: they write `first`, and one more each time."""
        for number, target in enumerate(targets, first):
            data = self._bench.on_device(packed(FILL, address(target), word(number), word(WORDS)))
            given = {"argsData": data, "argsSize": data.size, "cfg": None, "stream": stream}
            self._bench.must("aclrtLaunchKernelV2", funcHandle=self._fill, numBlocks=1, **given)

    def captured(self, targets: Sequence[Block]) -> int:
        """The instance of a capture of such kernels, which write 1 and up."""
        stream = self._graphs.begin()
        self.launch(stream, targets, 1)
        return self._graphs.end(stream)

    def grouped(self, targets: Sequence[Block]) -> tuple[int, int]:
        """The same as a task group; the instance and the group."""
        instance, (group,) = self.groups(targets)
        return instance, group

    def groups(self, *targets: Sequence[Block]) -> tuple[int, list[int]]:
        """The same with a task group for each of these targets; the instance and the groups."""
        stream, groups = self._graphs.begin(), []
        for group in targets:
            self._graphs.call("aclmdlRICaptureTaskGrpBegin", stream=stream)
            self.launch(stream, group, 1)
            groups.append(int(self._graphs.call("aclmdlRICaptureTaskGrpEnd", stream=stream).handle))
        return self._graphs.end(stream), groups

    def updated(self, group: int, targets: Sequence[Block], first: int) -> None:
        """Update a group so that its kernels write `first` and up, and wait for the update."""
        stream = self._graphs.begin_update(group)
        self.launch(stream, targets, first)
        self._graphs.call("aclmdlRICaptureTaskUpdateEnd", stream=stream)
        self._graphs.wait(stream)

    def tasks(self, instance: int) -> list[int]:
        """The kernels of an instance's first stream."""
        return [task for task in self._graphs.tasks(instance) if self._is_kernel(task)]

    def numbers(self, targets: Sequence[Block]) -> list[list[int]]:
        """What the blocks hold."""
        return [[int(each) for each in target.read().view("uint32")] for target in targets]

    def _is_kernel(self, task: int) -> bool:
        told: Any = self._graphs.call("aclmdlRITaskGetType", task=task)
        return int(told.type) == self._case.contract.value("ACL_MODEL_RI_TASK_KERNEL")


def all_of(numbers: Sequence[int]) -> list[list[int]]:
    """Blocks that are full of one of these numbers each."""
    return [[number] * WORDS for number in numbers]
