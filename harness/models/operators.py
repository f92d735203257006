"""The single-operator models that the suites use, by name, and their descriptions for CANN's compiler."""

from __future__ import annotations

import itertools
import json
from collections.abc import Callable, Iterator, Mapping
from functools import partial
from typing import Any

import numpy as np

from harness.models.program import TYPES, Op, Program, SingleOperator, Step, Tensor, Transposed

COUNT = 8
"""Elements of the vectors that most of the operators take."""

OTHER_COUNT = 16
"""Elements of the vectors that the others of the same type take."""

MOST = 32
"""Most elements of the vectors of the operators whose shapes are known at execution."""

CAST_TYPES = ("float16", "int32")
"""What floats are converted to."""

GEMM_TYPES = (("float16", "float16"), ("float16", "float32"), ("int8", "float32"), ("int8", "int32"))
"""The types of A and B, and of C, alpha and beta, that products are made of."""

GEMM_SHAPES = ((16, 16, 32), (5, 3, 7), (1, 1, 1))
"""m, n and k of products of two matrices."""

GEMV_SHAPES = ((16, 1, 32), (7, 1, 5), (1, 1, 1))
"""m, n and k of products of a matrix and a vector."""

_LEFT_OUT = {"format": "RESERVED", "type": "UNDEFINED"}
_PAIR: Mapping[Op, str] = {Op.ADD: "Add", Op.MUL: "Mul"}


def pair(name: str, op: Op = Op.ADD, count: int = COUNT) -> Program:
    """Two vectors of floats, added or multiplied."""
    dims = (count,)
    return Program(
        name,
        (Tensor("x1", dims), Tensor("x2", dims)),
        (Tensor("y", dims),),
        (Step(op, (0, 1), 2),),
        single=SingleOperator(_PAIR[op]),
    )


def open_pair() -> Program:
    """Two vectors whose length is known at execution, added."""
    x1, x2, y = (Tensor(name, (-1,), bounds=((1, MOST),)) for name in ("x1", "x2", "y"))
    return Program(
        "op_add_open",
        (x1, x2),
        (y,),
        (Step(Op.ADD, (0, 1), 2),),
        dynamic=True,
        single=SingleOperator("Add"),
    )


def constant_pair() -> Program:
    """A vector and one that was fixed when the operator was built, added."""
    fixed = np.arange(COUNT, dtype=np.float32)
    return pair("op_add_constant").changed(single=SingleOperator("Add", constants={1: fixed}))


def matmul() -> Program:
    """Two matrices, without the bias that the operator could take."""
    attributes = (("transpose_x1", False), ("transpose_x2", False))
    return Program(
        "op_matmul",
        (Tensor("x1", (16, 16)), Tensor("x2", (16, 16))),
        (Tensor("y", (16, 16)),),
        (Step(Op.MATMUL, (0, 1), 2),),
        single=SingleOperator("MatMul", attributes, left_out=1),
    )


def where() -> Program:
    """The indices of a vector's elements that are not 0: how many there are depends on the data."""
    return Program(
        "op_where",
        (Tensor("x", (COUNT,)),),
        (Tensor("y", (-1, 1), "int64", bounds=((0, COUNT), (1, 1))),),
        (Step(Op.FIND_NONZERO, (0,), 1),),
        dynamic=True,
        single=SingleOperator("Where"),
    )


def cast(type: str) -> Program:
    """A vector of floats, converted."""
    attributes = (("truncate", False), ("dst_type", TYPES[type][0]))
    return Program(
        f"op_cast_{type}",
        (Tensor("x", (COUNT,)),),
        (Tensor("y", (COUNT,), type),),
        (Step(Op.CAST, (0,), 1),),
        single=SingleOperator("Cast", attributes),
    )


