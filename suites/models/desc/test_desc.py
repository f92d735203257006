"""Descriptions of models: made, filled, and how much goes in and out."""

from __future__ import annotations

import pytest

from harness.plugin import covers, covers_each, isolated
from suites.models.loading import UNKNOWN_ID


@covers("create_desc.returns_object")
def test_create(acl, expect):
    """Every call gives a description of its own."""
    first = acl.aclmdlCreateDesc()
    second = acl.aclmdlCreateDesc()
    expect.true("two different descriptions", len({first.value, second.value} - {0}), 2)


@covers("create_desc.fresh_is_empty")
def test_fresh(acl, expect, descs):
    """A description that was never filled tells nothing."""
    result = acl.aclmdlCreateDesc()
    expect.true("a description is given", bool(result.value))
    descs.expect_nothing_told(result.value)


@covers("create_desc.needs_no_device")
@isolated("no device is set")
def test_create_without_device(initialised_only, acl, expect):
    """A description can be made and destroyed before any device is set."""
    result = acl.aclmdlCreateDesc()
    expect.true("a description is given", bool(result.value))
    expect.success(acl.aclmdlDestroyDesc(modelDesc=result.value))


@covers("get_desc.after_unload")
def test_unloaded_model(acl, expect, descs, workbench):
    """A model that was unloaded is not described."""
    model = workbench.load("affine")
    workbench.call("aclmdlUnload", modelId=model)
    workbench.forget(model)
    result = acl.aclmdlGetDesc(modelDesc=descs.empty(), modelId=model)
    expect.refused(result)


@covers("get_desc.refill_replaces")
def test_fill_from_another_model(acl, expect, descs, workbench):
    """Filling again replaces what a description told."""
    desc, model = descs.of("affine"), workbench.load("two_by_two")
    result = acl.aclmdlGetDesc(modelDesc=desc, modelId=model)
    expect.success(result)
    expect.true("what is told", descs.facts(desc), descs.facts(descs.of_model(model)))
    expect.true("inputs and outputs", descs.counts(desc), (2, 2))


@covers("get_desc.idempotent")
def test_fill_twice(acl, expect, descs, workbench):
    """Filling again from the same model changes nothing."""
    model = workbench.load("two_by_two")
    desc = descs.of_model(model)
    before = descs.facts(desc)
    result = acl.aclmdlGetDesc(modelDesc=desc, modelId=model)
    expect.success(result)
    expect.true("what is told", descs.facts(desc), before)


@covers("get_desc.failure_clears")
def test_fill_fails(acl, expect, descs):
    """What a description tells after it could not be filled again is recorded."""
    desc = descs.of("two_by_two")
    result = acl.aclmdlGetDesc(modelDesc=desc, modelId=UNKNOWN_ID)
    expect.observed(result)
    expect.observed(f"inputs and outputs: {descs.counts(desc)}")


@covers("get_desc_from_file.same_as_loaded")
@pytest.mark.parametrize("name", ["two_by_two", "batch", "image_size", "dynamic"])
def test_file(acl, descs, workbench, name):
    """A description of a file tells what that of the loaded model tells."""
    desc, path = descs.empty(), str(workbench.models.file(name))
    result = acl.aclmdlGetDescFromFile(modelDesc=desc, modelPath=path)
    descs.expect_same_facts(result, desc, name)


@covers("get_desc_from_mem.same_as_loaded")
@pytest.mark.parametrize("name", ["two_by_two", "batch", "image_size", "dynamic"])
def test_image(acl, descs, name):
    """A description of an image tells what that of the loaded model tells."""
    desc = descs.empty()
    result = acl.aclmdlGetDescFromMem(modelDesc=desc, **descs.image(name))
    descs.expect_same_facts(result, desc, name)


@covers("get_desc_from_file.bad_content")
def test_file_of_no_model(acl, expect, descs, workbench):
    """A file that is no model is refused."""
    path = str(workbench.models.crafted(b"\x5a" * 1024))
    result = acl.aclmdlGetDescFromFile(modelDesc=descs.empty(), modelPath=path)
    expect.refused(result)


