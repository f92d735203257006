"""What tensor descriptions tell."""

from __future__ import annotations

import pytest

from harness.binding import InOut
from harness.plugin import covers, surfaces
from suites.models.tensor.tensors import FLOAT

TYPES = (
    "ACL_FLOAT",
    "ACL_FLOAT16",
    "ACL_INT8",
    "ACL_INT32",
    "ACL_INT64",
    "ACL_BOOL",
    "ACL_BF16",
)
SIZED_TYPES = ("ACL_DOUBLE", "ACL_UINT8", *TYPES)
FORMATS = (
    "ACL_FORMAT_NCHW",
    "ACL_FORMAT_NHWC",
    "ACL_FORMAT_ND",
    "ACL_FORMAT_NC1HWC0",
    "ACL_FORMAT_FRACTAL_NZ",
)
BOUNDS = ((16, 16), (1, 128))


@covers("get_tensor_desc_type.value")
@pytest.mark.parametrize("dtype", TYPES)
def test_type(acl, case, expect, tensors, dtype):
    """The data type is the one that was given."""
    result = acl.aclGetTensorDescType(desc=tensors.desc((2, 3), dtype))
    expect.true("the data type", result.value, case.contract.value(dtype))


@covers("get_tensor_desc_format.value")
@pytest.mark.parametrize("layout", FORMATS)
def test_format(acl, case, expect, tensors, layout):
    """The format is the one that was given."""
    result = acl.aclGetTensorDescFormat(desc=tensors.desc((2, 3), FLOAT, layout))
    expect.true("the format", result.value, case.contract.value(layout))


@covers("get_tensor_desc_num_dims.value")
@pytest.mark.parametrize("dims", [(2, 3, 4), ()], ids=["three", "none"])
def test_num_dims(acl, expect, tensors, dims):
    """The number of dims is told."""
    result = acl.aclGetTensorDescNumDims(desc=tensors.desc(dims))
    expect.true("the number of dims", result.value, len(dims))


@covers("get_tensor_desc_num_dims.unknown_rank")
def test_num_dims_of_unknown_rank(acl, case, expect, tensors):
    """A dim of -2 means that the number of dims is not known."""
    result = acl.aclGetTensorDescNumDims(desc=tensors.desc((-2,)))
    expect.true("the number of dims", result.value, case.contract.value("ACL_UNKNOWN_RANK"))


@covers("get_tensor_desc_element_count.value")
@pytest.mark.parametrize(("dims", "count"), [((2, 3, 4), 24), ((7,), 7)], ids=["24", "7"])
def test_element_count(acl, expect, tensors, dims, count):
    """The number of elements is the product of the dims."""
    result = acl.aclGetTensorDescElementCount(desc=tensors.desc(dims))
    expect.true("the elements", result.value, count)


@covers("get_tensor_desc_element_count.scalar")
def test_element_count_of_scalar(acl, expect, tensors):
    """A description without dims counts one element."""
    result = acl.aclGetTensorDescElementCount(desc=tensors.desc(()))
    expect.true("the elements", result.value, 1)


@covers("get_tensor_desc_element_count.dynamic_dim")
def test_element_count_of_dynamic(acl, expect, tensors):
    """A dim that is not known leaves no count."""
    result = acl.aclGetTensorDescElementCount(desc=tensors.desc((2, -1)))
    expect.true("the elements", result.value, 0)


@covers("get_tensor_desc_element_count.overflow")
def test_element_count_too_large(acl, expect, tensors):
    """A count that does not fit is none, and no remainder of it."""
    result = acl.aclGetTensorDescElementCount(desc=tensors.desc([(1 << 32) + 1] * 4))
    expect.true("the elements", result.value, 0)


@covers("get_tensor_desc_size.value")
@pytest.mark.parametrize(
    ("dtype", "dims", "size"),
    [
        ("ACL_FLOAT", (2, 3), 24),
        ("ACL_INT8", (5,), 5),
        ("ACL_FLOAT16", (2, 2), 8),
        ("ACL_INT64", (3,), 24),
    ],
)
def test_size(acl, expect, tensors, dtype, dims, size):
    """The bytes are elements times the size of the type."""
    result = acl.aclGetTensorDescSize(desc=tensors.desc(dims, dtype))
    expect.true("the bytes", result.value, size)


@covers("get_tensor_desc_size.type_size_agrees")
@pytest.mark.parametrize("dtype", SIZED_TYPES)
def test_size_agrees(acl, expect, tensors, dtype):
    """Four elements take four times what the type's size is said to be."""
    result = acl.aclGetTensorDescSize(desc=tensors.desc((4,), dtype))
    expect.true("the bytes", result.value, 4 * acl.aclDataTypeSize(dataType=dtype).value)


@covers("get_tensor_desc_size.sub_byte_types")
@pytest.mark.parametrize(("dtype", "count"), [("ACL_INT4", 3), ("ACL_UINT1", 9)])
def test_size_below_a_byte(acl, expect, tensors, dtype, count):
    """How types below one byte are packed is recorded."""
    result = acl.aclGetTensorDescSize(desc=tensors.desc((count,), dtype))
    expect.observed(result)


@covers("get_tensor_desc_size.dynamic_dim")
def test_size_of_dynamic(acl, expect, tensors):
    """A dim that is not known leaves no size."""
    result = acl.aclGetTensorDescSize(desc=tensors.desc((2, -1)))
    expect.true("the bytes", result.value, 0)


