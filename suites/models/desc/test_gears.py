"""The shapes a model was built for."""

from __future__ import annotations

import pytest

from harness.binding import InOut
from harness.models import catalogue
from harness.plugin import covers, surfaces
from suites.models.desc.descriptions import ANY_INDEX, shape

UNTOUCHED = {"name": b"\x11" * 127, "dimCount": 77, "dims": [5] * 128}


@covers("get_dynamic_batch.values")
def test_batches(acl, expect, descs):
    """The batch sizes are those of the build."""
    result = acl.aclmdlGetDynamicBatch(modelDesc=descs.of("batch"))
    expect.success(result)
    told = result.batch["batch"][: result.batch["batchCount"]]
    expect.true("the batch sizes", sorted(told), sorted(catalogue.BATCHES))


@covers("get_dynamic_batch.no_gears_zero")
@pytest.mark.parametrize("name", ["affine", "image_size"])
def test_no_batches(acl, expect, descs, name):
    """A model without batch sizes has none, which is no error."""
    result = acl.aclmdlGetDynamicBatch(modelDesc=descs.of(name))
    expect.success(result)
    expect.true("the number of batch sizes", result.batch["batchCount"], 0)


@covers("get_dynamic_batch.max_128")
def test_too_many_batches(acl, expect, descs):
    """More batch sizes than the record has room for are not told."""
    result = acl.aclmdlGetDynamicBatch(modelDesc=descs.of("many_gears"))
    expect.refused(result)


@covers("get_dynamic_hw.values")
def test_image_sizes(acl, expect, descs):
    """The image sizes are those of the build, height first."""
    result = acl.aclmdlGetDynamicHW(modelDesc=descs.of("image_size"), index=ANY_INDEX)
    expect.success(result)
    told = [tuple(pair) for pair in result.hw["hw"][: result.hw["hwCount"]]]
    expect.true("the image sizes", sorted(told), sorted(catalogue.IMAGE_SIZES))


@covers("get_dynamic_hw.no_gears_zero")
@pytest.mark.parametrize("name", ["affine", "batch"])
def test_no_image_sizes(acl, expect, descs, name):
    """A model without image sizes has none, which is no error."""
    result = acl.aclmdlGetDynamicHW(modelDesc=descs.of(name), index=ANY_INDEX)
    expect.success(result)
    expect.true("the number of image sizes", result.hw["hwCount"], 0)


@covers("get_dynamic_hw.index_reserved")
def test_image_sizes_at_index_0(acl, expect, descs):
    """What is told for another index than -1 is recorded."""
    result = acl.aclmdlGetDynamicHW(modelDesc=descs.of("image_size"), index=0)
    expect.observed(result)


@covers("get_input_dynamic_gear_count.value")
def test_gear_count(acl, expect, descs):
    """The dim gears are counted."""
    result = acl.aclmdlGetInputDynamicGearCount(modelDesc=descs.of("dim_gears"), index=ANY_INDEX)
    expect.success(result)
    expect.true("the number of gears", result.gearCount, len(catalogue.DIM_GEARS))


@covers("get_input_dynamic_gear_count.no_gears_zero")
@pytest.mark.parametrize("name", ["affine", "batch"])
def test_no_gears(acl, expect, descs, name):
    """A model without dim gears has none, which is no error."""
    result = acl.aclmdlGetInputDynamicGearCount(modelDesc=descs.of(name), index=ANY_INDEX)
    expect.success(result)
    expect.true("the number of gears", result.gearCount, 0)


@covers("get_input_dynamic_dims.concatenated")
def test_dynamic_dims(acl, expect, descs):
    """A gear has the dims of all inputs, one behind the other."""
    desc, count = descs.of("dim_gears"), len(catalogue.DIM_GEARS)
    result = acl.aclmdlGetInputDynamicDims(modelDesc=desc, index=ANY_INDEX, gearCount=count)
    expect.success(result)
    told = [tuple(shape(record)) for record in result.dims]
    expect.true("the gears", sorted(told), sorted(catalogue.DIM_GEARS))


@covers("get_input_dynamic_dims.array_larger")
@surfaces("c")
def test_dynamic_dims_with_room(acl, expect, descs):
    """Of a larger array only as many entries are written as there are gears."""
    desc, count = descs.of("dim_gears"), len(catalogue.DIM_GEARS)
    preset = InOut([UNTOUCHED] * (count + 2))
    result = acl.aclmdlGetInputDynamicDims(modelDesc=desc, index=ANY_INDEX, gearCount=count + 2, dims=preset)
    expect.success(result)
    expect.true("dims of the last entries", [entry["dimCount"] for entry in result.dims[count:]], [77, 77])
    expect.true(
        "dims of the first entries", [entry["dimCount"] for entry in result.dims[:count]], [4] * count
    )