@covers("get_desc_from_mem.bad_content")
def test_image_of_no_model(acl, expect, descs):
    """Memory that holds no model is refused."""
    result = acl.aclmdlGetDescFromMem(modelDesc=descs.empty(), **descs.no_model())
    expect.refused(result)


@covers("get_desc_from_file.missing_file")
def test_no_file(acl, expect, descs, workbench):
    """A file that does not exist is refused."""
    path = str(workbench.models.folder() / "none.om")
    result = acl.aclmdlGetDescFromFile(modelDesc=descs.empty(), modelPath=path)
    expect.refused(result)


@covers("get_desc_from_file.no_load")
def test_file_is_not_loaded(acl, expect, descs, workbench):
    """Describing a file takes no device memory."""
    desc, path, before = descs.empty(), str(workbench.models.file("large")), descs.free_memory()
    result = acl.aclmdlGetDescFromFile(modelDesc=desc, modelPath=path)
    expect.success(result)
    expect.true("free device memory", descs.free_memory(), before)


@covers("get_desc_from_mem.no_load")
def test_image_is_not_loaded(acl, expect, descs):
    """Describing an image takes no device memory."""
    desc, image, before = descs.empty(), descs.image("large"), descs.free_memory()
    result = acl.aclmdlGetDescFromMem(modelDesc=desc, **image)
    expect.success(result)
    expect.true("free device memory", descs.free_memory(), before)


@covers("get_num_inputs.counts")
@pytest.mark.parametrize("name", ["affine", "two_by_two", "batch"])
def test_num_inputs(acl, expect, descs, workbench, name):
    """The model's inputs are counted, the one that chooses a gear included."""
    result = acl.aclmdlGetNumInputs(modelDesc=descs.of(name))
    expect.true("the number of inputs", result.value, len(workbench.models.program(name).inputs))


@covers("get_num_outputs.counts")
@pytest.mark.parametrize("name", ["affine", "two_by_two"])
def test_num_outputs(acl, expect, descs, workbench, name):
    """The model's outputs are counted."""
    result = acl.aclmdlGetNumOutputs(modelDesc=descs.of(name))
    expect.true("the number of outputs", result.value, len(workbench.models.program(name).outputs))


@covers_each("static_size", "aclmdlGetInputSizeByIndex", "aclmdlGetOutputSizeByIndex")
@pytest.mark.parametrize("name", ["two_by_two", "matmul_float16", "reduce_int64"])
def test_size(api, descs, workbench, name):
    """The sizes of the first and the last input or output cover the elements of their fixed shapes."""
    program, desc = workbench.models.program(name), descs.of(name)
    tensors = program.inputs if "Input" in api else program.outputs
    first, last = tensors[0], tensors[-1]
    descs.expect_size(descs.ask(api, desc, 0), program, first.dims, first)
    descs.expect_size(descs.ask(api, desc, len(tensors) - 1), program, last.dims, last)


@covers("get_input_size_by_index.gear_size_is_max")
def test_size_with_gears(descs, workbench):
    """The size of an input with gears is that of the largest gear."""
    program = workbench.models.program("batch")
    result = descs.ask("aclmdlGetInputSizeByIndex", descs.of("batch"), 0)
    descs.expect_size(result, program, (8, 4), program.inputs[0])


@covers("get_input_size_by_index.unbounded_zero")
def test_size_without_bound(expect, descs):
    """An input that may become as large as it likes has no size."""
    result = descs.ask("aclmdlGetInputSizeByIndex", descs.of("unbounded"), 0)
    expect.true("the size", result.value, 0)


@covers("get_output_size_by_index.unknown_zero")
def test_output_size_without_bound(expect, descs):
    """An output that may become as large as it likes has no size."""
    result = descs.ask("aclmdlGetOutputSizeByIndex", descs.of("unbounded"), 0)
    expect.true("the size", result.value, 0)
