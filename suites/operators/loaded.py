"""Loaded operators, and jobs for them: descriptions, buffers and what has to come out."""

from __future__ import annotations

import ctypes
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np

from harness.device import require
from harness.models import Array, Tensor
from harness.models.program import FORMATS, TYPES
from harness.plugin import Block, Case, Models, Resources
from suites.computed import Computed

WITH_HANDLE = "aclopExecWithHandle"
UNKNOWN_TYPE = "NoSuchOperator_x"
"""A type of operators that nobody has."""

NOTHING = "ACL_DT_UNDEFINED", "ACL_FORMAT_UNDEFINED"

_IMAGES: dict[bytes, Any] = {}
"""The images that were loaded: whether the library still reads them nobody says, so they stay."""


@dataclass(frozen=True)
class Job(Computed):
    """One operator on its tensors. `inputs` and `outputs` are data buffers, `descs` describe them."""

    type: str
    input_descs: tuple[int, ...]
    inputs: tuple[int, ...]
    output_descs: tuple[int, ...]
    outputs: tuple[int, ...]
    attributes: int | None
    input_blocks: tuple[Block, ...]
    output_blocks: tuple[Block, ...]
    expected: tuple[Array, ...]

    @property
    def buffers(self) -> dict[str, Any]:
        """Inputs and outputs, as the arguments of every call that executes."""
        return {
            "numInputs": len(self.inputs),
            "inputs": list(self.inputs),
            "numOutputs": len(self.outputs),
            "outputs": list(self.outputs),
        }

    @property
    def described(self) -> dict[str, Any]:
        """The operator and its descriptions, as the arguments of every call that looks it up."""
        return {
            "opType": self.type,
            "numInputs": len(self.input_descs),
            "inputDesc": list(self.input_descs),
            "numOutputs": len(self.output_descs),
            "outputDesc": list(self.output_descs),
        }

    @property
    def for_handle(self) -> dict[str, Any]:
        """The arguments of aclopCreateHandle."""
        return {**self.described, "opAttr": self.attributes}

    def on(self, stream: int | None) -> dict[str, Any]:
        """The arguments of aclopExecute and aclopExecuteV2."""
        return {**self.described, **self.buffers, "attr": self.attributes, "stream": stream}

    def changed(self, **fields: Any) -> Job:
        """A copy with other fields."""
        return replace(self, **fields)


