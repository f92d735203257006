"""What operators are told about tensors: names, layouts, bounds, groups, constants, places."""

from __future__ import annotations

import pytest

from harness.plugin import covers, covers_each, surfaces
from suites.models.tensor.tensors import FLOAT, NC1HWC0, NCHW, NHWC

FORMATS = ("aclSetTensorFormat", "aclSetTensorStorageFormat")
SHAPES = ("aclSetTensorShape", "aclSetTensorStorageShape")
ORIGIN_FORMAT, ORIGIN_SHAPE = "aclSetTensorOriginFormat", "aclSetTensorOriginShape"
FOUR = ((16, 16), (1, 128), (20, 20), (1, 10))
PLACES = ("ACL_MEMTYPE_DEVICE", "ACL_MEMTYPE_HOST", "ACL_MEMTYPE_HOST_COMPILE_INDEPENDENT")


@covers("set_tensor_desc_name.round_trip")
@pytest.mark.parametrize("name", ["x", "y0"])
def test_set_name(acl, expect, tensors, name):
    """The name that is set is the name that is told."""
    desc = tensors.named("before")
    result = acl.aclSetTensorDescName(desc=desc, name=name)
    expect.success(result)
    expect.true("the name", tensors.told("aclGetTensorDescName", desc), name.encode())


@covers("set_tensor_desc_name.copies")
@surfaces("c")
def test_set_name_copies(acl, expect, memory, tensors):
    """The caller's text may change after the call."""
    desc, text = tensors.desc((2, 3)), memory.pageable(4).write(b"abc\0")
    result = acl.aclSetTensorDescName(desc=desc, name=text.ptr)
    text.write(b"xyz\0")
    expect.success(result)
    expect.true("the name", tensors.told("aclGetTensorDescName", desc), b"abc")


@covers("set_tensor_desc_name.null_name")
@surfaces("c")
def test_set_name_null(acl, expect, tensors):
    """A null name takes the name away."""
    desc = tensors.named("x")
    result = acl.aclSetTensorDescName(desc=desc, name=None)
    expect.success(result)
    expect.true("the name", tensors.told("aclGetTensorDescName", desc), b"")


@covers_each("accepted", *FORMATS, ORIGIN_FORMAT)
def test_set_format(api, tensors):
    """A format can be set, and set again to another."""
    desc = tensors.desc((1, 2, 3, 32), FLOAT, NHWC)
    results = tensors.settings(api, desc, {"format": NC1HWC0}, {"format": NCHW})
    tensors.expect_all_success(results)


@covers("set_tensor_storage_format.deprecated")
def test_set_storage_format_is_there(acl, expect, tensors):
    """The older call still answers."""
    result = acl.aclSetTensorStorageFormat(desc=tensors.desc((1, 2, 3, 32)), format=NC1HWC0)
    expect.success(result)


@covers_each("getter", *FORMATS)
def test_format_getter_keeps(api, acl, case, expect, tensors):
    """The getter goes on telling the format of creation."""
    desc = tensors.desc((1, 2, 3, 32), FLOAT, NHWC)
    expect.success(acl.call(api, desc=desc, format=NC1HWC0))
    result = acl.aclGetTensorDescFormat(desc=desc)
    expect.true("the format", result.value, case.contract.value(NHWC))


@covers("set_tensor_origin_format.getter")
def test_origin_format_getter_follows(acl, case, expect, tensors):
    """The getter tells the original format that was set."""
    desc = tensors.desc((1, 2, 3, 32), FLOAT, NHWC)
    expect.success(acl.aclSetTensorOriginFormat(desc=desc, format=NCHW))
    result = acl.aclGetTensorDescFormat(desc=desc)
    expect.true("the format", result.value, case.contract.value(NCHW))


@covers_each("accepted", *SHAPES, ORIGIN_SHAPE)
def test_set_shape(api, tensors):
    """Dims can be set, other in number than the description's, and set again."""
    desc = tensors.desc((1, 2, 3, 32), FLOAT, NHWC)
    first = {"numDims": 5, "dims": [1, 2, 2, 3, 16]}
    results = tensors.settings(api, desc, first, {"numDims": 4, "dims": [1, 32, 2, 3]})
    tensors.expect_all_success(results)


