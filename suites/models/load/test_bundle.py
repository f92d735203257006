"""Bundles: several models in one file."""

from __future__ import annotations

from harness.models import catalogue
from harness.plugin import covers
from suites.models.load import files as made
from suites.models.load.files import MODEL

BUNDLE = "bundle"
MEMBERS = catalogue.BUNDLES[BUNDLE]


@covers("bundle_load_from_file.not_a_bundle")
def test_plain_file(acl, expect, workbench, files):
    """A file with a single model is refused."""
    expect.refused(
        workbench.adopted_bundle(acl.aclmdlBundleLoadFromFile(modelPath=str(files.models.file(MODEL))))
    )


@covers("bundle_load_from_mem.not_a_bundle")
def test_plain_image(acl, expect, workbench, files):
    """A single model in memory is refused."""
    given = files.holding("aclmdlBundleLoadFromMem", files.image())
    expect.refused(workbench.adopted_bundle(acl.aclmdlBundleLoadFromMem(**given)))


@covers("bundle_load_from_file.file_too_small")
def test_too_small(acl, expect, files):
    """A file that ends in the head of the table is refused."""
    cut = files.models.crafted(files.image(BUNDLE)[:263])
    expect.refused(acl.aclmdlBundleLoadFromFile(modelPath=str(cut)))


@covers("bundle_load_from_file.partition_overrun")
def test_member_past_the_end(acl, expect, files):
    """A bundle whose member ends behind the file is refused."""
    broken = files.models.crafted(made.with_first_partition_size(files.image(BUNDLE), 1 << 30))
    expect.refused(acl.aclmdlBundleLoadFromFile(modelPath=str(broken)))


@covers("bundle_get_model_num.counts_members")
def test_count(acl, expect, workbench):
    """A bundle of two models counts two."""
    expect.true("models", acl.aclmdlBundleGetModelNum(bundleId=workbench.bundle()).modelNum, len(MEMBERS))


@covers("bundle_get_model_id.after_init_only")
def test_ids_before_load(acl, expect, workbench):
    """A bundle that was only initialised has no ids of models."""
    expect.refused(acl.aclmdlBundleGetModelId(bundleId=workbench.initialised_bundle(), index=0))


@covers("bundle_get_model_id.ids_distinct")
def test_ids(acl, expect, workbench):
    """The models of a bundle have ids of their own and compute what each was made for."""
    bundle = workbench.bundle()
    ids = [acl.aclmdlBundleGetModelId(bundleId=bundle, index=index).modelId for index in range(len(MEMBERS))]
    expect.true("different ids", len(set(ids)), len(MEMBERS))
    outcomes = [workbench.outcome(model, name) for model, name in zip(ids, MEMBERS, strict=True)]
    expect.data(b"".join(got for got, _ in outcomes), b"".join(wanted for _, wanted in outcomes))


@covers("bundle_unload.double")
def test_unload_twice(acl, expect, workbench):
    """A second unload of a bundle is refused."""
    bundle = workbench.bundle()
    workbench.unload_bundle(bundle)
    expect.refused(acl.aclmdlBundleUnload(bundleId=bundle))


@covers("bundle_unload.invalidates_members")
def test_members_after_unload(acl, expect, workbench):
    """No id of a member is known once the bundle is unloaded."""
    bundle = workbench.bundle()
    first, last = workbench.member_ids(bundle)
    workbench.unload_bundle(bundle)
    expect.refused(acl.aclmdlGetDesc(modelDesc=workbench.empty_description(), modelId=first))
    expect.refused(acl.aclmdlGetDesc(modelDesc=workbench.empty_description(), modelId=last))


@covers("bundle_create_query_info.returns_object")
def test_create_query(acl, expect, afterwards):
    """A query object is made."""
    result = acl.aclmdlBundleCreateQueryInfo()
    afterwards("aclmdlBundleDestroyQueryInfo", queryInfo=result.value)
    expect.true("an object", bool(result.value))


@covers("bundle_init_from_file.var_weight_too_small")
def test_variables_one_byte_short(acl, expect, workbench, files, memory):
    """Memory for the variables that is one byte short is refused."""
    size = workbench.variable_bytes(BUNDLE)
    given = {"varWeightPtr": memory.device(size), "varWeightSize": size - 1}
    path = str(files.models.file(BUNDLE))
    expect.refused(workbench.adopted_bundle(acl.aclmdlBundleInitFromFile(modelPath=path, **given)))


@covers("bundle_init_from_file.var_weight_null_managed")
def test_variables_of_the_library(acl, expect, workbench, files):
    """Without memory for the variables the library takes its own."""
    given = {"modelPath": str(files.models.file(BUNDLE)), "varWeightPtr": None, "varWeightSize": 0}
    bundle = expect.success(workbench.adopted_bundle(acl.aclmdlBundleInitFromFile(**given))).bundleId
    member = workbench.call("aclmdlBundleLoadModel", bundleId=bundle, index=1).modelId
    expect.data(*workbench.outcome(member, MEMBERS[1]))


@covers("bundle_init_from_mem.memory_lifetime")
def test_image_kept_until_load(acl, expect, workbench, files):
    """With the image kept until its models are loaded, they work."""
    given = files.holding("aclmdlBundleInitFromMem", files.image(BUNDLE))
    bundle = workbench.adopted_bundle(acl.aclmdlBundleInitFromMem(**given)).bundleId
    member = workbench.call("aclmdlBundleLoadModel", bundleId=bundle, index=0).modelId
    got, wanted = workbench.outcome(member, MEMBERS[0])
    expect.data(got, wanted)
    expect.observed("the models of an image that was kept are loaded and run")


@covers("bundle_unload_model.foreign_id")
def test_unload_a_foreign_model(acl, expect, workbench):
    """A model that is no member of the bundle, or one of another bundle, is not unloaded with it."""
    bundle, plain = workbench.initialised_bundle(), workbench.load(MODEL)
    foreign = workbench.call(
        "aclmdlBundleLoadModel", bundleId=workbench.initialised_bundle(), index=0
    ).modelId
    expect.refused(acl.aclmdlBundleUnloadModel(bundleId=bundle, modelId=plain))
    expect.refused(acl.aclmdlBundleUnloadModel(bundleId=bundle, modelId=foreign))
    expect.data(*workbench.outcome(plain, MODEL))
    expect.data(*workbench.outcome(foreign, MEMBERS[0]))


@covers("bundle_unload_model.twice")
def test_unload_a_member_twice(acl, expect, workbench):
    """A member is unloaded once, whichever it is."""
    bundle = workbench.initialised_bundle()
    member = workbench.call("aclmdlBundleLoadModel", bundleId=bundle, index=1).modelId
    workbench.call("aclmdlBundleUnloadModel", bundleId=bundle, modelId=member)
    expect.refused(acl.aclmdlBundleUnloadModel(bundleId=bundle, modelId=member))
