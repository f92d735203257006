"""What model cases arrange on the C surface: datasets over device memory, and runs of loaded models."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from harness.models import Array, Program, Role
from suites.models.loading import Loading
from suites.models.run import Run, arrays_for, with_controls


class Workbench(Loading):
    """Makes what a model case needs, down to a run of a model; everything is given back by its owner."""

    def buffer(self, data: int | None, size: int) -> int:
        """A data buffer."""
        made = int(self.call("aclCreateDataBuffer", data=data, size=size).value)
        self._resources.afterwards("aclDestroyDataBuffer", dataBuffer=made)
        return made

    def dataset(self, buffers: Sequence[int] = ()) -> int:
        """A dataset of these data buffers."""
        made = int(self.call("aclmdlCreateDataset").value)
        self._resources.afterwards("aclmdlDestroyDataset", dataset=made)
        for buffer in buffers:
            self.call("aclmdlAddDatasetBuffer", dataset=made, dataBuffer=buffer)
        return made

    def passing_dataset(self, buffers: Sequence[int]) -> int:
        """A dataset that the case destroys itself."""
        made = int(self.call("aclmdlCreateDataset").value)
        for buffer in buffers:
            self.call("aclmdlAddDatasetBuffer", dataset=made, dataBuffer=buffer)
        return made

    def run_of(self, name: str, id: int | None = None, seed: int = 1, more: int = 0) -> Run:
        """A model of fixed shapes, loaded where no id is given, and everything for a run of it.

        `more` bytes are added to every buffer.
        """
        program = self.models.program(name)
        model = self.load(name) if id is None else id
        return self.run(model, program, arrays_for(program, seed), more)

    def run(self, id: int, program: Program, given: Sequence[Array], more: int = 0) -> Run:
        """Everything for a run on these inputs, whose shapes are the run's."""
        expected = tuple(program.compute(*given))
        inputs, input_blocks = [], []
        for array, size in zip(with_controls(program, given), self._needed(program, given), strict=True):
            block = self.memory.device(size + more)
            if array is not None and array.nbytes:
                block.write(np.ascontiguousarray(array).reshape(-1).view(np.uint8))
            input_blocks.append(block)
            inputs.append(self.buffer(block.ptr, size + more))
        output_blocks = [self.memory.device(max(each.nbytes, 1) + more) for each in expected]
        outputs = [
            self.buffer(block.ptr, each.nbytes + more)
            for block, each in zip(output_blocks, expected, strict=True)
        ]
        return Run(
            id,
            program,
            self.dataset(inputs),
            self.dataset(outputs),
            tuple(input_blocks),
            tuple(output_blocks),
            tuple(inputs),
            tuple(outputs),
            expected,
        )

    def launch(self, run: Run, stream: int) -> dict[str, int]:
        """Execute a run on a stream and wait; which task of which stream that was."""
        self.call("aclmdlExecuteAsync", **run.datasets, stream=stream)
        task = int(self.call("aclrtGetThreadLastTaskId").taskId)
        self.call("aclrtSynchronizeStream", stream=stream)
        stream_id = int(self.call("aclrtStreamGetId", stream=stream).streamId)
        return {"deviceId": 0, "streamId": stream_id, "taskId": task}

    def execute(self, run: Run) -> None:
        """Execute a run and wait; it must succeed."""
        if self.case.supports("aclmdlExecute"):
            self.call("aclmdlExecute", **run.datasets)
            return
        stream = self._resources.stream()
        self.call("aclmdlExecuteV2", **run.datasets, stream=stream, handle=self.execution_config())

    def outcome(self, id: int, name: str, seed: int = 1) -> tuple[bytes, bytes]:
        """What a loaded model computes on the C surface, and what it has to compute."""
        run = self.run_of(name, id, seed)
        self.execute(run)
        return run.result(), run.wanted

    def runs(self, run: Run) -> bool:
        """Whether a run on the C surface works and gives the right outputs."""
        return bool(self._c.call("aclmdlExecute", **run.datasets).ok) and run.result() == run.wanted

    def right_results(self, acl: Any, run: Run, count: int) -> int:
        """Execute a run so many times; how many times the outputs were right."""
        good = 0
        for _ in range(count):
            run.output_blocks[0].fill(0)
            good += bool(acl.call("aclmdlExecute", **run.datasets).ok) and run.result() == run.wanted
        return good

    def _needed(self, program: Program, given: Sequence[Array]) -> list[int]:
        data = iter(given)
        return [next(data).nbytes if each.role is Role.DATA else each.nbytes for each in program.inputs]
