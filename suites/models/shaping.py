"""Runs whose shape is decided before each of them: by a gear, or by a description in the dataset."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from harness.models import GearKind, Program, Role
from harness.plugin import Resources
from suites.models.run import Run, data_inputs, numbers
from suites.models.workbench import Workbench

GEAR_CALLS = {
    GearKind.BATCH: "aclmdlSetDynamicBatchSize",
    GearKind.IMAGE_SIZE: "aclmdlSetDynamicHWSize",
    GearKind.DIMS: "aclmdlSetInputDynamicDims",
}
"""The call that chooses a gear, by kind."""


class Shaping:
    """Makes such runs on the C surface; everything is given back by its owner."""

    def __init__(self, workbench: Workbench, resources: Resources) -> None:
        self._bench = workbench
        self._resources = resources

    def geared_run(self, name: str, gear: Sequence[int]) -> Run:
        """Everything for a run of a model with gears, in this gear, which is chosen for the next run."""
        run = self.prepared_run(name, gear)
        self.choose(run, gear)
        return run

    def choose(self, run: Run, gear: Sequence[int]) -> None:
        """Choose the gear of a run's next execution."""
        self._bench.call(GEAR_CALLS[run.program.gear_kind], **gear_arguments(run, gear))

    def prepared_run(self, name: str, gear: Sequence[int]) -> Run:
        """Everything for a run of a model with gears, in this gear, which is still to be chosen."""
        program = self._bench.models.program(name)
        dims = geared_dims(program, gear)
        given = [numbers(each, size) for each, size in zip(data_inputs(program), dims, strict=True)]
        return self._bench.run(self._bench.load(name), program, given)

    def shaped_run(self, name: str, rows: int) -> Run:
        """Everything for a run of a dynamic-shape model on so many rows."""
        run = self.unshaped_run(name, rows)
        desc = self.tensor_desc(run.expected[0].shape)
        self._bench.call("aclmdlSetDatasetTensorDesc", dataset=run.input, tensorDesc=desc, index=0)
        return run

    def unshaped_run(self, name: str, rows: int) -> Run:
        """As `shaped_run`, but the dataset does not tell the shape yet."""
        program = self._bench.models.program(name)
        given = numbers(program.inputs[0], (rows, *program.inputs[0].dims[1:]))
        return self._bench.run(self._bench.load(name), program, [given])

    def tensor_desc(self, dims: Sequence[int]) -> int:
        """A description of floats."""
        facts = {"dataType": "ACL_FLOAT", "numDims": len(dims), "dims": list(dims), "format": "ACL_FORMAT_ND"}
        desc = int(self._bench.call("aclCreateTensorDesc", **facts).value)
        self._resources.afterwards("aclDestroyTensorDesc", desc=desc)
        return desc

    def told_shape(self, dataset: int, index: int) -> tuple[int, ...]:
        """The shape in a dataset's tensor description."""
        ask = self._bench.call
        desc = ask("aclmdlGetDatasetTensorDesc", dataset=dataset, index=index).value
        count = ask("aclGetTensorDescNumDims", desc=desc).value
        return tuple(ask("aclGetTensorDescDimV2", desc=desc, index=each).dimSize for each in range(count))


def geared_dims(program: Program, gear: Sequence[int]) -> list[tuple[int, ...]]:
    """The shapes of a model's data inputs in a gear."""
    left = list(gear)
    shapes = []
    for tensor in data_inputs(program):
        if program.gear_kind is GearKind.DIMS:
            shapes.append(tuple(left[: len(tensor.dims)]))
            left = left[len(tensor.dims) :]
        else:
            sizes = iter(gear)
            shapes.append(tuple(next(sizes) if dim < 0 else dim for dim in tensor.dims))
    return shapes


def gear_arguments(run: Run, gear: Sequence[int]) -> dict[str, Any]:
    """The arguments that choose a gear of a model with gears."""
    control = next(index for index, each in enumerate(run.program.inputs) if each.role is Role.GEAR)
    place = {"modelId": run.id, "dataset": run.input, "index": control}
    if run.program.gear_kind is GearKind.BATCH:
        return {**place, "batchSize": gear[0]}
    if run.program.gear_kind is GearKind.IMAGE_SIZE:
        return {**place, "height": gear[0], "width": gear[1]}
    return {**place, "dims": {"dimCount": len(gear), "dims": list(gear)}}
