"""The context that loads a model, and others."""

from __future__ import annotations

from harness.plugin import covers, isolated
from suites.models.load.files import MODEL


@covers("load_from_file.same_context_works", "load_from_file.founding_same_context")
def test_load_in_a_context(acl, expect, files, workbench):
    """A model is loaded, executed and unloaded with one and the same context current."""
    workbench.go(workbench.context())
    result = workbench.adopted(acl.aclmdlLoadFromFile(modelPath=str(files.models.file(MODEL))))
    expect.data(*workbench.outcome(expect.success(result).modelId, MODEL))


@covers("load_from_file.same_context_works", "load_from_file.founding_same_context")
def test_load_on_a_second_device(acl, expect, files, workbench, second_device):
    """A model is loaded, executed and unloaded with a context of another device current."""
    home = workbench.home()
    workbench.go(workbench.context(second_device))
    result = workbench.adopted(acl.aclmdlLoadFromFile(modelPath=str(files.models.file(MODEL))))
    expect.data(*workbench.outcome(expect.success(result).modelId, MODEL))
    workbench.go(home)


@covers("load_from_mem.founding_same_context")
def test_load_image_in_a_context(acl, expect, files, workbench):
    """A model from memory is loaded, executed and unloaded with one and the same context current."""
    workbench.go(workbench.context())
    result = workbench.adopted(acl.aclmdlLoadFromMem(**files.holding("aclmdlLoadFromMem", files.image())))
    expect.data(*workbench.outcome(expect.success(result).modelId, MODEL))


@covers("load_from_file_with_mem.founding_same_context")
def test_load_with_memory_in_a_context(acl, expect, workbench):
    """A model in memory of the caller is loaded, executed and unloaded with one context current."""
    workbench.go(workbench.context())
    result = workbench.adopted(acl.aclmdlLoadFromFileWithMem(**workbench.in_own_memory(MODEL)))
    expect.data(*workbench.outcome(expect.success(result).modelId, MODEL))


@covers("unload.same_context_works")
def test_unload_in_a_context(acl, expect, workbench):
    """A model is unloaded with the context current that has loaded it."""
    workbench.go(workbench.context())
    model = workbench.load(MODEL)
    result = acl.aclmdlUnload(modelId=model)
    workbench.forget_if(result, model)
    expect.success(result)


@covers("load_from_file.same_context_for_execute_unload")
@isolated("no document covers the call")
def test_execute_and_unload_elsewhere(acl, expect, workbench):
    """What execute and unload say in another context is recorded; back home the model still runs."""
    run, home = workbench.run_of(MODEL), workbench.home()
    workbench.go(workbench.context())
    expect.observed(acl.aclmdlExecute(**run.datasets))
    unloaded = acl.aclmdlUnload(modelId=run.id)
    workbench.forget_if(unloaded, run.id)
    workbench.go(home)
    expect.observed(unloaded)
    expect.true("the model runs at home unless it is unloaded", workbench.runs(run) or unloaded.ok)


@covers("load_from_mem.founding_other_context")
@isolated("no document covers the call")
def test_image_elsewhere(acl, expect, files, workbench):
    """What execute and unload say of a model from memory in another context is recorded."""
    loaded = workbench.call("aclmdlLoadFromMem", **files.holding("aclmdlLoadFromMem", files.image()))
    run = workbench.run_of(MODEL, workbench.adopt(loaded.modelId))
    workbench.go(workbench.context())
    expect.observed(acl.aclmdlExecute(**run.datasets))


@covers("load_from_file_with_mem.founding_other_context")
@isolated("no document covers the call")
def test_own_memory_elsewhere(acl, expect, workbench):
    """What execute says of a model in memory of the caller in another context is recorded."""
    loaded = workbench.call("aclmdlLoadFromFileWithMem", **workbench.in_own_memory(MODEL))
    run = workbench.run_of(MODEL, workbench.adopt(loaded.modelId))
    workbench.go(workbench.context())
    expect.observed(acl.aclmdlExecute(**run.datasets))


@covers("unload.same_context")
@isolated("no document covers the call")
def test_unload_elsewhere(acl, expect, workbench):
    """What unload says in another context is recorded."""
    model = workbench.load(MODEL)
    workbench.go(workbench.context())
    result = acl.aclmdlUnload(modelId=model)
    workbench.forget_if(result, model)
    expect.observed(result)


@covers("unload.same_context")
@isolated("no document covers the call")
def test_unload_after_the_context(acl, expect, workbench):
    """What unload says when the context of the load is destroyed is recorded."""
    home, context = workbench.home(), workbench.context()
    workbench.go(context)
    model = workbench.load(MODEL)
    workbench.go(home)
    workbench.destroy_context(context)
    result = acl.aclmdlUnload(modelId=model)
    workbench.forget_if(result, model)
    expect.observed(result)
