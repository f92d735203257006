"""Custom operators: fresh operator types, selectors that take down how they are called, kernels to choose."""

from __future__ import annotations

import ctypes
import itertools
import os
import threading
from collections.abc import Callable
from typing import Any, NamedTuple

from harness.binding import Result
from harness.device import DeviceError, require
from harness.plugin import Blocked, Case, Resources, pattern

KERNEL = "k1"
"""The id of the kernel that is chosen."""

ENGINES = ("ACL_ENGINE_AICORE", "ACL_ENGINE_SYS", "ACL_ENGINE_VECTOR")
BINARY = pattern(256)
FLOAT, FLOAT16, ND = "ACL_FLOAT", "ACL_FLOAT16", "ACL_FORMAT_ND"
INPUTS = ((FLOAT, (2, 3)), (FLOAT, (1, 3)))
OUTPUTS = ((FLOAT16, (2, 3)),)
"""Element type and dims of the tensors that a kernel is chosen for."""

_ANSWER_BY_DEFAULT = 0
_NO_OBJECT_BYTES = 4096
_numbers = itertools.count()

Choose = Callable[[int], Result]
"""What a selector does with its kernel description."""


def fresh_type() -> str:
    """An operator type that is new in this process: what is registered for it may stay registered."""
    return f"HarnessOperator_{os.getpid()}_{next(_numbers)}"


class Selection(NamedTuple):
    """How a selector was called."""

    thread: int
    inputs: tuple[Any, ...]
    outputs: tuple[Any, ...]
    has_attributes: bool


class Selector:
    """A kernel selector: notes its calls, does what it is told, and answers a number."""

    def __init__(self, c: Any, choose: Choose | None = None, answer: int = _ANSWER_BY_DEFAULT) -> None:
        self.calls: list[Selection] = []
        self._c = c
        self._choose = choose
        self._answer = answer
        self._results: list[Result] = []
        self._error: Exception | None = None

    def __call__(
        self, inputs: int, input_descs: Any, outputs: int, output_descs: Any, attributes: int, kernel: int
    ) -> int:
        """What the library calls, with C's arguments or pyACL's."""
        first, second = self._told(inputs, input_descs), self._told(outputs, output_descs)
        self.calls.append(Selection(threading.get_ident(), first, second, bool(attributes)))
        if self._choose is not None:
            try:
                self._results.append(self._choose(kernel))
            except Exception as error:
                self._error = error
        return self._answer

    @property
    def result(self) -> Result:
        """What the call inside the selector gave, or raised; DeviceError where it was not made."""
        if self._error is not None:
            raise self._error
        if not self._results:
            raise DeviceError("the selector was not called")
        return self._results[-1]

    def _told(self, count: int, handles: Any) -> tuple[Any, ...]:
        """Element type and dims of each description, from pyACL's list or C's array."""
        if isinstance(handles, int):
            handles = (ctypes.c_void_p * count).from_address(handles) if handles and count > 0 else ()
        return tuple(self._facts(int(handle or 0)) for handle in handles)

    def _facts(self, desc: int) -> tuple[int, tuple[int, ...]]:
        count = int(self._c.call("aclGetTensorDescNumDims", desc=desc).value)
        dims = (self._c.call("aclGetTensorDescDimV2", desc=desc, index=index) for index in range(count))
        return int(self._c.call("aclGetTensorDescType", desc=desc).value), tuple(int(d.dimSize) for d in dims)


