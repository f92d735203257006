"""Configuration handles, and the attributes of loaded models."""

from __future__ import annotations

import ctypes

import pytest

from harness.plugin import covers
from suites.models.configuring import LOAD_FROM_FILE
from suites.models.load.files import MODEL

FROM_FILE_WITH_MEMORY, FROM_MEMORY, FROM_MEMORY_WITH_MEMORY = 2, 3, 4
FILE_WITH_QUEUES = 5
QUEUE_OPTIONS = (
    "ACL_MDL_INPUTQ_NUM_SIZET",
    "ACL_MDL_INPUTQ_ADDR_PTR",
    "ACL_MDL_OUTPUTQ_NUM_SIZET",
    "ACL_MDL_OUTPUTQ_ADDR_PTR",
)


@covers("create_config_handle.returns_handle")
def test_create(acl, expect, afterwards):
    """Two calls give two handles."""
    first, second = acl.aclmdlCreateConfigHandle(), acl.aclmdlCreateConfigHandle()
    afterwards("aclmdlDestroyConfigHandle", handle=first.value)
    afterwards("aclmdlDestroyConfigHandle", handle=second.value)
    expect.true("two handles", bool(first.value and second.value) and first.value != second.value)


@covers("destroy_config_handle.once")
def test_destroy(acl, expect, workbench):
    """A handle is destroyed."""
    handle = workbench.call("aclmdlCreateConfigHandle").value
    expect.success(acl.aclmdlDestroyConfigHandle(handle=handle))


@covers("load_with_config.empty_handle")
def test_nothing_set(acl, expect, workbench):
    """A handle without any source is refused."""
    expect.refused(acl.aclmdlLoadWithConfig(handle=workbench.config()))


@covers("load_with_config.missing_load_type")
def test_no_type(acl, expect, workbench, files):
    """A handle without a load type is refused."""
    handle = workbench.config(path=str(files.models.file(MODEL)))
    expect.refused(acl.aclmdlLoadWithConfig(handle=handle))


@covers("load_with_config.file_type_without_path")
def test_no_path(acl, expect, workbench, files):
    """Loading from a file needs a path, whatever else is set."""
    handle = workbench.config(type=LOAD_FROM_FILE)
    workbench.set_image(handle, files.image())
    expect.refused(acl.aclmdlLoadWithConfig(handle=handle))


@covers("load_with_config.mem_type_without_addr")
def test_no_address(acl, expect, workbench):
    """Loading from memory needs an address."""
    handle = workbench.config(type=FROM_MEMORY)
    workbench.set_config(handle, "ACL_MDL_MEM_SIZET", ctypes.c_size_t(4096))
    expect.refused(acl.aclmdlLoadWithConfig(handle=handle))


@covers("load_with_config.file_type_with_weight_path")
def test_weight_path_with_file(acl, expect, workbench, files):
    """A model file has its weights beside it: a weight folder is refused."""
    handle = workbench.config(type=LOAD_FROM_FILE, path=str(files.models.file(MODEL)))
    workbench.set_config(handle, "ACL_MDL_WEIGHT_PATH_PTR", ctypes.c_char_p(b"/tmp"))
    expect.refused(acl.aclmdlLoadWithConfig(handle=handle))


@covers("load_with_config.queue_type_needs_four")
@pytest.mark.parametrize("left_out", QUEUE_OPTIONS)
def test_queue_option_left_out(acl, expect, workbench, files, left_out):
    """Loading with queues needs both arrays and both counts."""
    handle = workbench.config(type=FILE_WITH_QUEUES, path=str(files.models.file(MODEL)))
    workbench.set_queues(handle, [option for option in QUEUE_OPTIONS if option != left_out])
    expect.refused(acl.aclmdlLoadWithConfig(handle=handle))


@covers("load_with_config.queue_type_needs_four")
def test_queue_options_complete(acl, expect, workbench, files):
    """With all four options a model is loaded with queues."""
    handle = workbench.config(type=FILE_WITH_QUEUES, path=str(files.models.file(MODEL)))
    workbench.set_queues(handle, QUEUE_OPTIONS)
    expect.success(workbench.adopted(acl.aclmdlLoadWithConfig(handle=handle)))


