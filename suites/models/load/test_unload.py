"""Unloading: once, of models that are loaded, with everything given back."""

from __future__ import annotations

import pytest

from harness.plugin import covers, isolated
from suites.models.load.files import MODEL


@covers("unload.double_unload")
def test_twice(acl, expect, workbench):
    """A second unload is refused, and another model and another load of the same one are left alone."""
    other, model, twin = workbench.load("other_factor"), workbench.load(MODEL), workbench.load(MODEL)
    workbench.unload(model)
    expect.refused(acl.aclmdlUnload(modelId=model))
    expect.data(*workbench.outcome(other, "other_factor"))
    expect.data(*workbench.outcome(twin, MODEL))


@covers("unload.id_zero_unloaded")
@isolated("a process that has loaded nothing")
def test_id_zero(acl, expect):
    """Id 0 is refused where nothing is loaded."""
    expect.refused(acl.aclmdlUnload(modelId=0))


@covers("unload.bundle_member")
def test_bundle_member(acl, expect, workbench):
    """A model of a bundle is unloaded with its bundle only, which still works."""
    bundle = workbench.bundle()
    first, last = workbench.member_ids(bundle)
    expect.refused(acl.aclmdlUnload(modelId=first))
    expect.refused(acl.aclmdlUnload(modelId=last))
    workbench.unload_bundle(bundle)


@covers("unload.not_in_use")
def test_idle(acl, expect, workbench):
    """A model that nobody uses any more is unloaded."""
    run = workbench.run_of(MODEL)
    workbench.execute(run)
    result = acl.aclmdlUnload(modelId=run.id)
    workbench.forget_if(result, run.id)
    expect.success(result)


@covers("unload.releases_memory")
@pytest.mark.parametrize("name", [MODEL, "large"])
def test_memory(acl, expect, workbench, name):
    """Unload gives the model's memory back."""
    workbench.unload(workbench.load(name))
    before = workbench.free_memory()
    model = workbench.load(name)
    result = acl.aclmdlUnload(modelId=model)
    workbench.forget_if(result, model)
    expect.within("bytes that are missing", before - workbench.free_memory(), 0, workbench.slack)


@covers("unload.after_reset_device")
@isolated("resets the device")
def test_after_reset(initialised_only, expect, workbench):
    """What unload says after the device was reset is recorded."""
    workbench.call("aclrtSetDevice", deviceId=0)
    model = workbench.load(MODEL)
    workbench.forget(model)
    workbench.call("aclrtResetDevice", deviceId=0)
    expect.observed(initialised_only.aclmdlUnload(modelId=model))


@covers("unload.desc_outlives_model")
def test_description_stays(acl, expect, workbench):
    """A description tells the same after its model is unloaded."""
    model = workbench.load(MODEL)
    desc = workbench.description(model)
    before = workbench.told(desc)
    result = acl.aclmdlUnload(modelId=model)
    workbench.forget_if(result, model)
    expect.true("what the description tells", workbench.told(desc), before)
