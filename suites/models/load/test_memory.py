"""Work and weight memory: the library's, or the caller's."""

from __future__ import annotations

import pytest

from harness.plugin import covers, covers_each
from suites.models.load.files import MODEL

WITH_MEMORY = ("aclmdlLoadFromFileWithMem", "aclmdlLoadFromMemWithMem")
QUERIES = ("aclmdlQuerySize", "aclmdlQuerySizeFromMem")


@covers_each("null_work_ptr_managed", *WITH_MEMORY)
def test_work_of_the_library(api, acl, expect, files, workbench):
    """Without work memory the library takes its own and ignores the size."""
    given = {**files.holding(api, files.image()), "workSize": 12345}
    result = workbench.adopted(acl.call(api, **given))
    expect.data(*workbench.outcome(expect.success(result).modelId, MODEL))


@covers_each("null_weight_ptr_managed", *WITH_MEMORY)
def test_weights_of_the_library(api, acl, expect, files, workbench):
    """Without weight memory the library takes its own and ignores the size."""
    given = {**files.holding(api, files.image()), "weightSize": 1}
    result = workbench.adopted(acl.call(api, **given))
    expect.data(*workbench.outcome(expect.success(result).modelId, MODEL))


@covers_each("user_memory_from_query", *WITH_MEMORY)
def test_memory_of_the_queried_sizes(api, acl, expect, files, workbench):
    """Memory of exactly the sizes that were asked for is enough."""
    given = {**files.holding(api, files.image()), **workbench.own_memory(MODEL)}
    result = workbench.adopted(acl.call(api, **given))
    expect.data(*workbench.outcome(expect.success(result).modelId, MODEL))


@covers("load_from_file_with_mem.founding_sizes_in_bytes")
def test_sizes_are_bytes(acl, expect, workbench):
    """The sizes of the query, given as they are, suit; after unload the memory is still the caller's."""
    given = workbench.in_own_memory(MODEL)
    model = expect.success(acl.aclmdlLoadFromFileWithMem(**given)).modelId
    workbench.call("aclmdlUnload", modelId=model)
    expect.true("the memory can be written", workbench.can_write(given))


@covers_each("work_too_small", *WITH_MEMORY)
def test_work_one_byte_short(api, acl, expect, files, workbench):
    """Work memory one byte short is refused."""
    given = {**files.holding(api, files.image()), **workbench.own_memory(MODEL)}
    given["workSize"] -= 1
    expect.refused(acl.call(api, **given))


@covers_each("weight_too_small", *WITH_MEMORY)
def test_weights_one_byte_short(api, acl, expect, files, workbench):
    """Weight memory one byte short is refused, whoever has the work memory."""
    given = {**files.holding(api, files.image()), **workbench.own_memory(MODEL)}
    given["weightSize"] -= 1
    expect.refused(acl.call(api, **given))
    expect.refused(acl.call(api, **{**given, "workPtr": None, "workSize": 0}))


@covers_each("user_memory_lifetime", *WITH_MEMORY)
def test_memory_after_unload(api, acl, expect, files, workbench):
    """Unload leaves the caller's memory alone: it can be written and freed afterwards."""
    given = {**files.holding(api, files.image()), **workbench.own_memory(MODEL)}
    model = expect.success(acl.call(api, **given)).modelId
    workbench.call("aclmdlUnload", modelId=model)
    expect.true("the memory can be written", workbench.can_write(given))


@covers_each("weight_shared_between_loads", *WITH_MEMORY)
def test_shared_weights(api, acl, expect, files, workbench):
    """Two loads of one model may use the same weight memory."""
    own = workbench.own_memory(MODEL)
    given = {
        **files.holding(api, files.image()),
        "weightPtr": own["weightPtr"],
        "weightSize": own["weightSize"],
    }
    first = workbench.adopted(acl.call(api, **given))
    second = workbench.adopted(acl.call(api, **given))
    expect.data(*workbench.outcome(expect.success(first).modelId, MODEL))
    expect.data(*workbench.outcome(expect.success(second).modelId, MODEL, seed=3))


@covers_each("work_shared_serial_only", *WITH_MEMORY)
def test_shared_work(api, acl, expect, files, workbench):
    """Two models that run one after the other may share work memory."""
    own = workbench.own_memory(MODEL)
    work = {"workPtr": own["workPtr"], "workSize": own["workSize"]}
    first = workbench.adopted(acl.call(api, **{**files.holding(api, files.image()), **work}))
    second = workbench.adopted(acl.call(api, **{**files.holding(api, files.image("other_factor")), **work}))
    expect.data(*workbench.outcome(expect.success(first).modelId, MODEL))
    expect.data(*workbench.outcome(expect.success(second).modelId, "other_factor"))


@covers_each("values_sane", *QUERIES)
def test_sizes_do_not_change(api, acl, expect, files, workbench):
    """The sizes are the same each time, and when the model is loaded."""
    given = files.holding(api, files.image())
    before = expect.success(acl.call(api, **given)).outputs
    if files.case.supports("aclmdlLoadWithConfig"):
        workbench.load(MODEL)
    expect.true("the sizes", acl.call(api, **given).outputs, before)


@covers_each("no_device_memory_used", *QUERIES)
def test_sizes_take_no_memory(api, acl, expect, files, workbench):
    """Asking for sizes takes no device memory."""
    given = files.holding(api, files.image("large"))
    before = workbench.free_memory()
    expect.success(acl.call(api, **given))
    expect.within("bytes that are missing", before - workbench.free_memory(), 0, workbench.slack)


@covers("query_size.agrees_with_from_mem")
def test_sizes_of_file_and_image(acl, expect, files):
    """A file and its image have the same sizes."""
    from_file = acl.aclmdlQuerySize(**files.holding("aclmdlQuerySize", files.image()))
    from_image = acl.aclmdlQuerySizeFromMem(**files.holding("aclmdlQuerySizeFromMem", files.image()))
    expect.true("the sizes", expect.success(from_file).outputs, expect.success(from_image).outputs)


@covers("query_size.agrees_with_from_mem")
def test_sizes_cover_what_the_model_needs(acl, expect, files):
    """A model with constants and intermediate results needs both kinds of memory."""
    told = acl.aclmdlQuerySize(**files.holding("aclmdlQuerySize", files.image("large")))
    needed = files.models.program("large").weights
    expect.true("weights have room", expect.success(told).weightSize >= len(needed))


@covers("query_size.dynamic_model_work_zero")
@pytest.mark.parametrize("name", ["dynamic", "unbounded"])
def test_work_of_a_dynamic_model(acl, expect, files, name):
    """A dynamic-shape model asks for no work memory."""
    told = acl.aclmdlQuerySize(**files.holding("aclmdlQuerySize", files.image(name)))
    expect.true("work size", expect.success(told).workSize, 0)