class LoadedOperators:
    """Loads operators and makes jobs for them, on the C surface; everything is given back by its owner."""

    def __init__(self, case: Case, resources: Resources) -> None:
        self.models = Models(case, resources)
        self.memory = resources.memory()
        self._case = case
        self._c = case.engine.c
        self._resources = resources

    def call(self, api: str, /, **args: Any) -> Any:
        """A call that must succeed."""
        return require(self._c.call(api, **args), "preparing an operator")

    # Loading

    def image(self, name: str) -> dict[str, int]:
        """The image of an operator's model, which stays where it is, as the arguments of a load."""
        data = self.models.image(name)
        buffer = _IMAGES.setdefault(data, ctypes.create_string_buffer(data, len(data)))
        return {"model": ctypes.addressof(buffer), "modelSize": len(data)}

    def passing_image(self, name: str) -> tuple[dict[str, Any], Block]:
        """The image of an operator's model in memory that the case may write over, and this memory."""
        data = self.models.image(name)
        block = self.memory.pageable(len(data)).write(data)
        return {"model": block, "modelSize": len(data)}, block

    def load(self, *names: str) -> None:
        """Load these operators."""
        self._case.needs("aclopLoad")
        for name in names:
            self.call("aclopLoad", **self.image(name))

    def folder(self, files: Mapping[str, str]) -> str:
        """A folder with an operator's model in each of these folders below it; its path."""
        root = self.models.folder()
        for place, name in files.items():
            below = root / place
            below.mkdir(parents=True, exist_ok=True)
            (below / f"{name}.om").write_bytes(self.models.image(name))
        return str(root)

    def missing_folder(self) -> str:
        """The path of a folder that does not exist."""
        return str(Path(self.models.folder()) / "missing")

    # Making

    def loaded_job(self, name: str, seed: int = 1) -> Job:
        """A job for an operator that is loaded here."""
        self.load(name)
        return self.job(name, seed)

    def job_for_handle(self, name: str) -> Job:
        """A job for a handle: the operator is loaded where the product can load one."""
        if self._case.supports("aclopLoad"):
            self.load(name)
        return self.job(name)

    def job(self, name: str, seed: int = 1, dims: tuple[int, ...] | None = None) -> Job:
        """A job for an operator, whether it is loaded or not; every input has `dims` where they are given."""
        program = self.models.program(name)
        single = program.single
        assert single is not None
        inputs = [
            single.constants.get(index, _numbers(each, dims or each.dims, seed + index))
            for index, each in enumerate(program.inputs)
        ]
        expected = tuple(program.compute(*inputs))
        blocks = [self._input(each) for each in inputs]
        greatest = [
            each.shape if dims else greatest_dims(tensor)
            for tensor, each in zip(program.outputs, expected, strict=True)
        ]
        outputs = [
            self.memory.device(int(np.prod(shape)) * each.itemsize)
            for shape, each in zip(greatest, expected, strict=True)
        ]
        left_out = range(single.left_out)
        job = Job(
            single.type,
            (
                *(self.desc(tensor, each.shape) for tensor, each in zip(program.inputs, inputs, strict=True)),
                *(self.nothing() for _ in left_out),
            ),
            (
                *(self.buffer(block, block.size) for block in blocks),
                *(self.buffer(None, 0) for _ in left_out),
            ),
            tuple(self.desc(tensor, shape) for tensor, shape in zip(program.outputs, greatest, strict=True)),
            tuple(self.buffer(block, block.size) for block in outputs),
            self.attributes(dict(single.attributes)),
            tuple(blocks),
            tuple(outputs),
            expected,
        )
        for index, data in single.constants.items():
            self.set_constant(job, index, data)
        return job

    def unknown_job(self) -> Job:
        """A job for an operator that nobody has loaded: one vector in, one out."""
        pair = self.job("op_add")
        return pair.changed(
            type=UNKNOWN_TYPE, input_descs=pair.input_descs[:1], inputs=pair.inputs[:1], expected=()
        )

    def with_host_input(self, job: Job) -> Job:
        """The same job with its second input in host memory."""
        block = self.memory.pageable(job.input_blocks[1].size).write(job.input_blocks[1].read())
        self.call("aclSetTensorPlaceMent", desc=job.input_descs[1], memType="ACL_MEMTYPE_HOST")
        return job.changed(inputs=(job.inputs[0], self.buffer(block, block.size)))

    def with_empty_output(self, job: Job) -> Job:
        """The same job with an output that has no elements."""
        return job.changed(output_descs=(self._desc(TYPES["float32"][0], FORMATS["ND"], (0,)),))

    def set_constant(self, job: Job, index: int, data: Array) -> None:
        """Make an input a constant with these elements, in its description and in its memory."""
        raw = data.view(np.uint8)
        kind = self.memory.device if self._case.shares_memory else self.memory.host
        block = kind(raw.nbytes).write(raw)
        self.call("aclSetTensorConst", desc=job.input_descs[index], dataBuffer=block, length=raw.nbytes)
        job.input_blocks[index].write(raw)

    def workers(self, acl: Any, api: str, count: int, rounds: int) -> list[Callable[[], int]]:
        """For so many threads a job each on a stream of its own: executes it, and tells how often it was
        right.
        """
        self.load("op_add")
        made = []
        for seed in range(count):
            job = self.job("op_add", seed)
            args = self.asked(api, job, self.stream())
            made.append(partial(self.right_results, acl, api, args, job, rounds))
        return made

    def desc(self, tensor: Tensor, dims: Sequence[int]) -> int:
        """The description of a tensor of a program."""
        return self._desc(TYPES[tensor.type][0], FORMATS[tensor.format], dims)

    def open_desc(self, bounds: tuple[int, int] | None) -> int:
        """The description of a vector of floats whose length lies between these bounds, if there are any."""
        made = self._desc(TYPES["float32"][0], FORMATS["ND"], (-1,))
        if bounds is not None:
            self.call("aclSetTensorShapeRange", desc=made, dimsCount=1, dimsRange=[list(bounds)])
        return made

    def nothing(self) -> int:
        """The description of an optional input that is left out."""
        return self._desc(*NOTHING, ())

    def buffer(self, block: Block | None, size: int) -> int:
        """A data buffer."""
        made = int(self.call("aclCreateDataBuffer", data=block, size=size).value)
        self._resources.afterwards("aclDestroyDataBuffer", dataBuffer=made)
        return made

    def attributes(self, values: Mapping[str, bool | int]) -> int | None:
        """A set of these attributes; NULL for none."""
        if not values:
            return None
        made = int(self.call("aclopCreateAttr").value)
        self._resources.at_end(lambda: self._give_back("aclopDestroyAttr", attr=made))
        for name, value in values.items():
            api = "aclopSetAttrBool" if isinstance(value, bool) else "aclopSetAttrInt"
            self.call(api, attr=made, attrName=name, attrValue=int(value))
        return made

    def handle(self, job: Job) -> int:
        """A handle of a job's operator."""
        made = int(self.call("aclopCreateHandle", **job.for_handle).handle)
        self._resources.at_end(lambda: self._give_back("aclopDestroyHandle", handle=made))
        return made

    def passing_handle(self, job: Job) -> int:
        """A handle that the case destroys itself."""
        return int(self.call("aclopCreateHandle", **job.for_handle).handle)

    def stream(self) -> int:
        """A stream of device 0."""
        return self._resources.stream()

    def _give_back(self, api: str, **args: int) -> None:
        self._c.call(api, **args)

    def _desc(self, dtype: int | str, layout: int | str, dims: Sequence[int]) -> int:
        given = {"dataType": dtype, "numDims": len(dims), "dims": list(dims), "format": layout}
        made = int(self.call("aclCreateTensorDesc", **given).value)
        self._resources.at_end(lambda: self._give_back("aclDestroyTensorDesc", desc=made))
        return made

    def _input(self, data: Array) -> Block:
        raw = np.ascontiguousarray(data).reshape(-1).view(np.uint8)
        return self.memory.device(raw.nbytes).write(raw)

    # Running

    def asked(self, api: str, job: Job, stream: int | None) -> dict[str, Any]:
        """The arguments of any call that executes a job."""
        if api == WITH_HANDLE:
            return {"handle": self.handle(job), **job.buffers, "stream": stream}
        return job.on(stream)

    def wait(self, stream: int) -> None:
        """Wait until all work of a stream is done."""
        self.call("aclrtSynchronizeStream", stream=stream)

    def works(self, job: Job) -> bool:
        """Whether a job runs on the C surface and gives the right outputs."""
        stream = self.stream()
        done = self._c.call("aclopExecuteV2", **job.on(stream)).ok
        return bool(self._c.call("aclrtSynchronizeStream", stream=stream).ok and done) and (
            job.result() == job.wanted
        )

    def works_each(self, *names: str) -> list[bool]:
        """Which of these operators execute as they are loaded now."""
        return [self.works(self.job(name)) for name in names]

    def right_results(self, acl: Any, api: str, args: dict[str, Any], job: Job, count: int) -> int:
        """Execute a job so many times, waiting after each; how many times the outputs were right."""
        good = 0
        for _ in range(count):
            job.output_blocks[0].fill(0)
            done = acl.call(api, **args).ok
            waited = acl.call("aclrtSynchronizeStream", stream=args["stream"]).ok
            good += bool(done and waited) and job.result() == job.wanted
        return good

    def outcome_with(self, acl: Any, made: Any, job: Job, stream: int) -> str:
        """What executing through a handle that was asked for comes to, in words; the handle goes."""
        if not made.ok:
            return "there is no handle"
        result = acl.call(WITH_HANDLE, handle=made.handle, **job.buffers, stream=stream)
        waited = acl.call("aclrtSynchronizeStream", stream=stream)
        acl.call("aclopDestroyHandle", handle=made.handle)
        return f"executing: {result.code}, waiting: {waited.code}"

    def handles_come_and_go(self, acl: Any, job: Job, stream: int, count: int) -> int:
        """Make a handle, execute and destroy it so many times; how many times the outputs were right."""
        good = 0
        for _ in range(count):
            handle = int(require(acl.call("aclopCreateHandle", **job.for_handle), "making a handle").handle)
            args = {"handle": handle, **job.buffers, "stream": stream}
            good += self.right_results(acl, WITH_HANDLE, args, job, 1)
            acl.call("aclopDestroyHandle", handle=handle)
        return good

    def told_dims(self, desc: int) -> list[int]:
        """The dims that a description tells."""
        count = int(self._c.call("aclGetTensorDescNumDims", desc=desc).value)
        each = (self.call("aclGetTensorDescDimV2", desc=desc, index=index) for index in range(count))
        return [int(told.dimSize) for told in each]


def _numbers(tensor: Tensor, dims: Sequence[int], seed: int) -> Array:
    """Small whole numbers, with zeros among them: exact in every element type."""
    return np.random.default_rng(seed).integers(0, 5, tuple(dims)).astype(tensor.dtype)


def greatest_dims(tensor: Tensor) -> tuple[int, ...]:
    """The dims of a tensor, the greatest where they are open."""
    bounds = tensor.bounds or [(0, 0)] * len(tensor.dims)
    return tuple(most if dim < 0 else dim for dim, (_, most) in zip(tensor.dims, bounds, strict=True))
