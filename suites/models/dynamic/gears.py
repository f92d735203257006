"""Choosing the shape of the next run, and runs that must follow it."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import Any

import numpy as np

from harness.models import GearKind
from harness.plugin import Case, Expect
from suites.models.run import Run
from suites.models.shaping import GEAR_CALLS, Shaping, gear_arguments
from suites.models.workbench import Workbench

MODELS = {
    "aclmdlSetDynamicBatchSize": "batch",
    "aclmdlSetDynamicHWSize": "image_size",
    "aclmdlSetInputDynamicDims": "dim_gears",
}
"""The model whose gears a call chooses."""

CONTROL_INPUT = "ascend_mbatch_shape_data"


class Gears:
    """Chooses gears on the surface under test, and judges the runs."""

    def __init__(self, acl: Any, case: Case, expect: Expect, workbench: Workbench, shaping: Shaping) -> None:
        self._acl = acl
        self._case = case
        self._expect = expect
        self._bench = workbench
        self._shaping = shaping

    def run(self, api: str, number: int = 0) -> tuple[Run, tuple[int, ...]]:
        """Everything for a run in the gear of that number, still to be chosen, and the gear."""
        name = MODELS[api]
        gear = self._bench.models.program(name).gears[number]
        return self._shaping.prepared_run(name, gear), gear

    def set(self, run: Run, gear: Sequence[int]) -> Any:
        """The answer to choosing a gear."""
        return self._acl.call(GEAR_CALLS[run.program.gear_kind], **gear_arguments(run, gear))

    def set_otherwise(self, run: Run) -> Any:
        """The answer to choosing a gear by the call for another kind of them."""
        other = GearKind.IMAGE_SIZE if run.program.gear_kind is GearKind.BATCH else GearKind.BATCH
        gear = (2,) if other is GearKind.BATCH else (8, 8)
        arguments = gear_arguments(replace(run, program=run.program.changed(gear_kind=other)), gear)
        return self._acl.call(GEAR_CALLS[other], **arguments)

    def set_in(self, run: Run, gear: Sequence[int], size: int, address: int | None = -1) -> Any:
        """The answer to choosing a gear where the control input has so many bytes, or another address."""
        return self.set(self.with_control(run, size, address), gear)

    def with_control(self, run: Run, size: int, address: int | None = -1) -> Run:
        """The same run where the control input has so many bytes, or another address."""
        block = self._bench.memory.device(max(size, 1))
        control = self._bench.buffer(block.ptr if address == -1 else address, size)
        dataset = self._bench.dataset([*run.input_buffers[:-1], control])
        return replace(run, input=dataset, input_blocks=(*run.input_blocks[:-1], block))

    def set_for_static(self, run: Run, gear: Sequence[int]) -> tuple[Any, Run]:
        """The answer to choosing a gear of a model of fixed shapes, and a run of that model."""
        static = self._bench.run_of("affine")
        return self.set(replace(run, id=static.id), gear), static

    def execute(self, run: Run) -> Any:
        """The answer to running a model, on the C surface."""
        return self._case.engine.c.call("aclmdlExecute", **run.datasets)

    def control(self, run: Run, width: int, count: int) -> list[int]:
        """The numbers in the control input, of so many bytes each."""
        held = run.input_blocks[-1].read()[: width * count]
        return [int(number) for number in np.ascontiguousarray(held).view(f"<i{width}")]

    def control_index(self, run: Run) -> Any:
        """The answer to looking up the control input's name."""
        desc = self._bench.description(run.id)
        return self._acl.call("aclmdlGetInputIndexByName", modelDesc=desc, name=CONTROL_INPUT)

    def control_size(self, run: Run, index: int) -> int:
        """Bytes of an input as the model's description tells them."""
        desc = self._bench.description(run.id)
        return int(self._acl.call("aclmdlGetInputSizeByIndex", modelDesc=desc, index=index).value)

    def expect_run(self, result: Any, run: Run) -> None:
        """The gear was taken, and the run gives what it has to give in it."""
        self._expect.success(result)
        self.expect_right(run)

    def expect_right(self, run: Run) -> None:
        """The run gives what it has to give."""
        self._expect.success(self.execute(run))
        self._expect.data(run.result(), run.wanted, "the outputs")

    def expect_runs(self, *runs: tuple[Run, tuple[int, ...]]) -> None:
        """Runs of one model in several gears, each chosen before it, give what they have to give."""
        model = runs[0][0].id
        for run, gear in runs:
            here = replace(run, id=model)
            self.expect_run(self.set(here, gear), here)
