"""What model cases arrange on the C surface: loaded models, datasets over device memory, a run to make."""

from __future__ import annotations

import ctypes
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

from harness.device import require
from harness.models import Array, Program, Role, Tensor
from harness.plugin import Block, Blocked, Case, Models, Resources

UNKNOWN_ID = 0x7FFFFFF0
"""A model id that nobody has handed out."""

LOAD_FROM_FILE = 1

_FROM_FILE = (1, 2)
_WITH_MEMORY = (2, 4)
_SLACK_BYTES = 64 << 20
_LARGEST_PIECE = 32 << 30
_HOARD_PIECE = 16 << 20


@dataclass(frozen=True)
class Run:
    """A loaded model with its datasets: what goes in lies on the device, what has to come out is known."""

    id: int
    program: Program
    input: int
    output: int
    input_blocks: tuple[Block, ...]
    output_blocks: tuple[Block, ...]
    input_buffers: tuple[int, ...]
    output_buffers: tuple[int, ...]
    expected: tuple[Array, ...]

    @property
    def datasets(self) -> dict[str, int]:
        """The arguments that every execute call takes."""
        return {"modelId": self.id, "input": self.input, "output": self.output}

    def result(self) -> bytes:
        """What the outputs hold now, one behind the other, without what buffers have beyond them."""
        pairs = zip(self.output_blocks, self.expected, strict=True)
        return b"".join(block.read()[: wanted.nbytes].tobytes() for block, wanted in pairs)

    @property
    def wanted(self) -> bytes:
        """What the outputs have to hold."""
        return b"".join(each.tobytes() for each in self.expected)


class Hoard:
    """Device memory taken so that little is left."""

    def __init__(self, c: Any) -> None:
        self._c = c
        self._taken: list[int] = []

    def fill(self, piece: int) -> None:
        """Take memory in ever smaller pieces down to `piece` bytes, until there is no more."""
        size = _LARGEST_PIECE
        while size >= piece:
            made = self._c.call("aclrtMalloc", size=size, policy="ACL_MEM_MALLOC_HUGE_FIRST")
            if made.ok:
                self._taken.append(int(made.devPtr))
            else:
                size //= 2

    def give_back(self) -> None:
        """Free everything that is held."""
        while self._taken:
            require(self._c.call("aclrtFree", devPtr=self._taken.pop()), "freeing a hoard")


