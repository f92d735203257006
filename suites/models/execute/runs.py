"""Runs of models on every call that executes one."""

from __future__ import annotations

import ctypes
import threading
from collections.abc import Sequence
from dataclasses import replace
from typing import Any

import numpy as np

from harness.device import require
from harness.models import Array
from harness.plugin import Block, Case, Resources
from suites.models.run import Run, data_inputs, numbers
from suites.models.workbench import Workbench

EXECUTES = ("aclmdlExecute", "aclmdlExecuteV2", "aclmdlExecuteAsync")
MODEL = "affine"
PAIR = "two_by_two"
MORE = 4096


class Runs:
    """Arguments for the calls that execute a model, and what they come to."""

    def __init__(self, case: Case, resources: Resources, workbench: Workbench) -> None:
        self.case = case
        self.workbench = workbench
        self._c = case.engine.c
        self._resources = resources
        self._stream = 0

    @property
    def stream(self) -> int:
        """The stream of the calls that take one."""
        if not self._stream:
            self._stream = self._resources.stream()
        return self._stream

    def args(self, api: str, run: Run, **changed: Any) -> dict[str, Any]:
        """The arguments of an execute call."""
        takes_stream = api != "aclmdlExecute" and "stream" not in changed
        more: dict[str, Any] = {"stream": self.stream} if takes_stream else {}
        if api.endswith("V2"):
            more["handle"] = self.workbench.execution_config()
        return {**run.datasets, **more, **changed}

    def outcome(self, api: str, result: Any) -> Any:
        """What an execute call has come to: its own result, or that of the wait behind it."""
        if api != "aclmdlExecuteAsync" or not result.ok:
            return result
        waited = self._c.call("aclrtSynchronizeStream", stream=self.stream)
        return result if waited.ok else waited

    def own_stream(self) -> int:
        """A stream of the current context, which goes with that context."""
        return int(self.workbench.call("aclrtCreateStream").stream)

    def stream_here(self, api: str) -> dict[str, int | None]:
        """The default stream of the current context for a call that takes a stream.

        A product without default streams gets one of its own.
        """
        if api == "aclmdlExecute":
            return {}
        if self.case.supports("aclrtCreateStream"):
            return {"stream": self.own_stream()}
        handle = self.workbench.call("aclrtCreateStreamConfigHandle").value
        made = int(self.workbench.call("aclrtCreateStreamV2", handle=handle).stream)
        self.workbench.call("aclrtDestroyStreamConfigHandle", handle=handle)
        return {"stream": made}

    def in_turn(self, acl: Any, run: Run, turn: threading.Lock, count: int) -> int:
        """Execute a run so many times, each time with the lock held; how often the outputs were right."""
        good = 0
        for _ in range(count):
            with turn:
                good += bool(acl.call("aclmdlExecute", **run.datasets).ok) and run.result() == run.wanted
        return good

    def side_by_side(self, acl: Any, runs: Sequence[tuple[Run, int]], rounds: int) -> int:
        """Each round, queue every run on its stream, then wait for all; how many outputs were right."""
        good = 0
        for _ in range(rounds):
            for run, stream in runs:
                run.output_blocks[0].fill(0)
                acl.call("aclmdlExecuteAsync", **run.datasets, stream=stream)
            for run, stream in runs:
                waited = self._c.call("aclrtSynchronizeStream", stream=stream)
                good += waited.ok and run.result() == run.wanted
        return good

    def poison(self, run: Run) -> None:
        """Give the model `failing` an input that it fails with."""
        run.input_blocks[0].write(np.full(run.program.inputs[0].dims, -1, np.float32).view(np.uint8))

    def refill(self, run: Run) -> None:
        """Give the model `failing` the input that the run was made for, which comes out again."""
        run.input_blocks[0].write(run.expected[0].reshape(-1).view(np.uint8))

    def inputs(self, buffers: Sequence[int]) -> int:
        """A dataset."""
        return self.workbench.dataset(buffers)

    def last_shrunk(self, buffers: Sequence[int], block: Block, size: int) -> int:
        """A dataset of these buffers, but the last is one over the beginning of a block."""
        return self.workbench.dataset([*buffers[:-1], self.workbench.buffer(block.ptr, size)])

    def last_without_memory(self, buffers: Sequence[int]) -> int:
        """A dataset of these buffers, but the last is one without address and size."""
        return self.workbench.dataset([*buffers[:-1], self.workbench.buffer(None, 0)])

    def on_host(self, run: Run) -> Run:
        """The same run with its inputs and outputs in plain host memory."""
        pageable = self.workbench.memory.pageable
        inputs = [pageable(block.size).write(block.read()) for block in run.input_blocks]
        outputs = [pageable(block.size) for block in run.output_blocks]
        made = self.workbench.buffer
        return replace(
            run,
            input=self.workbench.dataset([made(block.ptr, block.size) for block in inputs]),
            output=self.workbench.dataset([made(block.ptr, block.size) for block in outputs]),
            input_blocks=tuple(inputs),
            output_blocks=tuple(outputs),
        )

    def tail_is_untouched(self, run: Run) -> bool:
        """Whether what output buffers have beyond the outputs is as the harness filled it."""
        pairs = zip(run.output_blocks, run.expected, strict=True)
        return all(bool((block.read()[wanted.nbytes :] == 0xEE).all()) for block, wanted in pairs)

    def shaped(self, name: str, dims: tuple[int, ...], id: int | None = None) -> Run:
        """A run of a dynamic-shape model on inputs of these dims, which its dataset tells."""
        program = self.workbench.models.program(name)
        given: list[Array] = [numbers(each, dims) for each in data_inputs(program)]
        run = self.workbench.run(self.workbench.load(name) if id is None else id, program, given)
        for index in range(len(given)):
            self.describe(run.input, index, dims)
        return run

    def described_dataset(self, dims: tuple[int, ...]) -> int:
        """A dataset of one buffer with a shape, which the case destroys itself."""
        self.case.needs("aclmdlSetDatasetTensorDesc")
        buffer = self.workbench.buffer(self.workbench.memory.device(64).ptr, 64)
        dataset = self.workbench.passing_dataset([buffer])
        self.describe(dataset, 0, dims)
        return dataset

    def describe(self, dataset: int, index: int, dims: tuple[int, ...]) -> None:
        """Tell the shape of an entry of a dataset; the description given goes at once."""
        fields: dict[str, Any] = {"dataType": "ACL_FLOAT", "format": "ACL_FORMAT_ND"}
        desc = self.workbench.call("aclCreateTensorDesc", numDims=len(dims), dims=list(dims), **fields).value
        self.workbench.call("aclmdlSetDatasetTensorDesc", dataset=dataset, tensorDesc=desc, index=index)
        self._c.call("aclDestroyTensorDesc", desc=desc)

    def told_dims(self, desc: int) -> list[int]:
        """The dims that a tensor description tells."""
        count = int(self._c.call("aclGetTensorDescNumDims", desc=desc).value)
        return [
            int(self.workbench.call("aclGetTensorDescDimV2", desc=desc, index=index).dimSize)
            for index in range(count)
        ]

    def deterministic(self) -> None:
        """Switch deterministic computing on, until the end of the case."""
        self.case.needs("aclrtSetSysParamOpt")
        self.workbench.call("aclrtSetSysParamOpt", opt="ACL_OPT_DETERMINISTIC", value=1)
        self._resources.afterwards("aclrtSetSysParamOpt", opt="ACL_OPT_DETERMINISTIC", value=0)

    def bounded(self, milliseconds: int) -> int:
        """An execution configuration with a bound."""
        handle = self.workbench.execution_config()
        value = ctypes.c_int32(milliseconds)
        given = {"attr": "ACL_MDL_STREAM_SYNC_TIMEOUT", "attrValue": ctypes.byref(value), "valueSize": 4}
        self.workbench.call("aclmdlSetExecConfigOpt", handle=handle, **given)
        return handle

    def repeated(self, acl: Any, run: Run, count: int) -> list[bytes]:
        """The outputs of each of several synchronous runs; empty for one that fails."""
        made = []
        for _ in range(count):
            run.output_blocks[0].fill(0)
            made.append(run.result() if acl.call("aclmdlExecute", **run.datasets).ok else b"")
        return made

    def each(self, api: str, acl: Any, run: Run, count: int) -> set[bytes]:
        """The different outputs of several runs by one call; empty bytes stand for one that failed."""
        seen = set()
        for _ in range(count):
            run.output_blocks[0].fill(0)
            result = self.outcome(api, acl.call(api, **self.args(api, run)))
            seen.add(run.result() if result.ok else b"")
        return seen

    def taken_output(self, run: Run) -> tuple[bytes, int]:
        """What the library's own output memory holds, and its size; the memory is freed."""
        buffer = run.output_buffers[0]
        address = int(self._c.call("aclGetDataBufferAddr", dataBuffer=buffer).value or 0)
        size = int(self._c.call("aclGetDataBufferSizeV2", dataBuffer=buffer).value)
        if not address:
            return b"", size
        host = np.empty(size, np.uint8)
        kind = "ACL_MEMCPY_DEVICE_TO_HOST"
        self.workbench.call("aclrtMemcpy", dst=host, destMax=size, src=address, count=size, kind=kind)
        self.workbench.call("aclrtFree", devPtr=address)
        return host.tobytes(), size

    def with_open_output(self, name: str, dims: tuple[int, ...]) -> Run:
        """A run of a dynamic-shape model whose output buffer has no memory."""
        run = self.shaped(name, dims)
        buffer = self.workbench.buffer(None, 0)
        return replace(run, output=self.workbench.dataset([buffer]), output_buffers=(buffer,))

    def passed_through(self, acl: Any, run: Run, seed: int, stream: int | None) -> tuple[Array, Block]:
        """Queue a copy of other data in, the run, and a copy out; that data, and where it has to arrive."""
        array = self.copy_in(run, seed, stream)
        require(acl.call("aclmdlExecuteAsync", **run.datasets, stream=stream), "queueing a run")
        return array, self.copy_out(run, stream)

    def copy_in(self, run: Run, seed: int, stream: int | None) -> Array:
        """Queue a copy of other data into the only input; that data."""
        array = numbers(run.program.inputs[0], run.program.inputs[0].dims, seed)
        source = self.workbench.memory.host(array.nbytes).write(array.reshape(-1).view(np.uint8))
        given = {"destMax": array.nbytes, "count": array.nbytes, "kind": "ACL_MEMCPY_HOST_TO_DEVICE"}
        arguments = {"dst": run.input_blocks[0], "src": source, **given}
        require(self._c.call("aclrtMemcpyAsync", **arguments, stream=stream), "copying in")
        return array

    def copy_out(self, run: Run, stream: int | None) -> Block:
        """Queue a copy of the only output into host memory."""
        size = run.expected[0].nbytes
        target = self.workbench.memory.host(size)
        given = {"destMax": size, "count": size, "kind": "ACL_MEMCPY_DEVICE_TO_HOST", "stream": stream}
        require(
            self._c.call("aclrtMemcpyAsync", dst=target, src=run.output_blocks[0], **given), "copying out"
        )
        return target
