"""Descriptions of models: filled in every way there is, and what their getters tell."""

from __future__ import annotations

import ctypes
import math
from collections.abc import Sequence
from typing import Any

from harness.binding import Library
from harness.device import require
from harness.models import Program, Tensor
from harness.plugin import Case, Expect
from suites.models.workbench import Workbench

ANY_INDEX = 2**64 - 1
"""The index that calls about all inputs want: -1 in a size_t."""

ORIGINAL_NAMES = "_datadump_original_op_names"
SIDES = ("Input", "Output")


class Descriptions:
    """Makes descriptions on the surface under test, and judges them."""

    def __init__(self, acl: Any, case: Case, expect: Expect, workbench: Workbench) -> None:
        self._acl = acl
        self._case = case
        self._expect = expect
        self._bench = workbench

    # Making

    def empty(self) -> int:
        """A description that tells nothing yet."""
        return int(require(self._acl.call("aclmdlCreateDesc"), "making a description").value)

    def of(self, name: str) -> int:
        """The description of a model that is loaded for it."""
        return self.of_model(self._bench.load(name))

    def of_model(self, model: int) -> int:
        """The description of a loaded model."""
        desc = self.empty()
        require(self._acl.call("aclmdlGetDesc", modelDesc=desc, modelId=model), "describing a model")
        return desc

    def of_file(self, name: str) -> int:
        """The description of a model file."""
        desc = self.empty()
        path = str(self._bench.models.file(name))
        require(self._acl.call("aclmdlGetDescFromFile", modelDesc=desc, modelPath=path), "describing a file")
        return desc

    def of_image(self, name: str) -> int:
        """The description of a model image."""
        desc = self.empty()
        result = self._acl.call("aclmdlGetDescFromMem", modelDesc=desc, **self.image(name))
        require(result, "describing an image")
        return desc

    def image(self, name: str) -> dict[str, Any]:
        """A model in host memory, as arguments."""
        image = self._bench.models.image(name)
        block = self._bench.memory.pageable(len(image)).write(image)
        return {"model": block, "modelSize": len(image)}

    def no_model(self) -> dict[str, Any]:
        """1 KiB that is no model, as arguments."""
        return {"model": self._bench.memory.pageable(1024).fill(0x5A), "modelSize": 1024}

    def free_memory(self) -> list[int]:
        """Free bytes of the device, of each kind of memory it has."""
        told = [
            self._case.engine.c.call("aclrtGetMemInfo", attr=f"ACL_{kind}_MEM") for kind in ("HBM", "DDR")
        ]
        return [result.free for result in told if result.ok]

    # Asking

    def ask(self, api: str, desc: int, index: int) -> Any:
        """The answer to a getter of one input or output."""
        return self._acl.call(api, modelDesc=desc, index=index)

    def count(self, desc: int, side: str) -> int:
        """Number of inputs or outputs."""
        return int(self._acl.call(f"aclmdlGetNum{side}s", modelDesc=desc).value)

    def counts(self, desc: int) -> tuple[int, int]:
        """Numbers of inputs and outputs."""
        return self.count(desc, "Input"), self.count(desc, "Output")

    def names(self, desc: int, side: str) -> list[bytes]:
        """The names of all inputs or outputs."""
        indices = range(self.count(desc, side))
        return [self.ask(f"aclmdlGet{side}NameByIndex", desc, index).value for index in indices]

    def indices(self, desc: int, side: str) -> list[int]:
        """What looking up each name gives."""
        api = f"aclmdlGet{side}IndexByName"
        return [
            self._acl.call(api, modelDesc=desc, name=name.decode()).index for name in self.names(desc, side)
        ]

    def real_name(self, desc: int, name: bytes) -> bytes | None:
        """The full name behind a name."""
        told: bytes | None = self._acl.call(
            "aclmdlGetTensorRealName", modelDesc=desc, name=name.decode()
        ).value
        return told

    def dims(self, desc: int, side: str, index: int = 0) -> Any:
        """The answer to asking for a shape."""
        return self.ask(f"aclmdlGet{side}Dims", desc, index)

    def dims_names(self, desc: int, side: str, count: int) -> list[bytes]:
        """The names that come with the shapes."""
        return [self.dims(desc, side, index).dims["name"].rstrip(b"\0") for index in range(count)]

    def product(self, result: Any) -> int:
        """The number of elements of a told shape."""
        return math.prod(shape(result.dims))

    def bounds(self, result: Any) -> list[tuple[int, ...]]:
        """The told bounds, one pair for each dim."""
        record = result.dimsRange
        return [tuple(pair) for pair in record["range"][: record["rangeCount"]]]

    def facts(self, desc: int) -> list[Any]:
        """Everything a description tells of all inputs and outputs."""
        told: list[Any] = []
        for side in SIDES:
            for index in range(self.count(desc, side)):
                values = [self.ask(f"aclmdlGet{side}{what}", desc, index).value for what in _FACTS]
                dims = self.dims(desc, side, index)
                told.append((side, index, *values, shape(dims.dims)))
        return told

    def kept_text(
        self, library: Library, desc: int, operator: str, others: Sequence[str]
    ) -> tuple[bytes, bytes]:
        """The attribute of an operator when it was told, and after those of others were asked for."""
        function = ctypes.cast(library.raw("aclmdlGetOpAttr"), ctypes.c_void_p).value
        ask = ctypes.CFUNCTYPE(ctypes.c_void_p, ctypes.c_void_p, ctypes.c_char_p, ctypes.c_char_p)(function)
        attribute = ORIGINAL_NAMES.encode()
        text = ask(desc, operator.encode(), attribute)
        if not text:
            self._expect.blocked(f"the model has no operator {operator} with original names")
        before = ctypes.string_at(text)
        for other in others:
            ask(desc, other.encode(), attribute)
        self.facts(desc)
        return before, ctypes.string_at(text)

    # Judging

    def expect_dims(self, result: Any, dims: Sequence[int]) -> None:
        """The call has told this shape."""
        self._expect.success(result)
        self._expect.true("the dims", shape(result.dims), list(dims))

    def expect_same_facts(self, result: Any, desc: int, name: str) -> None:
        """The description that was filled tells what that of the loaded model tells."""
        self._expect.success(result)
        self._expect.true("what is told", self.facts(desc), self.facts(self.of(name)))

    def expect_names(self, desc: int, side: str, tensors: Sequence[Tensor], model: int) -> None:
        """Names of up to 127 characters are told as they are; longer ones lead back to the full name."""
        self.expect_told_names(self.names(desc, side), desc, side, tensors, model)

    def expect_told_names(
        self, told: Sequence[bytes], desc: int, side: str, tensors: Sequence[Tensor], model: int
    ) -> None:
        """These names stand for the tensors; as `expect_names`."""
        for index, (name, tensor) in enumerate(zip(told, tensors, strict=True)):
            full = tensor.name.encode()
            if len(full) < 128:
                self._expect.true(f"name {index}", name, full)
            else:
                begin = f"acl_modelId_{model}_{side.lower()}_{index}".encode()
                self._expect.true(f"how name {index} begins", name[: len(begin)], begin)
            self._expect.true(f"the full name of {index}", self.real_name(desc, name), full)

    def expect_nothing_told(self, desc: int) -> None:
        """The description has no inputs and outputs, no sizes and no names."""
        self._expect.true("inputs and outputs", self.counts(desc), (0, 0))
        for side in SIDES:
            self._expect.true("a size", self.ask(f"aclmdlGet{side}SizeByIndex", desc, 0).value, 0)
            self._expect.true("a name", self.ask(f"aclmdlGet{side}NameByIndex", desc, 0).value, b"")

    def expect_size(self, result: Any, program: Program, dims: Sequence[int], tensor: Tensor) -> None:
        """The size covers the elements of that shape."""
        needed = tensor.dtype.itemsize
        for dim in dims:
            needed *= dim
        self._expect.within(f"bytes of a tensor of {program.name}", result.value, needed, needed + 4096)


_FACTS = ("NameByIndex", "SizeByIndex", "Format", "DataType")


def shape(record: Any) -> list[int]:
    """The dims of a dims record."""
    return list(record["dims"][: record["dimCount"]])