class Workbench:
    """Makes what a model case needs; everything is given back by its owner."""

    def __init__(self, case: Case, resources: Resources) -> None:
        self.case = case
        self.models = Models(case, resources)
        self.memory = resources.memory()
        self._c = case.engine.c
        self._resources = resources
        self._loaded: list[int] = []
        self._bundles: list[int] = []
        self._destroyed: set[int] = set()

    def call(self, api: str, /, **args: Any) -> Any:
        """A call of the C surface that must succeed."""
        return require(self._c.call(api, **args), "preparing a model")

    def forget(self, id: int) -> None:
        """The case has unloaded this model itself."""
        self._loaded.remove(id)

    def forget_if(self, result: Any, id: int) -> None:
        """The case has unloaded this model where its call succeeded."""
        if result.ok:
            self.forget(id)

    def unload(self, id: int) -> None:
        """Unload a model before the end."""
        self.call("aclmdlUnload", modelId=id)
        self.forget(id)

    def cycles(self, acl: Any, path: str, count: int) -> int:
        """Load and unload a file so many times; how many cycles went well."""
        good = 0
        for _ in range(count):
            loaded = acl.call("aclmdlLoadFromFile", modelPath=path)
            good += bool(loaded.ok and acl.call("aclmdlUnload", modelId=loaded.modelId).ok)
        return good

    def adopt(self, id: int) -> int:
        """A model that the case has loaded: unloaded at the end unless `forget` is told otherwise."""
        self._loaded.append(id)
        context = self.home()
        self._resources.at_end(lambda: self._unload(id, context))
        return id

    def adopted(self, result: Any) -> Any:
        """The result of a load, whose model is unloaded at the end where there is one."""
        if result.ok:
            self.adopt(int(result.modelId))
        return result

    def load(self, name: str) -> int:
        """A loaded model of the catalogue, in the current context; its id."""
        return self.load_file(self.models.file(name))

    def load_file(self, file: Path) -> int:
        """A loaded model; its id."""
        if self.case.supports("aclmdlLoadFromFile"):
            return self.adopt(int(self.call("aclmdlLoadFromFile", modelPath=str(file)).modelId))
        handle = self.config(type=LOAD_FROM_FILE, path=str(file))
        return self.adopt(int(self.call("aclmdlLoadWithConfig", handle=handle).modelId))

    def own_memory(self, name: str) -> dict[str, Any]:
        """Work and weight memory of the sizes that the library tells, as the arguments of a load.

        Blocked for a model that needs none of either.
        """
        file = str(self.models.file(name))
        sizes = self.call("aclmdlQuerySize", fileName=file)
        if not sizes.workSize or not sizes.weightSize:
            raise Blocked(f"{name} needs no work memory or no weights here")
        work, weight = self.memory.device(sizes.workSize), self.memory.device(sizes.weightSize)
        sized = {"workSize": sizes.workSize, "weightSize": sizes.weightSize}
        return {"workPtr": work, "weightPtr": weight, **sized}

    def in_own_memory(self, name: str) -> dict[str, Any]:
        """The arguments of a load from a file into memory of the caller."""
        return {"modelPath": str(self.models.file(name)), **self.own_memory(name)}

    def can_write(self, given: dict[str, Any]) -> bool:
        """Whether work and weight memory still take and keep what the caller writes."""
        blocks = (given["workPtr"], given["weightPtr"])
        return all(bool((block.fill(0x3C).read() == 0x3C).all()) for block in blocks)

    def bundle(self, name: str = "bundle") -> int:
        """A bundle whose models are loaded."""
        file = str(self.models.file(name))
        return self.adopt_bundle(int(self.call("aclmdlBundleLoadFromFile", modelPath=file).bundleId))

    def initialised_bundle(self, name: str = "bundle") -> int:
        """A bundle of which no model is loaded yet."""
        given = {"modelPath": str(self.models.file(name)), "varWeightPtr": None, "varWeightSize": 0}
        return self.adopt_bundle(int(self.call("aclmdlBundleInitFromFile", **given).bundleId))

    def adopt_bundle(self, id: int) -> int:
        """A bundle that the case has made: unloaded at the end unless `unload_bundle` was called."""
        self._bundles.append(id)
        self._resources.at_end(lambda: self.unload_bundle(id) if id in self._bundles else None)
        return id

    def adopted_bundle(self, result: Any) -> Any:
        """The result of a call that makes a bundle, which is unloaded at the end where there is one."""
        if result.ok:
            self.adopt_bundle(int(result.bundleId))
        return result

    def unload_bundle(self, id: int) -> None:
        """Unload a bundle before the end."""
        self._bundles.remove(id)
        self.call("aclmdlBundleUnload", bundleId=id)

    def hoard(self) -> Hoard:
        """Nearly all device memory, so that the model `large` does not fit."""
        hoard = Hoard(self._c)
        self._resources.at_end(hoard.give_back)
        hoard.fill(_HOARD_PIECE)
        return hoard

    def config(self, *, type: int | None = None, path: str | None = None) -> int:
        """A load configuration, with what is given."""
        handle = int(self.call("aclmdlCreateConfigHandle").value)
        self._resources.afterwards("aclmdlDestroyConfigHandle", handle=handle)
        if type is not None:
            self.set_config(handle, "ACL_MDL_LOAD_TYPE_SIZET", ctypes.c_size_t(type))
        if path is not None:
            self.set_config(handle, "ACL_MDL_PATH_PTR", ctypes.c_char_p(path.encode()))
        return handle

    def set_config(self, handle: int, attr: str, value: Any) -> None:
        """Set one load option from a ctypes value."""
        size = ctypes.sizeof(value)
        self.call(
            "aclmdlSetConfigOpt", handle=handle, attr=attr, attrValue=ctypes.byref(value), valueSize=size
        )

    def set_path(self, handle: int, file: Path) -> None:
        """Set the path of a configuration."""
        self.set_config(handle, "ACL_MDL_PATH_PTR", ctypes.c_char_p(str(file).encode()))

    def set_passing_path(self, acl: Any, handle: int, file: Path) -> None:
        """Set the path on the surface under test from a text that is overwritten right after the call."""
        text = ctypes.create_string_buffer(str(file).encode())
        if self.case.surface == "c":
            place = ctypes.c_void_p(ctypes.addressof(text))
            given = {"attr": "ACL_MDL_PATH_PTR", "attrValue": ctypes.byref(place), "valueSize": 8}
        else:
            # pyACL is given the text itself and keeps it as it likes.
            value = ctypes.c_char_p(text.value)
            given = {"attr": "ACL_MDL_PATH_PTR", "attrValue": ctypes.byref(value), "valueSize": 8}
        require(acl.call("aclmdlSetConfigOpt", handle=handle, **given), "setting a path")
        ctypes.memset(text, ord("x"), len(text) - 1)

    def set_image(self, handle: int, image: bytes) -> None:
        """Set address and size of a model in host memory."""
        block = self.memory.pageable(len(image)).write(image)
        self.set_config(handle, "ACL_MDL_MEM_ADDR_PTR", ctypes.c_void_p(block.ptr))
        self.set_config(handle, "ACL_MDL_MEM_SIZET", ctypes.c_size_t(len(image)))

    def set_source(self, handle: int, way: int, name: str) -> None:
        """Set what one of the load types 1 to 4 needs."""
        if way in _FROM_FILE:
            self.set_path(handle, self.models.file(name))
        else:
            self.set_image(handle, self.models.image(name))
        if way in _WITH_MEMORY:
            own = self.own_memory(name)
            for kind, place in (("WORKSPACE", "work"), ("WEIGHT", "weight")):
                pointer = ctypes.c_void_p(own[f"{place}Ptr"].ptr)
                self.set_config(handle, f"ACL_MDL_{kind}_ADDR_PTR", pointer)
                self.set_config(handle, f"ACL_MDL_{kind}_SIZET", ctypes.c_size_t(own[f"{place}Size"]))

    def set_queues(self, handle: int, options: Sequence[str]) -> None:
        """Set these options of a configuration to two queues and their counts."""
        queues = self.queues()
        arrays = [(ctypes.c_uint32 * 1)(*queues[name]) for name in ("inputQ", "outputQ")]
        self._resources.at_end(lambda: arrays.clear())
        for option in options:
            array = arrays[int("OUTPUTQ" in option)]
            pointer = ctypes.c_void_p(ctypes.addressof(array))
            self.set_config(handle, option, ctypes.c_size_t(1) if "NUM" in option else pointer)

    def external_weights(self, name: str) -> dict[str, Any]:
        """The external weights of a model in device memory, as the arguments that announce them."""
        program = self.models.program(name)
        weights = program.weights
        block = self.memory.device(len(weights)).write(weights)
        return {"weightFileName": program.external, "devPtr": block, "size": len(weights)}

    def priority(self, id: int) -> int:
        """The priority of a loaded model."""
        return int(self.call("aclmdlGetAttribute", modelId=id, attr=0).attrValue["mdlPriority"])

    def launch(self, run: Run, stream: int) -> dict[str, int]:
        """Execute a run on a stream and wait; which task of which stream that was."""
        self.call("aclmdlExecuteAsync", **run.datasets, stream=stream)
        task = int(self.call("aclrtGetThreadLastTaskId").taskId)
        self.call("aclrtSynchronizeStream", stream=stream)
        stream_id = int(self.call("aclrtStreamGetId", stream=stream).streamId)
        return {"deviceId": 0, "streamId": stream_id, "taskId": task}

    def variable_bytes(self, name: str) -> int:
        """Bytes of a bundle's variables; blocked for a bundle without any."""
        query = self.bundle_query()
        self.call("aclmdlBundleQueryInfoFromFile", fileName=str(self.models.file(name)), queryInfo=query)
        size = int(self.call("aclmdlBundleGetVarWeightSize", queryInfo=query).variableWeightSize)
        if not size:
            raise Blocked(f"{name} has no variables here")
        return size

    def execution_config(self) -> int:
        """An execution configuration without settings."""
        handle = int(self.call("aclmdlCreateExecConfigHandle").value)
        self._resources.afterwards("aclmdlDestroyExecConfigHandle", handle=handle)
        return handle

    def queues(self) -> dict[str, Any]:
        """The arguments of two queues, for a model with one input and one output."""
        ids = []
        for _ in range(2):
            attr = int(self.call("acltdtCreateQueueAttr").value)
            self._resources.afterwards("acltdtDestroyQueueAttr", attr=attr)
            queue = int(self.call("acltdtCreateQueue", attr=attr).qid)
            self._resources.afterwards("acltdtDestroyQueue", qid=queue)
            ids.append(queue)
        return {"inputQ": [ids[0]], "inputQNum": 1, "outputQ": [ids[1]], "outputQNum": 1}

    def bundle_query(self) -> int:
        """A query about bundles that is not filled."""
        made = int(self.call("aclmdlBundleCreateQueryInfo").value)
        self._resources.afterwards("aclmdlBundleDestroyQueryInfo", queryInfo=made)
        return made

    def description(self, id: int) -> int:
        """The description of a loaded model."""
        desc = self.empty_description()
        self.call("aclmdlGetDesc", modelDesc=desc, modelId=id)
        return desc

    def empty_description(self) -> int:
        """A description that tells nothing yet."""
        desc = int(self.call("aclmdlCreateDesc").value)
        self._resources.afterwards("aclmdlDestroyDesc", modelDesc=desc)
        return desc

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

    def sizes(self, id: int) -> tuple[list[int], list[int]]:
        """Bytes of the inputs and of the outputs as the model's description tells them."""
        desc = self.description(id)
        inputs = range(self._c.call("aclmdlGetNumInputs", modelDesc=desc).value)
        outputs = range(self._c.call("aclmdlGetNumOutputs", modelDesc=desc).value)
        ask = self._c.call
        return (
            [int(ask("aclmdlGetInputSizeByIndex", modelDesc=desc, index=index).value) for index in inputs],
            [int(ask("aclmdlGetOutputSizeByIndex", modelDesc=desc, index=index).value) for index in outputs],
        )

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
        for array, size in zip(_with_controls(program, given), self._needed(program, given), strict=True):
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

    def told(self, desc: int) -> tuple[int, ...]:
        """What a description tells of numbers and sizes."""
        ask = self._c.call
        inputs = int(ask("aclmdlGetNumInputs", modelDesc=desc).value)
        outputs = int(ask("aclmdlGetNumOutputs", modelDesc=desc).value)
        first = int(ask("aclmdlGetInputSizeByIndex", modelDesc=desc, index=0).value)
        return inputs, outputs, first, int(ask("aclmdlGetOutputSizeByIndex", modelDesc=desc, index=0).value)

    def execute(self, run: Run) -> None:
        """Execute a run and wait; it must succeed."""
        if self.case.supports("aclmdlExecute"):
            self.call("aclmdlExecute", **run.datasets)
            return
        stream = self._resources.stream()
        self.call("aclmdlExecuteV2", **run.datasets, stream=stream, handle=self.execution_config())

    def _needed(self, program: Program, given: Sequence[Array]) -> list[int]:
        data = iter(given)
        return [next(data).nbytes if each.role is Role.DATA else each.nbytes for each in program.inputs]

    def context(self) -> int:
        """A context of device 0 beside the case's own; the case's own stays current."""
        home = int(self.call("aclrtGetCurrentContext").context)
        made = int(self.call("aclrtCreateContext", deviceId=0).context)
        self._resources.at_end(lambda: self._destroy_context(made))
        self.go(home)
        return made

    def home(self) -> int:
        """The context that is current."""
        return int(self.call("aclrtGetCurrentContext").context)

    def go(self, context: int) -> None:
        """Make a context current."""
        self.call("aclrtSetCurrentContext", context=context)

    def destroy_context(self, context: int) -> None:
        """Destroy a context before the end."""
        self.call("aclrtDestroyContext", context=context)
        self._destroyed.add(context)

    def free_memory(self) -> int:
        """Free bytes of device memory."""
        told = (self._c.call("aclrtGetMemInfo", attr=attr) for attr in ("ACL_HBM_MEM", "ACL_DDR_MEM"))
        return next(int(info.free) for info in told if info.ok and info.total)

    @property
    def slack(self) -> int:
        """Bytes by which free memory may be off: none on the reference device, which nobody else uses."""
        return 0 if self.case.engine.library.control is not None else _SLACK_BYTES

    def _destroy_context(self, context: int) -> None:
        if context not in self._destroyed:
            self.destroy_context(context)

    def _unload(self, id: int, context: int) -> None:
        """In the context of the load, while there is one."""
        if id in self._loaded:
            self._loaded.remove(id)
            now = self._c.call("aclrtGetCurrentContext")
            self._c.call("aclrtSetCurrentContext", context=context)
            unloaded = self._c.call("aclmdlUnload", modelId=id)
            if now.ok:
                self._c.call("aclrtSetCurrentContext", context=now.context)
            require(unloaded, "unloading a model")


def arrays_for(program: Program, seed: int = 1) -> list[Array]:
    """Small whole numbers for the data inputs of a model with fixed shapes: exact in every element type."""
    return [numbers(each, each.dims, seed + index) for index, each in enumerate(data_inputs(program))]


def numbers(tensor: Tensor, dims: tuple[int, ...], seed: int = 1) -> Array:
    """Small whole numbers in a tensor's element type."""
    return np.random.default_rng(seed).integers(0, 5, dims).astype(tensor.dtype)


def data_inputs(program: Program) -> list[Tensor]:
    """The inputs that take the caller's data."""
    return [each for each in program.inputs if each.role is Role.DATA]


def _with_controls(program: Program, given: Sequence[Array]) -> list[Array | None]:
    """The data for each input; None for control inputs, which settings fill."""
    data = iter(given)
    return [next(data) if each.role is Role.DATA else None for each in program.inputs]
