"""The models that the suites use, by name."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from functools import partial

import numpy as np

from harness.models.operators import OPERATORS
from harness.models.program import (
    AIPP_INPUT,
    GEAR_INPUT,
    Aipp,
    GearKind,
    Op,
    Operator,
    Program,
    Role,
    Step,
    Tensor,
    Value,
    constant,
)

SLOW_MS = 3000
"""How long the model `slow` runs, in milliseconds."""

LARGE_BYTES = 48 << 20
"""Weight bytes of the model `large`."""

BATCHES = (1, 2, 4, 8)
IMAGE_SIZES = ((8, 8), (16, 8), (16, 16))
DIM_GEARS = ((2, 4, 2, 4), (2, 8, 2, 8), (2, 16, 2, 16))
WEIGHT_FILE = "weight_add"

_PICTURES: Mapping[str, tuple[int, tuple[int, ...]]] = {
    "yuv420sp": (1, (2, 24, 16, 1)),
    "xrgb8888": (2, (2, 16, 16, 4)),
    "yuv400": (4, (2, 16, 16, 1)),
    "argb8888": (7, (2, 16, 16, 4)),
    "yuyv": (8, (2, 16, 16, 2)),
    "yuv422sp": (9, (2, 32, 16, 1)),
    "ayuv444": (10, (2, 16, 16, 4)),
}
"""Formats of pictures: aclAippInputFormat, and the bytes of two pictures of 16 x 16 as dims."""

_NUMBERS = (
    "float32",
    "float16",
    "int8",
    "int32",
    "uint8",
    "int16",
    "uint16",
    "uint32",
    "int64",
    "uint64",
    "float64",
)


def identity(dims: tuple[int, ...] = (256,), type: str = "float32", name: str = "identity") -> Program:
    """One input, copied to the output: 1 KiB by default."""
    return Program(
        name,
        (Tensor("x", dims, type),),
        (Tensor("y", dims, type),),
        (Step(Op.COPY, (0,), 1),),
        operators=(Operator("copy", "x_copy"),),
    )


def pairwise(op: Op, type: str = "float32", dims: tuple[int, ...] = (4, 16)) -> Program:
    """Two inputs of one shape, added or multiplied."""
    return Program(
        f"{op.name.lower()}_{type}",
        (Tensor("a", dims, type), Tensor("b", dims, type)),
        (Tensor("y", dims, type),),
        (Step(op, (0, 1), 2),),
        operators=(Operator(op.name.lower()),),
    )


def matmul(type: str = "float32") -> Program:
    """Two matrices."""
    return Program(
        f"matmul_{type}",
        (Tensor("a", (4, 8), type), Tensor("b", (8, 6), type)),
        (Tensor("y", (4, 6), type),),
        (Step(Op.MATMUL, (0, 1), 2),),
    )


def reduce_sum(type: str = "float32") -> Program:
    """Sums over the last axis."""
    return Program(
        f"reduce_{type}",
        (Tensor("x", (4, 16), type),),
        (Tensor("y", (4,), type),),
        (Step(Op.REDUCE_SUM, (0,), 1),),
    )


def affine(name: str = "affine", external: str = "", factor: float = 3.0) -> Program:
    """x times one constant plus another: work memory and weights are both used."""
    dims, bytes_ = (4, 16), 4 * 64
    shift = np.arange(64, dtype=np.float32).reshape(dims)
    return Program(
        name,
        (Tensor("x", dims),),
        (Tensor("y", dims),),
        (Step(Op.MUL, (0, 2), 4), Step(Op.ADD, (4, 3), 1)),
        values=(constant(np.full(dims, factor, np.float32)), constant(shift), Value("float32", size=bytes_)),
        work_bytes=bytes_,
        external=external,
        operators=(Operator("scale", "x_scale"), Operator("shift")),
    )


def two_by_two() -> Program:
    """Two inputs and two outputs: the sum and the product."""
    dims = (2, 8)
    return Program(
        "two_by_two",
        (Tensor("a", dims, "int32"), Tensor("b", dims, "int32")),
        (Tensor("sum", dims, "int32"), Tensor("product", dims, "int32")),
        (Step(Op.ADD, (0, 1), 2), Step(Op.MUL, (0, 1), 3)),
    )


def large() -> Program:
    """An identity model that carries many weights."""
    base = identity(name="large")
    return base.changed(values=(constant(np.zeros(LARGE_BYTES // 4, np.float32)),))


def slow() -> Program:
    """An identity model that takes its time before it copies."""
    base = identity(name="slow")
    return base.changed(steps=(Step(Op.DELAY, parameter=SLOW_MS), *base.steps))


def failing() -> Program:
    """An identity model that fails while it runs where its input has a negative element."""
    base = identity(name="failing")
    return base.changed(steps=(Step(Op.REJECT_NEGATIVE, (0,)), *base.steps))


def batch(gears: tuple[int, ...] = BATCHES) -> Program:
    """A model for several batch sizes: doubles its input."""
    return Program(
        "batch",
        (Tensor("x", (-1, 4)), Tensor(GEAR_INPUT, (1,), "int64", role=Role.GEAR)),
        (Tensor("y", (-1, 4)),),
        (Step(Op.ADD, (0, 0), 2),),
        gear_kind=GearKind.BATCH,
        gears=tuple((gear,) for gear in gears),
    )


def image_size() -> Program:
    """A model for several image sizes: doubles its input."""
    return Program(
        "image_size",
        (Tensor("x", (1, 3, -1, -1), format="NCHW"), Tensor(GEAR_INPUT, (2,), "int64", role=Role.GEAR)),
        (Tensor("y", (1, 3, -1, -1), format="NCHW"),),
        (Step(Op.ADD, (0, 0), 2),),
        gear_kind=GearKind.IMAGE_SIZE,
        gears=IMAGE_SIZES,
    )


def dim_gears() -> Program:
    """A model for several sizes of the second dim: adds its inputs."""
    return Program(
        "dim_gears",
        (Tensor("a", (2, -1)), Tensor("b", (2, -1)), Tensor(GEAR_INPUT, (4,), "int64", role=Role.GEAR)),
        (Tensor("y", (2, -1)),),
        (Step(Op.ADD, (0, 1), 3),),
        gear_kind=GearKind.DIMS,
        gears=DIM_GEARS,
    )


def dynamic(bounds: tuple[tuple[int, int], ...] = ((1, 16), (4, 4)), name: str = "dynamic") -> Program:
    """A dynamic-shape model: doubles its input, whose first dim is known at execution."""
    return Program(
        name,
        (Tensor("x", (-1, 4), bounds=bounds),),
        (Tensor("y", (-1, 4), bounds=bounds),),
        (Step(Op.ADD, (0, 0), 1),),
        dynamic=True,
    )


def unbounded() -> Program:
    """A dynamic-shape model without an upper bound: the sizes of input and output are not known before."""
    return dynamic(bounds=((1, -1), (4, 4)), name="unbounded")


def scalar() -> Program:
    """Scalars in and out."""
    return identity((), name="scalar")


def deep() -> Program:
    """Tensors of more dims than a description can tell."""
    return identity((1,) * 130, name="deep")


def long_names() -> Program:
    """Names of 200 and of 127 characters."""
    base = pairwise(Op.ADD)
    inputs = (
        Tensor("a" * 200, base.inputs[0].dims),
        Tensor("b" * 127, base.inputs[1].dims),
    )
    return base.changed(name="long_names", inputs=inputs, outputs=(Tensor("y" * 200, base.outputs[0].dims),))


def many_gears() -> Program:
    """More batch sizes than a description can tell."""
    return batch(tuple(range(1, 131))).changed(name="many_gears")


def static_aipp() -> Program:
    """An image model with preprocessing that was fixed when it was built."""
    base = identity((1, 3, 16, 16), "uint8", "static_aipp")
    return base.changed(aipps=(Aipp(0, False, 3, 16, 16, 1),))


def picture(kind: str) -> Program:
    """An image model that takes two pictures of a format, as they are."""
    format, dims = _PICTURES[kind]
    base = identity(dims, "uint8", f"picture_{kind}")
    return base.changed(aipps=(Aipp(0, False, format, 16, 16, 2),))


def dynamic_aipp() -> Program:
    """An image model whose preprocessing is set for each run."""
    base = identity((2, 3, 16, 16), "uint8", "dynamic_aipp")
    inputs = (base.inputs[0], Tensor(AIPP_INPUT, (2208,), "uint8", role=Role.AIPP))
    steps = (Step(Op.COPY, (0,), 2),)
    return base.changed(inputs=inputs, steps=steps, aipps=(Aipp(0, True, 3, 16, 16, 2),))


_SINGLE: Mapping[str, Callable[[], Program]] = {
    "identity": identity,
    "affine": affine,
    "external": lambda: affine("external", WEIGHT_FILE),
    "two_by_two": two_by_two,
    "large": large,
    "slow": slow,
    "failing": failing,
    "batch": batch,
    "image_size": image_size,
    "dim_gears": dim_gears,
    "dynamic": dynamic,
    "unbounded": unbounded,
    "scalar": scalar,
    "deep": deep,
    "long_names": long_names,
    "many_gears": many_gears,
    "static_aipp": static_aipp,
    "dynamic_aipp": dynamic_aipp,
    **{f"picture_{kind}": partial(picture, kind) for kind in _PICTURES},
    "other_factor": lambda: affine("other_factor", factor=5.0),
    "other_product": lambda: identity(name="other_product").changed(product="none"),
    "other_operators": lambda: identity(name="other_operators").changed(
        operators_version="0.9", checks_host=True
    ),
    "these_operators": lambda: identity(name="these_operators").changed(checks_host=True),
    **OPERATORS,
}

_TYPED: Mapping[str, Callable[[str], Program]] = {
    "add": lambda type: pairwise(Op.ADD, type),
    "mul": lambda type: pairwise(Op.MUL, type),
    "matmul": matmul,
    "reduce": reduce_sum,
}

PICTURE_NAMES = ("static_aipp", *(f"picture_{kind}" for kind in _PICTURES))
"""The models with preprocessing that was fixed when they were built."""

BUNDLES: Mapping[str, tuple[str, ...]] = {"bundle": ("affine", "other_factor")}
"""The members of each bundle."""

BUNDLE_VARIABLE_BYTES = 4096

TYPED_NAMES = tuple(f"{kind}_{type}" for kind in _TYPED for type in _NUMBERS)
NAMES = (*_SINGLE, *TYPED_NAMES)
"""Every model there is, bundles aside."""


def program(name: str) -> Program:
    """The model of that name; KeyError for any other."""
    if name in _SINGLE:
        return _SINGLE[name]()
    kind, _, type_ = name.partition("_")
    if name not in TYPED_NAMES:
        raise KeyError(name)
    return _TYPED[kind](type_)