class Selecting:
    """Makes what the choice of a kernel takes; selectors and descriptions go at the end."""

    def __init__(self, acl: Any, case: Case, resources: Resources) -> None:
        self._acl = acl
        self._c = case.engine.c
        self._case = case
        self._resources = resources

    def selector(self, choose: Choose | None = None, answer: int = _ANSWER_BY_DEFAULT) -> Selector:
        """A selector that is not registered yet."""
        return Selector(self._c, choose, answer)

    def registered(self, selector: Selector, type: str = "") -> str:
        """A type, fresh by default, whose selector this is."""
        type = type or fresh_type()
        require(
            self._acl.call("aclopRegisterCompileFunc", opType=type, func=selector), "registering a selector"
        )
        self.unregister_at_end(type)
        return type

    def unregister_at_end(self, type: str) -> None:
        """Take the selector of a type back at the end."""
        self._resources.at_end(lambda: self._c.call("aclopUnregisterCompileFunc", opType=type))

    def arguments(self, type: str, attributes: int | None = None) -> dict[str, Any]:
        """The arguments of a call that chooses a kernel."""
        inputs, outputs = self._descs(INPUTS), self._descs(OUTPUTS)
        counts = {"numInputs": len(inputs), "numOutputs": len(outputs)}
        return {"opType": type, "inputDesc": inputs, "outputDesc": outputs, "attr": attributes, **counts}

    def update(self, type: str) -> Result:
        """The answer to choosing a kernel of a type."""
        result: Result = self._acl.call("aclopUpdateParams", **self.arguments(type))
        return result

    def kernel(self, type: str, id: str = KERNEL, engine: str = "") -> dict[str, Any]:
        """The arguments of a call that registers a kernel; blocked where the library takes none of ours."""
        given = self._kernel(type, id, engine or self._engine())
        # pyACL has a switch in the place of the function.
        return given if self._case.surface == "c" else {**given, "deallocator": ctypes.c_int32(0)}

    def _engine(self) -> str:
        """An engine that kernels are registered for: documents and implementation name different ones."""
        if self._c.library.control is not None:
            return ENGINES[0]
        tried = (
            self._c.call("aclopCreateKernel", **self._kernel(fresh_type(), KERNEL, each)) for each in ENGINES
        )
        taken = [engine for engine, answer in zip(ENGINES, tried, strict=True) if answer.ok]
        if not taken:
            raise Blocked("the library takes no kernel that is not compiled for its device")
        return taken[0]

    def _kernel(self, type: str, id: str, engine: str) -> dict[str, Any]:
        binary = self._resources.memory().pageable(len(BINARY)).write(BINARY)
        named = {"opType": type, "kernelId": id, "kernelName": "harness_kernel", "enginetype": engine}
        return {**named, "binData": binary, "binSize": binary.size, "deallocator": None}

    def with_kernel(self, type: str, id: str = KERNEL) -> str:
        """The type, with a kernel."""
        given = self._kernel(type, id, self._engine())
        require(self._c.call("aclopCreateKernel", **given), "registering a kernel")
        return type

    def no_object(self) -> int:
        """Memory in the place of a description, for products that have none."""
        return self._resources.memory().pageable(_NO_OBJECT_BYTES).fill(0).ptr

    def tiling(self, choice: Any, id: str = KERNEL) -> dict[str, Any]:
        """The arguments of a call that tells which kernel is chosen, with 16 bytes of tiling data."""
        data = self._resources.memory().pageable(16).write(pattern(16))
        return {"kernelDesc": choice, "kernelId": id, "blockDim": 1, "args": data, "argSize": data.size}

    def choosing(self, id: str = KERNEL) -> Choose:
        """What a selector does to choose a kernel."""
        return lambda choice: self._acl.call("aclopSetKernelArgs", **self.tiling(choice, id))

    def ask_workspaces(self, choice: int, sizes: list[int], times: int = 1) -> Result:
        """The last answer to setting workspace sizes so many times, inside a selector."""
        for _ in range(times):
            result: Result = self._acl.call("aclopSetKernelWorkspaceSizes", **self.workspaces(choice, sizes))
        return result

    def workspaces(self, choice: Any, sizes: list[int]) -> dict[str, Any]:
        """The arguments of a call that sets workspace sizes."""
        data = b"".join(size.to_bytes(8, "little") for size in sizes)
        array = self._resources.memory().pageable(len(data)).write(data)
        return {"kernelDesc": choice, "numWorkspaces": len(sizes), "workspaceSizes": array}

    def chosen(self, type: str, selector: Selector) -> int:
        """How many calls of a selector one choice of a kernel makes."""
        before = len(selector.calls)
        self.update(type)
        return len(selector.calls) - before

    def inside(self, call: Choose) -> Result:
        """The answer to a call made inside a selector, where alone there is a kernel description."""
        selector = self.selector(call)
        type = self.registered(selector)
        self.update(type)
        return selector.result

    def expected(self, has_attributes: bool) -> Selection:
        """How a selector has to be called for `arguments`, from this thread."""
        first, second = self._facts(INPUTS), self._facts(OUTPUTS)
        return Selection(threading.get_ident(), first, second, has_attributes)

    def _facts(self, tensors: tuple[Any, ...]) -> tuple[Any, ...]:
        return tuple((self._case.contract.value(type), dims) for type, dims in tensors)

    def _descs(self, tensors: tuple[Any, ...]) -> list[int]:
        """Descriptions; other memory in their place where the product has none."""
        if not self._case.supports("aclCreateTensorDesc"):
            return [self.no_object() for _ in tensors]
        made = []
        for type, dims in tensors:
            given = {"dataType": type, "numDims": len(dims), "dims": list(dims), "format": ND}
            desc = int(require(self._c.call("aclCreateTensorDesc", **given), "making a description").value)
            self._resources.afterwards("aclDestroyTensorDesc", desc=desc)
            made.append(desc)
        return made
