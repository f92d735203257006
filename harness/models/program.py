"""What a model of ours is: tensors in and out, constants, and a few steps; and what numpy makes of it.

The reference device runs such models as they are. `docs/model-format.md` lists the fields of the messages.
"""

from __future__ import annotations

import enum
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

import numpy as np
import numpy.typing as npt

from harness.models import envelope, wire

Array = npt.NDArray[Any]

GEAR_INPUT = "ascend_mbatch_shape_data"
AIPP_INPUT = "ascend_dynamic_aipp_data"

TYPES: Mapping[str, tuple[int, str]] = {
    "float32": (0, "f4"),
    "float16": (1, "f2"),
    "int8": (2, "i1"),
    "int32": (3, "i4"),
    "uint8": (4, "u1"),
    "int16": (6, "i2"),
    "uint16": (7, "u2"),
    "uint32": (8, "u4"),
    "int64": (9, "i8"),
    "uint64": (10, "u8"),
    "float64": (11, "f8"),
    "bool": (12, "u1"),
}
"""Element types: aclDataType and numpy's name."""

FORMATS: Mapping[str, int] = {"NCHW": 0, "NHWC": 1, "ND": 2}


class Role(enum.IntEnum):
    """What an input is for."""

    DATA = 0
    GEAR = 1
    AIPP = 2


class Op(enum.IntEnum):
    """What a step does. `delay` takes time; `reject_negative` fails where its operand has such an element;
    `find_nonzero` lists the indices of the elements that are not 0; `cast` gives elements the result's type;
    `gemm` makes alpha * A * B + beta * C of A, B, C, alpha and beta.
    """

    COPY = 1
    ADD = 2
    MUL = 3
    MATMUL = 4
    REDUCE_SUM = 5
    DELAY = 6
    REJECT_NEGATIVE = 7
    FIND_NONZERO = 8
    CAST = 9
    GEMM = 10


class Transposed(enum.IntFlag):
    """Which matrices of a gemm are stored so: the parameter of its step."""

    NONE = 0
    A = 1
    B = 2


class GearKind(enum.IntEnum):
    """Which setting chooses among the shapes a model was built for."""

    NONE = 0
    BATCH = 1
    IMAGE_SIZE = 2
    DIMS = 3


@dataclass(frozen=True)
class Tensor:
    """An input or output. A dim of -1 is known at execution; `bounds` are (least, most or -1) of each."""

    name: str
    dims: tuple[int, ...]
    type: str = "float32"
    format: str = "ND"
    bounds: tuple[tuple[int, int], ...] = ()
    role: Role = Role.DATA

    @property
    def dtype(self) -> np.dtype[Any]:
        """The element type for numpy."""
        return np.dtype(TYPES[self.type][1])

    @property
    def nbytes(self) -> int:
        """Bytes of the tensor; 0 where a dim is not known."""
        return 0 if -1 in self.dims else int(np.prod(self.dims, dtype=np.int64)) * self.dtype.itemsize


@dataclass(frozen=True)
class Value:
    """A constant (with `data`), or an intermediate result of `size` bytes at an offset in the work memory."""

    type: str = "float32"
    dims: tuple[int, ...] = ()
    data: Array | None = None
    offset: int = 0
    size: int = 0


@dataclass(frozen=True)
class Step:
    """One operation. Operands count through inputs, outputs and values."""

    op: Op
    operands: tuple[int, ...] = ()
    result: int = 0
    parameter: int = 0


@dataclass(frozen=True)
class Aipp:
    """Preprocessing of the image that an input takes; sizes in pixels."""

    input: int
    dynamic: bool = False
    format: int = 1
    width: int = 0
    height: int = 0
    batch: int = 1


@dataclass(frozen=True)
class Operator:
    """What tools are told of one operator."""

    name: str
    original_names: str = ""


@dataclass(frozen=True)
class SingleOperator:
    """What a single-operator model is called by, besides its inputs and outputs.

    `left_out` is the number of optional inputs behind the others that it does without; `constants` are the
    inputs whose data were fixed when it was built.
    """

    type: str
    attributes: tuple[tuple[str, bool | int], ...] = ()
    left_out: int = 0
    constants: Mapping[int, Array] = field(default_factory=dict)