@covers("load_with_config.equals_plain_load")
def test_like_a_plain_load(acl, expect, workbench, files):
    """Loading a file by a configuration gives the model that the plain call gives."""
    plain = workbench.load(MODEL)
    handle = workbench.config(type=LOAD_FROM_FILE, path=str(files.models.file(MODEL)))
    model = expect.success(workbench.adopted(acl.aclmdlLoadWithConfig(handle=handle))).modelId
    expect.true("sizes", workbench.sizes(model), workbench.sizes(plain))
    expect.data(workbench.outcome(model, MODEL)[0], workbench.outcome(plain, MODEL)[0])


@covers("load_with_config.four_ways", "load_with_config.founding_four_ways")
@pytest.mark.parametrize("way", [LOAD_FROM_FILE, FROM_FILE_WITH_MEMORY, FROM_MEMORY, FROM_MEMORY_WITH_MEMORY])
def test_four_ways(acl, expect, workbench, files, way):
    """File and memory, memory of the library and of the caller: each way gives the same model."""
    handle = workbench.config(type=way)
    workbench.set_source(handle, way, MODEL)
    model = expect.success(workbench.adopted(acl.aclmdlLoadWithConfig(handle=handle))).modelId
    expect.data(*workbench.outcome(model, MODEL))


@covers("load_with_config.reuse_handle")
def test_handle_used_twice(acl, expect, workbench, files):
    """One handle loads two models, and a third from the path it was given since."""
    handle = workbench.config(type=LOAD_FROM_FILE, path=str(files.models.file(MODEL)))
    first = workbench.adopted(acl.aclmdlLoadWithConfig(handle=handle))
    second = workbench.adopted(acl.aclmdlLoadWithConfig(handle=handle))
    expect.success(first)
    expect.true("two ids", expect.success(second).modelId != first.modelId)
    workbench.set_path(handle, files.models.file("other_factor"))
    third = workbench.adopted(acl.aclmdlLoadWithConfig(handle=handle))
    expect.data(*workbench.outcome(expect.success(third).modelId, "other_factor"))


@covers("load_with_config.destroy_handle_after_load")
def test_handle_destroyed_after_load(acl, expect, workbench, files):
    """The model runs when the handle that loaded it is gone."""
    handle = workbench.call("aclmdlCreateConfigHandle").value
    workbench.set_config(handle, "ACL_MDL_LOAD_TYPE_SIZET", ctypes.c_size_t(LOAD_FROM_FILE))
    workbench.set_path(handle, files.models.file(MODEL))
    result = workbench.adopted(acl.aclmdlLoadWithConfig(handle=handle))
    workbench.call("aclmdlDestroyConfigHandle", handle=handle)
    expect.data(*workbench.outcome(expect.success(result).modelId, MODEL))


@covers("load_with_config.without_graph_dynamic_model")
def test_dynamic_model_without_graph(acl, expect, workbench, files):
    """A dynamic-shape model cannot do without its graph."""
    handle = workbench.config(type=LOAD_FROM_FILE, path=str(files.models.file("dynamic")))
    workbench.set_config(handle, "ACL_MDL_WITHOUT_GRAPH_INT32", ctypes.c_int32(1))
    expect.refused(acl.aclmdlLoadWithConfig(handle=handle))


@covers("load_with_config.without_graph_no_op_desc")
def test_no_operators_without_graph(acl, case, expect, workbench, files, stream):
    """A model loaded without graph information tells nothing of its operators."""
    handle = workbench.config(type=LOAD_FROM_FILE, path=str(files.models.file(MODEL)))
    workbench.set_config(handle, "ACL_MDL_WITHOUT_GRAPH_INT32", ctypes.c_int32(1))
    model = workbench.adopt(workbench.call("aclmdlLoadWithConfig", handle=handle).modelId)
    task = workbench.launch(workbench.run_of(MODEL, model), stream)
    expect.refused(acl.aclmdlCreateAndGetOpDesc(**task, opNameLen=256))


@covers("load_with_config.missing_file")
def test_missing_file(acl, expect, workbench, files):
    """A path to a missing file is refused."""
    handle = workbench.config(type=LOAD_FROM_FILE, path=str(files.missing()))
    expect.refused(acl.aclmdlLoadWithConfig(handle=handle))


@covers("set_config_opt.path_copied")
def test_path_is_copied(acl, expect, workbench, files):
    """The path is taken over when it is set: its text may go."""
    handle = workbench.config(type=LOAD_FROM_FILE)
    workbench.set_passing_path(acl, handle, files.models.file(MODEL))
    expect.success(workbench.adopted(acl.aclmdlLoadWithConfig(handle=handle)))