@covers("set_tensor_storage_shape.deprecated")
def test_set_storage_shape_is_there(acl, expect, tensors):
    """The older call still answers."""
    desc = tensors.desc((1, 2, 3, 32))
    result = acl.aclSetTensorStorageShape(desc=desc, numDims=5, dims=[1, 2, 2, 3, 16])
    expect.success(result)


@covers_each("getter", *SHAPES)
def test_shape_getters_keep(api, acl, expect, tensors):
    """The getters go on telling the dims of creation."""
    desc = tensors.desc((1, 2, 3, 32), FLOAT, NHWC)
    result = acl.call(api, desc=desc, numDims=5, dims=[1, 2, 2, 3, 16])
    expect.success(result)
    tensors.expect_dims(desc, (1, 2, 3, 32))


@covers("set_tensor_origin_shape.getter")
def test_origin_shape_getters_follow(acl, expect, tensors):
    """The getters tell the original dims that were set."""
    desc = tensors.desc((1, 2, 3, 32), FLOAT, NHWC)
    result = acl.aclSetTensorOriginShape(desc=desc, numDims=5, dims=[1, 2, 2, 3, 16])
    expect.success(result)
    tensors.expect_dims(desc, (1, 2, 2, 3, 16))


@covers("set_tensor_shape_range.accepted")
def test_set_shape_range(acl, expect, tensors):
    """A pair of bounds for each dim is taken, and told."""
    desc = tensors.desc((16, -1, 20, -1))
    result = acl.aclSetTensorShapeRange(desc=desc, dimsCount=4, dimsRange=[list(pair) for pair in FOUR])
    expect.success(result)
    tensors.expect_all_bounds(desc, FOUR)


@covers("set_tensor_shape_range.replaces")
def test_set_shape_range_again(acl, expect, tensors):
    """Bounds that are set take the place of all that were set before."""
    desc = tensors.bounded((16, -1, 20, -1), FOUR)
    result = acl.aclSetTensorShapeRange(desc=desc, dimsCount=1, dimsRange=[[3, 4]])
    expect.success(result)
    tensors.expect_all_bounds(desc, [(3, 4)])
    expect.refused(tensors.bounds(desc, 1))


@covers("set_tensor_shape_range.fixed_dim_bounds_equal")
def test_set_shape_range_of_fixed_dim(acl, expect, tensors):
    """What is made of different bounds for a fixed dim is recorded."""
    result = acl.aclSetTensorShapeRange(desc=tensors.desc((16,)), dimsCount=1, dimsRange=[[1, 128]])
    expect.observed(result)


@covers("set_tensor_value_range.accepted")
def test_set_value_range(acl, tensors):
    """Bounds of values can be set, and set again in another number."""
    desc, four = tensors.desc((4,)), [list(pair) for pair in FOUR]
    first = {"valueCount": 4, "valueRange": four}
    again = {"valueCount": 1, "valueRange": four[:1]}
    results = tensors.settings("aclSetTensorValueRange", desc, first, again)
    tensors.expect_all_success(results)


@covers("set_tensor_dynamic_input.accepted")
def test_set_dynamic_input(tensors):
    """Each member of a dynamic input takes the group's name."""
    results = tensors.grouped("x", "x", "y")
    tensors.expect_all_success(results)


@covers("set_tensor_const.accepted_ep")
def test_set_const(memory, tensors):
    """Host memory is taken as the constant, and other data after it."""
    first, second = memory.host(16).fill(1), memory.host(16).fill(2)
    given = [{"dataBuffer": block, "length": 16} for block in (first, second)]
    results = tensors.settings("aclSetTensorConst", tensors.desc((4,)), *given)
    tensors.expect_all_success(results)


@covers("set_tensor_const.accepted_device")
def test_set_const_of_device(acl, expect, memory, tensors):
    """Device memory is taken as the constant where it is the host's as well."""
    block = memory.device(16).fill(1)
    result = acl.aclSetTensorConst(desc=tensors.desc((4,)), dataBuffer=block, length=16)
    expect.success(result)


@covers("set_tensor_placement.accepted")
@pytest.mark.parametrize("place", PLACES)
def test_set_placement(acl, expect, tensors, place):
    """Each of the memory types can be set."""
    result = acl.aclSetTensorPlaceMent(desc=tensors.desc((4,)), memType=place)
    expect.success(result)
