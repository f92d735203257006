"""Tensor descriptions: made and destroyed."""

from __future__ import annotations

import numpy as np
import pytest

from harness.plugin import covers, isolated, surfaces
from suites.models.tensor.tensors import FLOAT, INT32, NCHW, ND

UNDEFINED_TYPE, UNDEFINED_FORMAT = "ACL_DT_UNDEFINED", "ACL_FORMAT_UNDEFINED"


@covers("create_tensor_desc.keeps_facts")
def test_create(acl, tensors):
    """Type, format and dims are those that were given."""
    result = acl.aclCreateTensorDesc(dataType=FLOAT, numDims=4, dims=[2, 3, 4, 5], format=NCHW)
    tensors.expect_facts(result, (2, 3, 4, 5), FLOAT, NCHW)


@covers("create_tensor_desc.keeps_facts")
def test_create_large_dim(acl, tensors):
    """Dims have 64 bits."""
    result = acl.aclCreateTensorDesc(dataType=INT32, numDims=2, dims=[1 << 40, 7], format=ND)
    tensors.expect_facts(result, (1 << 40, 7), INT32, ND)


@covers("create_tensor_desc.keeps_facts")
def test_create_many_dims(acl, tensors):
    """A description may have as many dims as a model's."""
    dims = list(range(1, 129))
    result = acl.aclCreateTensorDesc(dataType=FLOAT, numDims=128, dims=dims, format=ND)
    tensors.expect_facts(result, dims, FLOAT, ND)


@covers("create_tensor_desc.scalar")
@surfaces("c")
@pytest.mark.parametrize("dims", [None, [7]], ids=["null", "ignored"])
def test_create_scalar(acl, tensors, dims):
    """Without dims the pointer is not used."""
    result = acl.aclCreateTensorDesc(dataType=FLOAT, numDims=0, dims=dims, format=ND)
    tensors.expect_facts(result, (), FLOAT, ND)


@covers("create_tensor_desc.scalar")
def test_create_no_dims(acl, tensors):
    """An empty list of dims makes a scalar."""
    result = acl.aclCreateTensorDesc(dataType=FLOAT, numDims=0, dims=[], format=ND)
    tensors.expect_facts(result, (), FLOAT, ND)


@covers("create_tensor_desc.zero_dim_is_empty")
def test_create_empty(acl, expect, tensors):
    """A dim of 0 makes a tensor without elements and bytes."""
    result = acl.aclCreateTensorDesc(dataType=FLOAT, numDims=3, dims=[2, 0, 3], format=ND)
    tensors.expect_facts(result, (2, 0, 3), FLOAT, ND)
    expect.true("the elements", tensors.told("aclGetTensorDescElementCount", result.value), 0)
    expect.true("the bytes", tensors.told("aclGetTensorDescSize", result.value), 0)


@covers("create_tensor_desc.unknown_dim")
def test_create_unknown_dim(acl, tensors):
    """A dim of -1 stays one."""
    result = acl.aclCreateTensorDesc(dataType=FLOAT, numDims=2, dims=[-1, 3], format=ND)
    tensors.expect_facts(result, (-1, 3), FLOAT, ND)


@covers("create_tensor_desc.optional_placeholder")
def test_create_placeholder(acl, tensors):
    """An optional input that is not used is described by undefined type and format."""
    result = acl.aclCreateTensorDesc(dataType=UNDEFINED_TYPE, numDims=0, dims=[], format=UNDEFINED_FORMAT)
    tensors.expect_facts(result, (), UNDEFINED_TYPE, UNDEFINED_FORMAT)


@covers("create_tensor_desc.copies_dims")
@surfaces("c")
def test_create_copies_dims(acl, expect, memory, tensors):
    """The caller's array may change after the call."""
    array = memory.pageable(16).write(np.array([5, 6], "<i8"))
    result = acl.aclCreateTensorDesc(dataType=FLOAT, numDims=2, dims=array.ptr, format=ND)
    array.write(np.array([8, 9], "<i8"))
    tensors.expect_facts(result, (5, 6), FLOAT, ND)


@covers("create_tensor_desc.needs_no_device")
@isolated("no device is set")
def test_create_without_device(initialised_only, acl, tensors):
    """A description can be made before any device is set."""
    result = acl.aclCreateTensorDesc(dataType=FLOAT, numDims=2, dims=[2, 3], format=ND)
    tensors.expect_facts(result, (2, 3), FLOAT, ND)


@covers("destroy_tensor_desc.object_destroyed")
def test_destroy(tensors):
    """Every one of a thousand descriptions is destroyed, and none is left."""
    made = {"dataType": FLOAT, "numDims": 2, "dims": [2, 3], "format": ND}
    results = tensors.rounds(1000, "aclCreateTensorDesc", "aclDestroyTensorDesc", "desc", **made)
    tensors.expect_all_success(results)


@covers("get_tensor_desc_by_index.null_desc")
@surfaces("c")
def test_element_of_null(acl, expect):
    """Nothing has no elements, whatever the index."""
    result = acl.aclGetTensorDescByIndex(desc=None, index=1)
    expect.true("the element", result.value, 0)


@covers("get_tensor_desc_address.plain_desc")
def test_address_of_plain(acl, expect, tensors):
    """A description that no operator has made has no address."""
    result = acl.aclGetTensorDescAddress(desc=tensors.desc((2, 3)))
    expect.true("the address", result.value, 0)


@covers("trans_tensor_desc_format.reserved")
def test_conversion_is_reserved(acl, expect, tensors):
    """What the reserved conversion does is recorded; the source stays as it is."""
    source = tensors.desc((1, 2, 3, 4))
    result = acl.aclTransTensorDescFormat(srcDesc=source, dstFormat="ACL_FORMAT_NHWC")
    expect.observed(result)
    tensors.expect_source_kept(result, source, (1, 2, 3, 4))
