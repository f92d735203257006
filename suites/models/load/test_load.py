"""Loading models: ids, sources, states of the process, threads."""

from __future__ import annotations

import pytest

from harness.binding import InOut
from harness.plugin import covers, isolated, surfaces
from suites.models.load.files import MODEL
from suites.threads import elsewhere


@covers("load_from_file.id_unique_per_load")
def test_two_loads(acl, expect, files, workbench):
    """Two loads of one file give two ids, and both models run."""
    first = workbench.load(MODEL)
    second = workbench.adopted(acl.aclmdlLoadFromFile(modelPath=str(files.models.file(MODEL))))
    expect.true("the ids differ", first != expect.success(second).modelId)
    expect.data(*workbench.outcome(first, MODEL))
    expect.data(*workbench.outcome(second.modelId, MODEL))


@covers("load_from_file.id_not_written_on_failure")
@surfaces("c")
def test_id_after_a_refused_load(acl, expect, files):
    """A refused load leaves the caller's id alone, whatever is wrong with the file."""
    result = acl.aclmdlLoadFromFile(modelPath=str(files.missing()), modelId=InOut(0xDEADBEEF))
    expect.refused(result)
    expect.true("the id", result.modelId, 0xDEADBEEF)
    cut = str(files.models.crafted(files.image()[:-1]))
    result = acl.aclmdlLoadFromFile(modelPath=cut, modelId=InOut(0xDEADBEEF))
    expect.refused(result)
    expect.true("the id", result.modelId, 0xDEADBEEF)


@covers("load_from_file.id_zero_never_valid_for_dynamic")
def test_id_of_a_dynamic_model(acl, expect, files, workbench):
    """A static and a dynamic-shape model that live together have different ids."""
    static = workbench.load(MODEL)
    result = workbench.adopted(acl.aclmdlLoadFromFile(modelPath=str(files.models.file("dynamic"))))
    expect.true("the ids differ", result.ok and result.modelId != static)


@covers("load_from_file.founding_sync", "load_from_file.founding_system_memory")
def test_used_at_once(acl, expect, files, workbench):
    """A model can be described, executed and unloaded right after the load, without memory of the caller."""
    result = workbench.adopted(acl.aclmdlLoadFromFile(modelPath=str(files.models.file(MODEL))))
    workbench.description(expect.success(result).modelId)
    expect.data(*workbench.outcome(result.modelId, MODEL))


@covers("load_from_mem.founding_sync", "load_from_mem.founding_system_memory")
def test_image_used_at_once(acl, expect, files, workbench):
    """A model from memory can be described, executed and unloaded right after the load."""
    result = workbench.adopted(acl.aclmdlLoadFromMem(**files.holding("aclmdlLoadFromMem", files.image())))
    workbench.description(expect.success(result).modelId)
    expect.data(*workbench.outcome(result.modelId, MODEL))


@covers("load_from_file_with_mem.founding_sync")
def test_model_in_own_memory_used_at_once(acl, expect, workbench):
    """A model in memory of the caller can be described, executed and unloaded right after the load."""
    result = workbench.adopted(acl.aclmdlLoadFromFileWithMem(**workbench.in_own_memory(MODEL)))
    workbench.description(expect.success(result).modelId)
    expect.data(*workbench.outcome(result.modelId, MODEL))


@covers("load_from_file.founding_python_pair")
@surfaces("pyacl")
def test_python_pair(acl, expect, files, workbench):
    """The Python binding gives the pair of id and status."""
    pair = acl.module.mdl.load_from_file(str(files.models.file(MODEL)))
    expect.true("a pair whose status is 0", (len(pair), pair[1]), (2, 0))
    workbench.adopt(pair[0])
    expect.true("a status for a missing file", acl.module.mdl.load_from_file(str(files.missing()))[1] != 0)


@covers("load_from_mem.founding_python_pair")
@surfaces("pyacl")
def test_python_pair_of_an_image(acl, expect, files, workbench):
    """The Python binding gives the pair of id and status for a model in memory."""
    given = files.holding("aclmdlLoadFromMem", files.image())
    pair = acl.module.mdl.load_from_mem(given["model"].ptr, given["modelSize"])
    expect.true("a pair whose status is 0", (len(pair), pair[1]), (2, 0))
    workbench.adopt(pair[0])


