"""Names, types and formats of a model's inputs and outputs."""

from __future__ import annotations

import pytest

from harness.models.program import TYPES
from harness.plugin import covers, covers_each

NAME_GETTERS = ("aclmdlGetInputNameByIndex", "aclmdlGetOutputNameByIndex")
LOOKUPS = ("aclmdlGetInputIndexByName", "aclmdlGetOutputIndexByName")
DIMS = ("aclmdlGetInputDims", "aclmdlGetOutputDims")


def side_of(api: str) -> str:
    """Which side of a model a function is about."""
    return "Input" if "Input" in api else "Output"


@covers_each("null_desc_empty", *NAME_GETTERS)
def test_name_of_null(api, acl, expect):
    """Nothing has empty names."""
    result = acl.call(api, modelDesc=None, index=0)
    expect.true("the name", result.value, b"")


@covers_each("index_out_of_range_empty", *NAME_GETTERS)
@pytest.mark.parametrize("index", [2, 2**64 - 1], ids=["count", "largest"])
def test_name_out_of_range(api, acl, expect, descs, index):
    """A tensor that does not exist has an empty name."""
    result = acl.call(api, modelDesc=descs.of("two_by_two"), index=index)
    expect.true("the name", result.value, b"")


@covers_each("round_trip", *NAME_GETTERS)
@pytest.mark.parametrize("name", ["two_by_two", "long_names"])
def test_round_trip(api, expect, descs, name):
    """Looking up each name gives its index, however long it is."""
    desc, side = descs.of(name), side_of(api)
    indices = descs.indices(desc, side)
    expect.true("the indices", indices, list(range(descs.count(desc, side))))


@covers_each("long_name_replaced", *NAME_GETTERS)
def test_long_name(api, descs, workbench):
    """Too long a name is replaced, a shorter one is not."""
    model, program, side = workbench.load("long_names"), workbench.models.program("long_names"), side_of(api)
    desc = descs.of_model(model)
    descs.expect_names(desc, side, program.inputs if side == "Input" else program.outputs, model)


@covers_each("unknown_name", *LOOKUPS)
def test_unknown_name(api, acl, expect, descs):
    """A name that the model does not have is refused, and the output keeps its value."""
    desc = descs.of("two_by_two")
    result = acl.call(api, modelDesc=desc, name="nobody")
    expect.refused(result)
    expect.true("the output is untouched", result.untouched("index"))
    longer = descs.names(desc, side_of(api))[0].decode() + "x"
    expect.refused(acl.call(api, modelDesc=desc, name=longer))


@covers_each("empty_name", *LOOKUPS)
def test_empty_name(api, acl, expect, descs):
    """An empty name is refused."""
    result = acl.call(api, modelDesc=descs.of("two_by_two"), name="")
    expect.refused(result)


@covers_each("case_sensitive", *LOOKUPS)
def test_other_case(api, acl, expect, descs):
    """Names are compared with case."""
    desc = descs.of("two_by_two")
    name = descs.names(desc, side_of(api))[0].decode()
    result = acl.call(api, modelDesc=desc, name=name.swapcase())
    expect.refused(result)


@covers_each("value", "aclmdlGetInputDataType", "aclmdlGetOutputDataType")
@pytest.mark.parametrize("dtype", ["float32", "float16", "int8", "int32", "uint8", "int64", "float64"])
def test_data_type(api, acl, expect, descs, dtype):
    """The data type is that of the model."""
    result = acl.call(api, modelDesc=descs.of(f"add_{dtype}"), index=0)
    expect.true("the data type", result.value, TYPES[dtype][0])


@covers("get_tensor_real_name.ordinary_name")
def test_real_name(acl, expect, descs):
    """An ordinary name is told as it is."""
    desc = descs.of("two_by_two")
    name = descs.names(desc, "Output")[1]
    result = acl.aclmdlGetTensorRealName(modelDesc=desc, name=name.decode())
    expect.true("the name", result.value, name)


@covers("get_tensor_real_name.unknown")
def test_real_name_of_unknown(acl, expect, descs):
    """A name that the model does not have leads to none."""
    result = acl.aclmdlGetTensorRealName(modelDesc=descs.of("two_by_two"), name="nobody")
    expect.true("the name", result.value, None)


@covers_each("name_matches", *DIMS)
def test_name_with_dims(api, acl, expect, descs):
    """The name that comes with a shape is the tensor's."""
    desc = descs.of("two_by_two")
    result = acl.call(api, modelDesc=desc, index=1)
    expect.success(result)
    expect.true("the name", result.dims["name"].rstrip(b"\0"), descs.names(desc, side_of(api))[1])


@covers_each("long_name_replaced", *DIMS)
def test_long_name_with_dims(api, descs, workbench):
    """With a shape, too long a name is replaced, a shorter one is not."""
    model, program, side = workbench.load("long_names"), workbench.models.program("long_names"), side_of(api)
    desc, tensors = descs.of_model(model), program.inputs if side == "Input" else program.outputs
    told = descs.dims_names(desc, side, len(tensors))
    descs.expect_told_names(told, desc, side, tensors, model)