@dataclass(frozen=True)
class Program:
    """A model. `external` is the name of the file that holds its constants instead of the model itself;
    `single` makes it a single-operator model.
    """

    name: str
    inputs: tuple[Tensor, ...]
    outputs: tuple[Tensor, ...]
    steps: tuple[Step, ...]
    values: tuple[Value, ...] = ()
    gear_kind: GearKind = GearKind.NONE
    gears: tuple[tuple[int, ...], ...] = ()
    dynamic: bool = False
    work_bytes: int = 0
    product: str = ""
    operators_version: str = "1.0"
    checks_host: bool = False
    external: str = ""
    aipps: tuple[Aipp, ...] = ()
    operators: tuple[Operator, ...] = ()
    single: SingleOperator | None = None
    header: Mapping[str, int | bytes] = field(default_factory=dict)

    @property
    def weights(self) -> bytes:
        """The constants, one behind the other."""
        return b"".join(value.data.tobytes() for value in self.values if value.data is not None)

    def write(self) -> bytes:
        """The model file."""
        inside = b"" if self.external else self.weights
        parts = [
            envelope.Partition(envelope.GRAPH, self._graph()),
            envelope.Partition(envelope.WEIGHTS, inside),
            envelope.Partition(envelope.TASKS, self._tasks()),
        ]
        values: dict[str, int | bytes] = {
            "name": self.name.encode()[:31],
            "checks_host": int(self.checks_host),
            "unknown_shapes": int(self.dynamic),
            **self.header,
        }
        return envelope.pack(parts, values)

    def compute(self, *given: Array) -> list[Array]:
        """What the outputs have to be for these data inputs, by numpy."""
        known: dict[int, Array] = dict(enumerate(given))
        first_value = len(self.inputs) + len(self.outputs)
        for index, value in enumerate(self.values):
            if value.data is not None:
                known[first_value + index] = value.data
        for step in self.steps:
            if step.op not in (Op.DELAY, Op.REJECT_NEGATIVE):
                operands = [known[operand] for operand in step.operands]
                dtype = self._dtype(step.result)
                if step.op is Op.GEMM:
                    known[step.result] = _gemm(operands, Transposed(step.parameter), dtype)
                else:
                    made = _compute(step.op, operands)
                    known[step.result] = made.astype(dtype) if step.op is Op.CAST else made
        return [known[len(self.inputs) + index] for index in range(len(self.outputs))]

    def _dtype(self, operand: int) -> np.dtype[Any]:
        """Element type of an operand for numpy."""
        types = [each.type for each in (*self.inputs, *self.outputs)] + [each.type for each in self.values]
        return np.dtype(TYPES[types[operand]][1])

    def changed(self, **fields: Any) -> Program:
        """A copy with other fields."""
        return replace(self, **fields)

    def _graph(self) -> bytes:
        out = wire.bytes_field(1, self.name) + wire.bytes_field(2, self.product)
        out += b"".join(wire.bytes_field(3, _tensor(each)) for each in self.inputs)
        out += b"".join(wire.bytes_field(4, _tensor(each)) for each in self.outputs)
        out += wire.number_field(5, self.gear_kind)
        out += b"".join(wire.bytes_field(6, wire.packed(gear)) for gear in self.gears)
        out += wire.number_field(7, self.work_bytes) + wire.bytes_field(8, self.operators_version)
        if self.external:
            size = len(self.weights)
            out += wire.bytes_field(9, wire.bytes_field(1, self.external) + wire.number_field(3, size))
        out += b"".join(wire.bytes_field(10, _aipp(each)) for each in self.aipps)
        for each in self.operators:
            names = wire.bytes_field(1, each.name) + wire.bytes_field(2, each.original_names)
            out += wire.bytes_field(11, names)
        if self.single is not None:
            out += wire.bytes_field(12, _single(self.single))
        return out

    def _tasks(self) -> bytes:
        out, offset = b"".join(wire.bytes_field(1, _step(each)) for each in self.steps), 0
        for value in self.values:
            size = value.size if value.data is None else value.data.nbytes
            place = value.offset if value.data is None else offset
            fields = wire.number_field(1, int(value.data is not None)) + wire.number_field(2, place)
            fields += wire.number_field(3, size) + wire.number_field(4, TYPES[value.type][0])
            out += wire.bytes_field(2, fields + wire.bytes_field(5, wire.packed_signed(value.dims)))
            offset += 0 if value.data is None else size
        return out


def constant(data: Array, type: str = "float32") -> Value:
    """A constant of these elements."""
    return Value(type, tuple(data.shape), np.ascontiguousarray(data, TYPES[type][1]))


def _tensor(each: Tensor) -> bytes:
    out = wire.bytes_field(1, each.name) + wire.number_field(2, TYPES[each.type][0])
    out += wire.number_field(3, FORMATS[each.format]) + wire.bytes_field(4, wire.packed_signed(each.dims))
    if each.bounds:
        out += wire.bytes_field(5, wire.packed_signed(bound for pair in each.bounds for bound in pair))
    return out + wire.number_field(6, each.role)


def _step(each: Step) -> bytes:
    out = wire.number_field(1, each.op) + wire.bytes_field(2, wire.packed(each.operands))
    return out + wire.number_field(3, each.result) + wire.number_field(4, each.parameter)


def _single(each: SingleOperator) -> bytes:
    out = wire.bytes_field(1, each.type)
    for name, value in each.attributes:
        number = int(value) if isinstance(value, bool) else wire.zigzag(value)
        fields = wire.bytes_field(1, name) + wire.number_field(2, int(not isinstance(value, bool)))
        out += wire.bytes_field(2, fields + wire.number_field(3, number))
    for index, data in each.constants.items():
        out += wire.bytes_field(3, wire.number_field(1, index) + wire.bytes_field(2, data.tobytes()))
    return out


def _aipp(each: Aipp) -> bytes:
    numbers = (each.input, int(each.dynamic), each.format, each.width, each.height, each.batch)
    return b"".join(wire.number_field(index, number) for index, number in enumerate(numbers, 1))


def _gemm(operands: Sequence[Array], stored: Transposed, dtype: np.dtype[Any]) -> Array:
    """alpha * A * B + beta * C, computed wider than any of them and narrowed at the end."""
    wide = np.int64 if dtype.kind == "i" else np.float64
    a, b, c, alpha, beta = (each.astype(wide) for each in operands)
    left, right = a.T if Transposed.A in stored else a, b.T if Transposed.B in stored else b
    return np.asarray(alpha * (left @ right) + beta * c).astype(dtype)


def _compute(op: Op, operands: Sequence[Array]) -> Array:
    with np.errstate(over="ignore"):
        if op in (Op.COPY, Op.CAST):
            return operands[0]
        if op is Op.ADD:
            return np.asarray(operands[0] + operands[1])
        if op is Op.MUL:
            return np.asarray(operands[0] * operands[1])
        if op is Op.MATMUL:
            return np.asarray(operands[0] @ operands[1])
        if op is Op.FIND_NONZERO:
            return np.argwhere(operands[0]).astype(np.int64)
        return np.asarray(operands[0].sum(axis=-1, dtype=operands[0].dtype))