@covers("load_from_file_with_mem.founding_python_pair")
@surfaces("pyacl")
def test_python_pair_with_memory(acl, expect, files, workbench):
    """The Python binding gives the pair of id and status for a load into memory."""
    pair = acl.module.mdl.load_from_file_with_mem(str(files.models.file(MODEL)), 0, 0, 0, 0)
    expect.true("a pair whose status is 0", (len(pair), pair[1]), (2, 0))
    workbench.adopt(pair[0])
    missing = acl.module.mdl.load_from_file_with_mem(str(files.missing()), 0, 0, 0, 0)
    expect.true("a status for a missing file", missing[1] != 0)


@covers("load_from_mem.host_memory_ep", "load_from_mem.founding_memory_side")
@pytest.mark.parametrize("kind", ["pageable", "pinned"])
def test_image_in_host_memory(acl, case, expect, files, workbench, memory, kind):
    """On a host application a model in plain and in page-locked host memory loads."""
    if case.shares_memory:
        expect.blocked("host and device use the same memory in this form")
    image = files.image()
    block = memory.of(kind, len(image)).write(image)
    expect.success(workbench.adopted(acl.aclmdlLoadFromMem(model=block, modelSize=len(image))))


@covers("load_from_mem.device_memory_rc", "load_from_mem.founding_memory_side")
def test_image_in_device_memory(acl, case, expect, files, workbench, memory):
    """Where host and device use the same memory, a model in device memory loads."""
    if not case.shares_memory:
        expect.blocked("host and device have memory of their own in this form")
    image = files.image()
    block = memory.device(len(image)).write(image)
    expect.success(workbench.adopted(acl.aclmdlLoadFromMem(model=block, modelSize=len(image))))


@covers("load_from_mem.same_result_as_file")
def test_file_and_image(acl, expect, files, workbench):
    """A model from memory has the sizes and the results of the same model from its file."""
    from_file = workbench.load(MODEL)
    result = workbench.adopted(acl.aclmdlLoadFromMem(**files.holding("aclmdlLoadFromMem", files.image())))
    told = workbench.sizes(expect.success(result).modelId)
    expect.true("sizes of inputs and outputs", told, workbench.sizes(from_file))
    expect.data(workbench.outcome(result.modelId, MODEL)[0], workbench.outcome(from_file, MODEL)[0])


@covers("load_from_mem.buffer_free_after_load")
def test_image_overwritten_after_load(acl, expect, files, workbench):
    """The caller may overwrite the image once the call has returned."""
    given = files.holding("aclmdlLoadFromMem", files.image())
    result = workbench.adopted(acl.aclmdlLoadFromMem(**given))
    given["model"].fill(0xFF)
    expect.data(*workbench.outcome(expect.success(result).modelId, MODEL))


@covers("load_from_file.before_init")
@isolated("starts before aclInit")
def test_before_init(bare, expect, files):
    """Loading before aclInit is refused."""
    expect.refused(bare.aclmdlLoadFromFile(modelPath=str(files.models.file(MODEL))))


@covers("query_size.before_init")
@isolated("starts before aclInit")
def test_sizes_before_init(bare, expect, files):
    """Asking for sizes before aclInit is refused."""
    expect.refused(bare.aclmdlQuerySize(fileName=str(files.models.file(MODEL))))


@covers("load_from_file.before_set_device")
@isolated("no device is set")
def test_before_set_device(initialised_only, expect, files):
    """Loading without a current context is refused."""
    expect.refused(initialised_only.aclmdlLoadFromFile(modelPath=str(files.models.file(MODEL))))


@covers("load_from_file.after_finalize")
@isolated("ends after aclFinalize")
def test_after_finalize(bare, expect, files, workbench):
    """Loading after aclFinalize is refused."""
    workbench.call("aclInit", configPath=None)
    workbench.call("aclFinalize")
    expect.refused(bare.aclmdlLoadFromFile(modelPath=str(files.models.file(MODEL))))


@covers("load_from_file.other_thread_same_context")
def test_other_thread(acl, expect, workbench):
    """A model that one thread has loaded runs in another that has the same context current."""
    run = workbench.run_of(MODEL)
    elsewhere(acl, lambda: expect.success(acl.aclmdlExecute(**run.datasets)))
    expect.data(run.result(), run.wanted)
