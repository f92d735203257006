"""Shapes of a model's inputs and outputs."""

from __future__ import annotations

import pytest

from harness.models import catalogue
from harness.plugin import covers, covers_each

DIMS = ("aclmdlGetInputDims", "aclmdlGetOutputDims")
PICTURES = catalogue.PICTURE_NAMES


@covers_each("scalar", *DIMS)
def test_scalar(api, descs):
    """A scalar has no dims."""
    result = descs.ask(api, descs.of("scalar"), 0)
    descs.expect_dims(result, ())


@covers_each("max_dims", *DIMS)
def test_too_many_dims(api, expect, descs):
    """More dims than the record has room for are not told."""
    result = descs.ask(api, descs.of("deep"), 0)
    expect.refused(result)


@covers("get_input_dims.dynamic_minus_one")
@pytest.mark.parametrize(("name", "dims"), [("batch", (-1, 4)), ("image_size", (1, 3, -1, -1))])
def test_dims_with_gears(descs, name, dims):
    """What a gear decides is -1."""
    result = descs.ask("aclmdlGetInputDims", descs.of(name), 0)
    descs.expect_dims(result, dims)


@covers("get_input_dims.dynamic_dims_minus_one")
@pytest.mark.parametrize("index", [0, 1])
def test_dims_with_dim_gears(descs, index):
    """Of an input with dim gears, the dims that change are -1."""
    result = descs.ask("aclmdlGetInputDims", descs.of("dim_gears"), index)
    descs.expect_dims(result, (2, -1))


@covers("get_output_dims.gear_model_max")
def test_output_dims_with_gears(descs):
    """The output dims are those of the largest gear."""
    result = descs.ask("aclmdlGetOutputDims", descs.of("batch"), 0)
    descs.expect_dims(result, (8, 4))


@covers("get_input_dims_v2.equals_v1_without_aipp")
@pytest.mark.parametrize("name", ["matmul_float32", "batch"])
def test_dims_v2(expect, descs, name):
    """Without preprocessing both calls tell the same."""
    desc = descs.of(name)
    result = descs.ask("aclmdlGetInputDimsV2", desc, 0)
    expect.success(result)
    expect.true("the record", result.dims, descs.dims(desc, "Input").dims)


@covers("get_input_dims_v2.static_aipp_product")
@pytest.mark.parametrize("name", PICTURES)
def test_dims_v2_of_picture(expect, descs, name):
    """The dims of a picture multiply to the bytes of the input."""
    desc = descs.of(name)
    result = descs.ask("aclmdlGetInputDimsV2", desc, 0)
    expect.success(result)
    size = descs.ask("aclmdlGetInputSizeByIndex", desc, 0).value
    expect.true("the product of the dims", descs.product(result), size)


@covers("get_input_dims_range.static_min_equals_max")
def test_range_of_fixed_dims(expect, descs):
    """A fixed dim is its own lower and upper bound."""
    result = descs.ask("aclmdlGetInputDimsRange", descs.of("matmul_float32"), 1)
    expect.success(result)
    expect.true("the bounds", descs.bounds(result), [(8, 8), (6, 6)])


@covers("get_input_dims_range.gear_model_no_ranges")
def test_range_with_gears(expect, descs):
    """A model with gears has no bounds."""
    result = descs.ask("aclmdlGetInputDimsRange", descs.of("batch"), 0)
    expect.true("the number of bounds", result.dimsRange["rangeCount"], 0)


@covers("get_input_dims_range.dynamic_ranges")
@pytest.mark.parametrize(
    ("name", "bounds"), [("dynamic", [(1, 16), (4, 4)]), ("unbounded", [(1, -1), (4, 4)])]
)
def test_range_of_dynamic_dims(expect, descs, name, bounds):
    """A dim that is open has the bounds the model was built with."""
    result = descs.ask("aclmdlGetInputDimsRange", descs.of(name), 0)
    expect.success(result)
    expect.true("the bounds", descs.bounds(result), bounds)


@covers("get_cur_output_dims.static_model")
@pytest.mark.parametrize("index", [0, 1])
def test_current_dims(descs, index):
    """The current output dims of a fixed shape are the output dims."""
    desc = descs.of("two_by_two")
    result = descs.ask("aclmdlGetCurOutputDims", desc, index)
    descs.expect_dims(result, (2, 8))


@covers("get_cur_output_dims.gear_before_set")
def test_current_dims_before_gear(descs):
    """Before a gear is chosen the largest one counts."""
    result = descs.ask("aclmdlGetCurOutputDims", descs.of("batch"), 0)
    descs.expect_dims(result, (8, 4))


@covers("get_cur_output_dims.gear_after_set")
def test_current_dims_after_gear(descs, shaping, workbench):
    """Once a gear is chosen and the model has run, the dims are those of the gear, each time."""
    run = shaping.geared_run("batch", (4,))
    workbench.call("aclmdlExecute", **run.datasets)
    desc = descs.of_model(run.id)
    descs.expect_dims(descs.ask("aclmdlGetCurOutputDims", desc, 0), (4, 4))
    shaping.choose(run, (2,))
    workbench.call("aclmdlExecute", **run.datasets)
    descs.expect_dims(descs.ask("aclmdlGetCurOutputDims", desc, 0), (2, 4))


@covers("get_cur_output_dims.dynamic_shape_model")
def test_current_dims_of_dynamic(expect, descs):
    """A dynamic-shape model has no current dims."""
    result = descs.ask("aclmdlGetCurOutputDims", descs.of("dynamic"), 0)
    expect.refused(result)


@covers("get_desc_from_file.no_cur_output_dims")
def test_current_dims_of_file(expect, descs):
    """A description of a file has no current dims."""
    result = descs.ask("aclmdlGetCurOutputDims", descs.of_file("two_by_two"), 0)
    expect.refused(result)


@covers("get_desc_from_mem.no_cur_output_dims")
def test_current_dims_of_image(expect, descs):
    """A description of an image has no current dims."""
    result = descs.ask("aclmdlGetCurOutputDims", descs.of_image("two_by_two"), 0)
    expect.refused(result)