def gemm_name(shape: tuple[int, int, int], types: tuple[str, str], stored: Transposed) -> str:
    """What a product of an m x k and a k x n matrix is called; `types` are that of A and B, and that of C."""
    m, n, k = shape
    marks = "".join("t" if each in stored else "n" for each in (Transposed.A, Transposed.B))
    return f"op_gemm_{m}x{n}x{k}_{'_'.join(types)}_{marks}"


def gemm(shape: tuple[int, int, int], types: tuple[str, str], stored: Transposed) -> Program:
    """alpha * A * B + beta * C of an m x k and a k x n matrix."""
    (m, n, k), (factor, product) = shape, types
    attributes = (("transpose_a", Transposed.A in stored), ("transpose_b", Transposed.B in stored))
    return Program(
        gemm_name(shape, types, stored),
        (
            Tensor("a", (k, m) if Transposed.A in stored else (m, k), factor),
            Tensor("b", (n, k) if Transposed.B in stored else (k, n), factor),
            Tensor("c", (m, n), product),
            Tensor("alpha", (), product),
            Tensor("beta", (), product),
        ),
        (Tensor("y", (m, n), product),),
        (Step(Op.GEMM, (0, 1, 2, 3, 4), 5, stored),),
        single=SingleOperator("GEMM", attributes),
    )


def _products() -> Iterator[tuple[str, Callable[[], Program]]]:
    """The products by name: a matrix of one column is never stored transposed."""
    for shape, types in itertools.product(GEMM_SHAPES + GEMV_SHAPES, GEMM_TYPES):
        marks = (Transposed.NONE, Transposed.A)
        for stored in marks if shape[1] == 1 else (*marks, Transposed.B, Transposed.A | Transposed.B):
            yield gemm_name(shape, types, stored), partial(gemm, shape, types, stored)


PRODUCTS: Mapping[str, Callable[[], Program]] = dict(_products())
"""The products of matrices among the operators."""

OPERATORS: Mapping[str, Callable[[], Program]] = {
    "op_add": lambda: pair("op_add"),
    "op_mul": lambda: pair("op_mul", Op.MUL),
    "op_add_other": lambda: pair("op_add_other", count=OTHER_COUNT),
    "op_mul_other": lambda: pair("op_mul_other", Op.MUL, OTHER_COUNT),
    "op_add_open": open_pair,
    "op_add_constant": constant_pair,
    "op_add_host": lambda: pair("op_add_host"),
    "op_matmul": matmul,
    "op_where": where,
    **{f"op_cast_{type}": partial(cast, type) for type in CAST_TYPES},
    **PRODUCTS,
    "op_other_package": lambda: pair("op_other_package").changed(operators_version="0.9", checks_host=True),
}
"""Every single-operator model there is."""


def obstacle(program: Program) -> str:
    """Why no compiler can make this operator; empty where one can."""
    if program.name == "op_add_host":
        return "the compiler is not told that an input lies on the host"
    if program.product or program.checks_host:
        return "a compiler makes models for the device at hand"
    return ""


def description(program: Program) -> str:
    """The operator as a compiler of single operators takes it: a JSON text."""
    single = program.single
    assert single is not None
    inputs = [_described(each) for each in program.inputs]
    for index, data in single.constants.items():
        inputs[index] |= {"is_const": True, "const_value": data.tolist()}
    entry: dict[str, Any] = {
        "op": single.type,
        "input_desc": [*inputs, *[_LEFT_OUT] * single.left_out],
        "output_desc": [_described(each) for each in program.outputs],
    }
    if single.attributes:
        entry["attr"] = [
            {"name": name, "type": "bool" if isinstance(value, bool) else "int", "value": value}
            for name, value in single.attributes
        ]
    return json.dumps([entry], indent=1)


def _described(tensor: Tensor) -> dict[str, Any]:
    told: dict[str, Any] = {"format": tensor.format, "shape": list(tensor.dims), "type": tensor.type}
    if -1 in tensor.dims:
        told["shape_range"] = [list(bound) for bound in tensor.bounds]
    return told