@covers("set_config_opt.last_value_wins")
def test_last_value_wins(acl, expect, workbench, files):
    """Of two paths, load types, addresses and sizes the later ones count."""
    handle = workbench.config(type=FROM_MEMORY, path=str(files.missing()))
    workbench.set_image(handle, files.image()[:-1])
    workbench.set_config(handle, "ACL_MDL_LOAD_TYPE_SIZET", ctypes.c_size_t(LOAD_FROM_FILE))
    workbench.set_path(handle, files.models.file(MODEL))
    model = expect.success(workbench.adopted(acl.aclmdlLoadWithConfig(handle=handle))).modelId
    expect.data(*workbench.outcome(model, MODEL))
    workbench.set_config(handle, "ACL_MDL_LOAD_TYPE_SIZET", ctypes.c_size_t(FROM_MEMORY))
    workbench.set_image(handle, files.image("other_factor"))
    model = expect.success(workbench.adopted(acl.aclmdlLoadWithConfig(handle=handle))).modelId
    expect.data(*workbench.outcome(model, "other_factor"))


@covers("set_config_opt.priority_default")
def test_priority_by_default(acl, expect, workbench, files):
    """A model loaded without a priority has the highest, 0."""
    handle = workbench.config(type=LOAD_FROM_FILE, path=str(files.models.file(MODEL)))
    model = expect.success(workbench.adopted(acl.aclmdlLoadWithConfig(handle=handle))).modelId
    expect.true("the priority", workbench.priority(model), 0)


@covers("set_attribute.round_trip")
@pytest.mark.parametrize("priority", [0, 3, 7])
def test_priority(acl, expect, workbench, priority):
    """A priority that was set is told, whatever another model was given since."""
    model, other = workbench.load(MODEL), workbench.load(MODEL)
    expect.success(acl.aclmdlSetAttribute(modelId=model, attr=0, attrValue={"mdlPriority": priority}))
    expect.success(acl.aclmdlSetAttribute(modelId=other, attr=0, attrValue={"mdlPriority": 5}))
    expect.true("the priority", workbench.priority(model), priority)


@covers("set_attribute.dynamic_model")
def test_attribute_of_a_dynamic_model(acl, expect, workbench):
    """Dynamic-shape models are not known to this call."""
    model = workbench.load("dynamic")
    expect.refused(acl.aclmdlSetAttribute(modelId=model, attr=0, attrValue={"mdlPriority": 3}))


@covers("set_external_weight_address.name_without_path")
def test_weight_name_with_folder(acl, expect, workbench, memory):
    """What becomes of a weight file's name with a folder is recorded."""
    given = {"weightFileName": "folder/weight", "devPtr": memory.device(64), "size": 64}
    expect.observed(acl.aclmdlSetExternalWeightAddress(handle=workbench.config(), **given))


@covers("set_external_weight_address.precedence_over_path", "set_external_weight_address.memory_lifetime")
def test_weights_in_device_memory(acl, expect, workbench, files):
    """Weights that lie in device memory are found although the folder has no such file."""
    handle = workbench.config(type=FROM_MEMORY)
    workbench.set_image(handle, files.image("external"))
    folder = str(files.models.folder()).encode()
    workbench.set_config(handle, "ACL_MDL_WEIGHT_PATH_PTR", ctypes.c_char_p(folder))
    expect.success(
        acl.aclmdlSetExternalWeightAddress(handle=handle, **workbench.external_weights("external"))
    )
    model = expect.success(workbench.adopted(acl.aclmdlLoadWithConfig(handle=handle))).modelId
    expect.data(*workbench.outcome(model, "external"))


@covers("load_from_file.external_weight_directory", "load_from_file.founding_external_weight_directory")
def test_weight_folder(acl, expect, workbench, files):
    """A model finds its external weights beside it, wherever both were copied to."""
    model = files.with_weights("external")
    result = expect.success(workbench.adopted(acl.aclmdlLoadFromFile(modelPath=str(model))))
    expect.data(*workbench.outcome(result.modelId, "external"))


@covers("load_from_file.external_weight_directory")
def test_weight_folder_missing(acl, expect, workbench, files):
    """What becomes of a model whose weights are missing is recorded."""
    alone = files.models.crafted(files.image("external"))
    expect.observed(workbench.adopted(acl.aclmdlLoadFromFile(modelPath=str(alone))))
