"""Choosing batch size, image size or dims of the next run."""

from __future__ import annotations

import pytest

from harness.plugin import covers, covers_each
from suites.models.dynamic.gears import MODELS

SETTERS = tuple(MODELS)


@covers_each("every_gear", *SETTERS)
@pytest.mark.parametrize("number", [0, 1, 2])
def test_every_gear(api, gears, number):
    """Each gear the model was built for is taken, and the run is one of that shape."""
    run, gear = gears.run(api, number)
    result = gears.set(run, gear)
    gears.expect_run(result, run)


@covers("set_dynamic_batch_size.every_gear")
def test_largest_batch(gears):
    """The largest batch is taken, and the run is one of that size."""
    run, gear = gears.run("aclmdlSetDynamicBatchSize", 3)
    result = gears.set(run, gear)
    gears.expect_run(result, run)


@covers_each("rerun_other_gear", *SETTERS)
def test_other_gear(api, gears):
    """Between two runs another gear can be chosen."""
    first, second, third = gears.run(api, 2), gears.run(api, 0), gears.run(api, 1)
    gears.expect_runs(first, second, third)


@covers_each("control_input_name", *SETTERS, uses=["aclmdlGetInputIndexByName"])
def test_control_input(api, expect, gears):
    """The input that takes the gear has a reserved name, and a size."""
    run, _ = gears.run(api)
    result = gears.control_index(run)
    expect.success(result)
    expect.true("the size is above 0", gears.control_size(run, result.index) > 0)


@covers_each("buffer_too_small", *SETTERS)
def test_control_input_too_small(api, expect, gears):
    """A control input without room for the gear is refused."""
    run, gear = gears.run(api)
    result = gears.set_in(run, gear, 4 * len(gear) - 1)
    expect.refused(result)


@covers_each("null_buffer_address", *SETTERS)
def test_control_input_without_memory(api, expect, gears):
    """A control input without memory is refused."""
    run, gear = gears.run(api)
    result = gears.set_in(run, gear, 8 * len(gear), None)
    expect.refused(result)


@covers_each("static_model", *SETTERS)
def test_static_model(api, expect, gears):
    """A model of fixed shapes has no gear to choose, and runs as before."""
    run, gear = gears.run(api)
    result, static = gears.set_for_static(run, gear)
    expect.refused(result)
    gears.expect_right(static)


@covers_each("gear_must_be_set", *SETTERS)
def test_run_without_gear(api, expect, gears):
    """What a run without a chosen gear does is recorded."""
    run, _ = gears.run(api)
    run.input_blocks[-1].fill(0)
    result = gears.execute(run)
    expect.observed(result)


@covers_each("one_kind_only", *SETTERS)
def test_other_kind(api, expect, gears):
    """What the call for another kind of gears does is recorded."""
    run, gear = gears.run(api)
    expect.success(gears.set(run, gear))
    result = gears.set_otherwise(run)
    expect.observed(result)


@covers_each("element_width", *SETTERS)
@pytest.mark.parametrize("width", [8, 4])
def test_numbers_in_control_input(api, expect, gears, width):
    """The control input gets the gear's numbers in their order, as wide as it has room for."""
    run, gear = gears.run(api, 1)
    narrow = gears.with_control(run, width * len(gear))
    result = gears.set(narrow, gear)
    expect.success(result)
    expect.true("the numbers", gears.control(narrow, width, len(gear)), list(gear))


@covers("set_dataset_tensor_desc.shape_for_dynamic_model")
@pytest.mark.parametrize("rows", [1, 3, 16])
def test_shape_by_description(acl, expect, shaping, workbench, rows):
    """A dynamic-shape model takes its input's shape from the dataset, as it was told last."""
    run = shaping.unshaped_run("dynamic", rows)
    workbench.call(
        "aclmdlSetDatasetTensorDesc", dataset=run.input, tensorDesc=shaping.tensor_desc((2, 4)), index=0
    )
    desc = shaping.tensor_desc((rows, 4))
    result = acl.aclmdlSetDatasetTensorDesc(dataset=run.input, tensorDesc=desc, index=0)
    expect.success(result)
    workbench.execute(run)
    expect.data(run.result(), run.wanted, "the output")
    expect.true("the output's shape", shaping.told_shape(run.output, 0), (rows, 4))


@covers("update_data_buffer.used_in_dataset")
def test_updated_buffer(acl, expect, workbench):
    """Data buffers that were updated bring their new memory into the next run, on both sides."""
    run, other = workbench.run_of("affine"), workbench.run_of("affine", seed=2)
    workbench.execute(run)
    block, target = other.input_blocks[0], other.output_blocks[0]
    result = acl.aclUpdateDataBuffer(dataBuffer=run.input_buffers[0], data=block, size=block.size)
    expect.success(result)
    result = acl.aclUpdateDataBuffer(dataBuffer=run.output_buffers[0], data=target, size=target.size)
    expect.success(result)
    workbench.execute(run)
    expect.data(other.result(), other.wanted, "the output")
