"""Our programs as ONNX models, for a compiler that makes real models of them. Needs the extra `model`."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from harness.models.program import Op, Program, Role, Tensor

_OPERATORS: Mapping[Op, str] = {
    Op.COPY: "Identity",
    Op.ADD: "Add",
    Op.MUL: "Mul",
    Op.MATMUL: "MatMul",
    Op.REDUCE_SUM: "ReduceSum",
}
_RGB888 = 3
_OPSET = 13
_IR_VERSION = 8


def obstacle(program: Program) -> str:
    """Why no compiler can make this model; empty where one can."""
    if program.single:
        return "single operators are compiled from a description of their own"
    if any(step.op not in _OPERATORS for step in program.steps):
        return "no ONNX operator takes time or fails on purpose"
    if any(not each.dynamic and each.format != _RGB888 for each in program.aipps):
        return "the compiler is asked for pictures in RGB888 only"
    if program.product or program.checks_host:
        return "a compiler makes models for the device at hand"
    return ""


def onnx_bytes(program: Program) -> bytes:
    """The program as an ONNX model; ImportError without the extra `model`."""
    import onnx
    from onnx import helper, numpy_helper

    names = _names(program)
    data_inputs = [each for each in program.inputs if each.role is Role.DATA]
    first_value = len(program.inputs) + len(program.outputs)
    initializers = [
        numpy_helper.from_array(value.data, names[first_value + index])
        for index, value in enumerate(program.values)
        if value.data is not None
    ]
    nodes: list[Any] = []
    for step in program.steps:
        operands = [names[operand] for operand in step.operands]
        if step.op is Op.REDUCE_SUM:
            axes = f"axes_{len(nodes)}"
            initializers.append(helper.make_tensor(axes, onnx.TensorProto.INT64, [1], [-1]))
            operands.append(axes)
        node = helper.make_node(_OPERATORS[step.op], operands, [names[step.result]])
        if step.op is Op.REDUCE_SUM:
            node.attribute.append(helper.make_attribute("keepdims", 0))
        nodes.append(node)
    graph = helper.make_graph(
        nodes,
        program.name,
        [_info(helper, each) for each in data_inputs],
        [_info(helper, each) for each in program.outputs],
        initializers,
    )
    model = helper.make_model(graph, opset_imports=[helper.make_opsetid("", _OPSET)])
    model.ir_version = _IR_VERSION
    data: bytes = model.SerializeToString()
    return data


def _names(program: Program) -> list[str]:
    values = [f"value_{index}" for index in range(len(program.values))]
    return [*(each.name for each in program.inputs), *(each.name for each in program.outputs), *values]


def _info(helper: Any, tensor: Tensor) -> Any:
    dims = [f"{tensor.name}_{index}" if dim < 0 else dim for index, dim in enumerate(tensor.dims)]
    return helper.make_tensor_value_info(tensor.name, helper.np_dtype_to_tensor_dtype(tensor.dtype), dims)
