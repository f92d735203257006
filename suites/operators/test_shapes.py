"""Shapes of an operator's outputs, worked out from its inputs."""

from __future__ import annotations

import numpy as np
import pytest

from harness.plugin import covers

ROWS = 8
SHAPES = {
    "Add": ([(2, 1), (1, 3)], [2, 3]),
    "Mul": ([(4, 1, 5), (3, 1)], [4, 3, 5]),
    "MatMul": ([(2, 3), (3, 4)], [2, 4]),
}
"""Dims of the inputs of an operator, and of its output."""


@covers("op_infer_shape.exact")
@pytest.mark.parametrize("type", SHAPES)
def test_exact(acl, inferring, expect, type):
    """Dims that follow from those of the inputs are written to the output's description."""
    given, wanted = SHAPES[type]
    question = inferring.question(type, *(inferring.numbers(*dims) for dims in given))
    expect.success(acl.aclopInferShape(**question))
    expect.true("dims of the output", inferring.dims(question), wanted)


@covers("op_infer_shape.range")
def test_range(acl, inferring, expect):
    """A dim that depends on the data is -1, and its range can be read."""
    question = inferring.question("Where", inferring.numbers(ROWS))
    expect.success(acl.aclopInferShape(**question))
    expect.true("dims of the output", inferring.dims(question), [-1, 1])
    answer = inferring.bounds(question, 0)
    expect.true("a range of all possible sizes", inferring.takes_counts_up_to(answer, ROWS), True)


@covers("op_infer_shape.inputs_host_ep", "op_infer_shape.inputs_device")
def test_data(acl, inferring, expect):
    """Dims follow from data, which lie on the host, or on the device where both are one."""
    question = inferring.question("Reshape", inferring.numbers(2, 3), np.array([3, 2], np.int64))
    expect.observed(acl.aclopInferShape(**question))
    expect.observed(f"dims of the output: {inferring.dims(question)}")


@covers("op_infer_shape.dynamic_io_names")
def test_names(acl, inferring, attributes, expect):
    """The inputs of an operator that takes any number of them are told apart by their names."""
    inputs = (inferring.numbers(2, 3), inferring.numbers(2, 3))
    count = attributes.with_int("N", len(inputs))
    question = inferring.question("AddN", *inputs, names=("x0", "x1", "y"), attributes=count)
    expect.observed(acl.aclopInferShape(**question))


@covers("op_infer_shape.empty_input_data")
def test_empty_data(acl, inferring, expect):
    """An input without data is refused."""
    question = inferring.question("Add", inferring.numbers(2, 1), inferring.numbers(1, 3))
    question["inputs"][1] = inferring.buffer(None)
    expect.refused(acl.aclopInferShape(**question))


@covers("op_infer_shape.unknown_op")
def test_unknown_operator(acl, inferring, expect):
    """An operator that there is not is refused."""
    question = inferring.question("NoSuchOperator_x", inferring.numbers(2, 1), inferring.numbers(1, 3))
    expect.refused(acl.aclopInferShape(**question))