@covers("get_tensor_desc_size.empty")
def test_size_of_empty(acl, expect, tensors):
    """An empty tensor takes no bytes."""
    result = acl.aclGetTensorDescSize(desc=tensors.desc((2, 0)))
    expect.true("the bytes", result.value, 0)


@covers("get_tensor_desc_dim_v2.value")
@pytest.mark.parametrize(("index", "size"), [(0, 2), (1, 3), (2, 4)])
def test_dim_v2(acl, expect, tensors, index, size):
    """The dims are counted from 0."""
    result = acl.aclGetTensorDescDimV2(desc=tensors.desc((2, 3, 4)), index=index)
    expect.success(result)
    expect.true("the dim", result.dimSize, size)


@covers("get_tensor_desc_dim_v2.dynamic")
def test_dim_v2_dynamic(acl, expect, tensors):
    """A dim that is not known is -1, and no error."""
    result = acl.aclGetTensorDescDimV2(desc=tensors.desc((-1, 8)), index=0)
    expect.success(result)
    expect.true("the dim", result.dimSize, -1)


@covers("get_tensor_desc_dim_v2.index_out_of_range")
@pytest.mark.parametrize("index", [2, 2**64 - 1], ids=["two", "largest"])
def test_dim_v2_out_of_range(acl, expect, tensors, index):
    """An index beyond the dims is refused, and the output keeps its value."""
    result = acl.aclGetTensorDescDimV2(desc=tensors.desc((2, 3)), index=index)
    expect.refused(result)
    expect.true("the output is untouched", result.untouched("dimSize"))


@covers("get_tensor_desc_dim_v2.unknown_rank")
def test_dim_v2_of_unknown_rank(acl, expect, tensors):
    """What is told where the number of dims is not known is recorded."""
    result = acl.aclGetTensorDescDimV2(desc=tensors.desc((-2,)), index=0)
    expect.observed(result)
    expect.observed(f"dimSize {result.dimSize}")


@covers("get_tensor_desc_dim.same_as_v2", "get_tensor_desc_dim.deprecated")
@pytest.mark.parametrize(("index", "size"), [(0, 2), (1, 3), (2, -1)])
def test_dim(acl, expect, tensors, index, size):
    """The older call tells the same."""
    desc = tensors.desc((2, 3, -1))
    result = acl.aclGetTensorDescDim(desc=desc, index=index)
    expect.true("the dim of both calls", (result.value, tensors.dims(desc)[index]), (size, size))


@covers("get_tensor_desc_dim_range.round_trip")
@pytest.mark.parametrize("index", [0, 1])
def test_dim_range(acl, expect, tensors, index):
    """The bounds that were set are told, the smallest first."""
    desc = tensors.bounded((16, -1), BOUNDS)
    result = acl.aclGetTensorDescDimRange(desc=desc, index=index, dimRangeNum=2)
    expect.success(result)
    expect.true("the bounds", result.dimRange, list(BOUNDS[index]))


@covers("get_tensor_desc_dim_range.two_values_only")
@surfaces("c")
def test_dim_range_of_four(acl, expect, tensors):
    """Of a longer array only the first two entries are written."""
    desc, preset = tensors.bounded((16, -1), BOUNDS), InOut([-7, -8, -9, -10])
    result = acl.aclGetTensorDescDimRange(desc=desc, index=1, dimRangeNum=4, dimRange=preset)
    expect.success(result)
    expect.true("the array", result.dimRange, [1, 128, -9, -10])


@covers("get_tensor_desc_dim_range.length_below_two")
@surfaces("c")
@pytest.mark.parametrize("length", [0, 1])
def test_dim_range_too_short(acl, expect, tensors, length):
    """An array shorter than two is refused and left as it is."""
    desc, preset = tensors.bounded((16, -1), BOUNDS), InOut([-7, -8])
    result = acl.aclGetTensorDescDimRange(desc=desc, index=1, dimRangeNum=length, dimRange=preset)
    expect.refused(result)
    expect.true("the array", result.dimRange, [-7, -8])


@covers("get_tensor_desc_dim_range.never_set")
def test_dim_range_never_set(acl, expect, tensors):
    """Where no bounds were set there are none to tell."""
    result = acl.aclGetTensorDescDimRange(desc=tensors.desc((2, 3)), index=0, dimRangeNum=2)
    expect.refused(result)


@covers("get_tensor_desc_dim_range.unknown_rank")
def test_dim_range_of_unknown_rank(acl, expect, tensors):
    """What is told where the number of dims is not known is recorded."""
    result = acl.aclGetTensorDescDimRange(desc=tensors.desc((-2,)), index=0, dimRangeNum=2)
    expect.observed(result)


@covers("get_tensor_desc_name.value")
def test_name(acl, expect, tensors):
    """The name that was set is told."""
    result = acl.aclGetTensorDescName(desc=tensors.named("out_0"))
    expect.true("the name", result.value, b"out_0")


@covers("get_tensor_desc_name.unset")
def test_name_unset(acl, expect, tensors):
    """A description that was never named has an empty name."""
    result = acl.aclGetTensorDescName(desc=tensors.desc((2, 3)))
    expect.true("the name", result.value, b"")


@covers("get_tensor_desc_name.null_desc")
def test_name_of_null(acl, expect):
    """Nothing has an empty name."""
    result = acl.aclGetTensorDescName(desc=None)
    expect.true("the name", result.value, b"")
