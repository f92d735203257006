"""Valid calls that load, configure and execute models."""

from __future__ import annotations

import ctypes
from collections.abc import Callable
from typing import Any

from suites.models.configuring import LOAD_FROM_FILE
from suites.models.workbench import Workbench
from suites.recipes import Bench, Call, recipe

PLAIN = "affine"
BUNDLE = "bundle"
WEIGHT_BYTES = 64


def workbench(bench: Bench) -> Workbench:
    """What loads models for a recipe."""
    return Workbench(bench.case, bench.resources)


def unloading(bench: Bench) -> Callable[[Any], Any]:
    """Unloads what a load has loaded."""
    return lambda result: bench.case.engine.c.call("aclmdlUnload", modelId=result.modelId)


def unloading_bundle(bench: Bench) -> Callable[[Any], Any]:
    """Unloads the bundle that a call has loaded."""
    return lambda result: bench.case.engine.c.call("aclmdlBundleUnload", bundleId=result.bundleId)


def file_of(bench: Bench, name: str) -> str:
    """The path of a model or bundle."""
    return str(workbench(bench).models.file(name))


def image_of(bench: Bench, name: str) -> dict[str, Any]:
    """The arguments of a model or bundle in host memory."""
    image = workbench(bench).models.image(name)
    return {"model": bench.memory.pageable(len(image)).write(image), "modelSize": len(image)}


@recipe("aclmdlLoadFromFile")
def load_from_file(bench: Bench) -> Call:
    """A static model."""
    return Call({"modelPath": file_of(bench, PLAIN)}, undo=unloading(bench))


@recipe("aclmdlLoadFromFileWithMem")
def load_from_file_with_mem(bench: Bench) -> Call:
    """A static model in memory of the library."""
    nothing = {"workPtr": None, "workSize": 0, "weightPtr": None, "weightSize": 0}
    return Call({"modelPath": file_of(bench, PLAIN), **nothing}, undo=unloading(bench))


@recipe("aclmdlLoadFromFileWithQ")
def load_from_file_with_q(bench: Bench) -> Call:
    """A static model tied to two queues."""
    return Call({"modelPath": file_of(bench, PLAIN), **workbench(bench).queues()}, undo=unloading(bench))


@recipe("aclmdlLoadFromMem")
def load_from_mem(bench: Bench) -> Call:
    """A static model in host memory."""
    return Call(image_of(bench, PLAIN), undo=unloading(bench))


@recipe("aclmdlLoadFromMemWithMem")
def load_from_mem_with_mem(bench: Bench) -> Call:
    """A static model in host memory, loaded into memory of the library."""
    nothing = {"workPtr": None, "workSize": 0, "weightPtr": None, "weightSize": 0}
    return Call({**image_of(bench, PLAIN), **nothing}, undo=unloading(bench))


@recipe("aclmdlLoadFromMemWithQ")
def load_from_mem_with_q(bench: Bench) -> Call:
    """A static model in host memory, tied to two queues."""
    return Call({**image_of(bench, PLAIN), **workbench(bench).queues()}, undo=unloading(bench))


@recipe("aclmdlQuerySize")
def query_size(bench: Bench) -> Call:
    """The sizes of a model file."""
    return Call({"fileName": file_of(bench, PLAIN)})


@recipe("aclmdlQuerySizeFromMem")
def query_size_from_mem(bench: Bench) -> Call:
    """The sizes of a model in host memory."""
    return Call(image_of(bench, PLAIN))


@recipe("aclmdlUnload")
def unload(bench: Bench) -> Call:
    """A model that is loaded."""
    made = workbench(bench)
    model = made.load(PLAIN)
    return Call({"modelId": model}, undo=lambda result: made.forget(model))


@recipe("aclmdlBundleLoadFromFile")
def bundle_load_from_file(bench: Bench) -> Call:
    """A bundle file."""
    return Call({"modelPath": file_of(bench, BUNDLE)}, undo=unloading_bundle(bench))


@recipe("aclmdlBundleLoadFromMem")
def bundle_load_from_mem(bench: Bench) -> Call:
    """A bundle in host memory."""
    return Call(image_of(bench, BUNDLE), undo=unloading_bundle(bench))


@recipe("aclmdlBundleInitFromFile")
def bundle_init_from_file(bench: Bench) -> Call:
    """A bundle file, with variables in memory of the library."""
    args = {"modelPath": file_of(bench, BUNDLE), "varWeightPtr": None, "varWeightSize": 0}
    return Call(args, undo=unloading_bundle(bench))


@recipe("aclmdlBundleInitFromMem")
def bundle_init_from_mem(bench: Bench) -> Call:
    """A bundle in host memory, with variables in memory of the library."""
    args = {**image_of(bench, BUNDLE), "varWeightPtr": None, "varWeightSize": 0}
    return Call(args, undo=unloading_bundle(bench))


def loaded_bundle(bench: Bench) -> int:
    """A bundle whose models are loaded."""
    bundle = int(bench.call("aclmdlBundleLoadFromFile", modelPath=file_of(bench, BUNDLE)).bundleId)
    bench.afterwards("aclmdlBundleUnload", bundleId=bundle)
    return bundle


def initialised_bundle(bench: Bench) -> int:
    """A bundle of which no model is loaded yet."""
    args = {"modelPath": file_of(bench, BUNDLE), "varWeightPtr": None, "varWeightSize": 0}
    bundle = int(bench.call("aclmdlBundleInitFromFile", **args).bundleId)
    bench.afterwards("aclmdlBundleUnload", bundleId=bundle)
    return bundle


@recipe("aclmdlBundleGetModelNum")
def bundle_get_model_num(bench: Bench) -> Call:
    """The models of a loaded bundle."""
    return Call({"bundleId": loaded_bundle(bench)})


@recipe("aclmdlBundleGetModelId")
def bundle_get_model_id(bench: Bench) -> Call:
    """The second model of a loaded bundle."""
    return Call({"bundleId": loaded_bundle(bench), "index": 1})


@recipe("aclmdlBundleUnload")
def bundle_unload(bench: Bench) -> Call:
    """A loaded bundle."""
    bundle = int(bench.call("aclmdlBundleLoadFromFile", modelPath=file_of(bench, BUNDLE)).bundleId)
    return Call({"bundleId": bundle}, undo=ending(bench, "aclmdlBundleUnload", bundleId=bundle))


@recipe("aclmdlBundleLoadModel")
def bundle_load_model(bench: Bench) -> Call:
    """The second model of a bundle."""
    bundle = initialised_bundle(bench)
    return Call({"bundleId": bundle, "index": 1}, undo=unloading_member(bench, bundle))


@recipe("aclmdlBundleLoadModelWithMem")
def bundle_load_model_with_mem(bench: Bench) -> Call:
    """The second model of a bundle, in memory of the library."""
    bundle = initialised_bundle(bench)
    nothing = {"workPtr": None, "workSize": 0, "weightPtr": None, "weightSize": 0}
    return Call({"bundleId": bundle, "index": 1, **nothing}, undo=unloading_member(bench, bundle))


@recipe("aclmdlBundleLoadModelWithConfig")
def bundle_load_model_with_config(bench: Bench) -> Call:
    """The second model of a bundle, with a configuration that says nothing."""
    bundle = initialised_bundle(bench)
    handle = workbench(bench).config()
    return Call({"bundleId": bundle, "index": 1, "handle": handle}, undo=unloading_member(bench, bundle))


def unloading_member(bench: Bench, bundle: int) -> Callable[[Any], Any]:
    """Unloads the member that a call has loaded."""
    return lambda result: bench.case.engine.c.call(
        "aclmdlBundleUnloadModel", bundleId=bundle, modelId=result.modelId
    )


@recipe("aclmdlBundleUnloadModel")
def bundle_unload_model(bench: Bench) -> Call:
    """A loaded member of a bundle."""
    bundle = initialised_bundle(bench)
    model = bench.call("aclmdlBundleLoadModel", bundleId=bundle, index=0).modelId
    return Call({"bundleId": bundle, "modelId": model})


def query(bench: Bench) -> int:
    """A query that knows a bundle."""
    made = workbench(bench).bundle_query()
    bench.call("aclmdlBundleQueryInfoFromFile", fileName=file_of(bench, BUNDLE), queryInfo=made)
    return made


@recipe("aclmdlBundleQueryInfoFromFile")
def bundle_query_info_from_file(bench: Bench) -> Call:
    """What a bundle file holds."""
    return Call({"fileName": file_of(bench, BUNDLE), "queryInfo": workbench(bench).bundle_query()})


@recipe("aclmdlBundleQueryInfoFromMem")
def bundle_query_info_from_mem(bench: Bench) -> Call:
    """What a bundle in host memory holds."""
    return Call({**image_of(bench, BUNDLE), "queryInfo": workbench(bench).bundle_query()})


@recipe("aclmdlBundleGetQueryModelNum", "aclmdlBundleGetVarWeightSize")
def bundle_query(bench: Bench) -> Call:
    """A query about a bundle."""
    return Call({"queryInfo": query(bench)})


@recipe("aclmdlBundleGetSize")
def bundle_get_size(bench: Bench) -> Call:
    """The sizes of the second model."""
    return Call({"queryInfo": query(bench), "index": 1})


@recipe("aclmdlBundleDestroyQueryInfo")
def bundle_destroy_query_info(bench: Bench) -> Call:
    """A fresh query."""
    made = int(bench.call("aclmdlBundleCreateQueryInfo").value)
    return Call({"queryInfo": made}, undo=ending(bench, "aclmdlBundleDestroyQueryInfo", queryInfo=made))


def ending(bench: Bench, api: str, **args: Any) -> Callable[[Any], None]:
    """Calls this at the end, unless told before that the call under test has done so."""
    done: list[bool] = []

    def finish() -> None:
        if not done:
            bench.call(api, **args)

    bench.at_end(finish)
    return lambda result: done.append(True)


@recipe("aclmdlDestroyConfigHandle")
def destroy_config_handle(bench: Bench) -> Call:
    """A fresh configuration."""
    handle = int(bench.call("aclmdlCreateConfigHandle").value)
    return Call({"handle": handle}, undo=ending(bench, "aclmdlDestroyConfigHandle", handle=handle))


@recipe("aclmdlSetConfigOpt")
def set_config_opt(bench: Bench) -> Call:
    """The load type of a fresh configuration."""
    value = ctypes.c_size_t(LOAD_FROM_FILE)
    args = {"attr": "ACL_MDL_LOAD_TYPE_SIZET", "attrValue": ctypes.byref(value), "valueSize": 8}
    return Call({"handle": workbench(bench).config(), **args})


@recipe("aclmdlLoadWithConfig")
def load_with_config(bench: Bench) -> Call:
    """A model file."""
    handle = workbench(bench).config(type=LOAD_FROM_FILE, path=file_of(bench, PLAIN))
    return Call({"handle": handle}, undo=unloading(bench))


@recipe("aclmdlSetExternalWeightAddress")
def set_external_weight_address(bench: Bench) -> Call:
    """64 bytes of device memory for a weight file."""
    place = {"devPtr": bench.memory.device(WEIGHT_BYTES), "size": WEIGHT_BYTES}
    return Call({"handle": workbench(bench).config(), "weightFileName": "weight", **place})


@recipe("aclmdlSetAttribute")
def set_attribute(bench: Bench) -> Call:
    """The priority of a loaded model."""
    return Call({"modelId": workbench(bench).load(PLAIN), "attr": 0, "attrValue": {"mdlPriority": 3}})


@recipe("aclmdlGetAttribute")
def get_attribute(bench: Bench) -> Call:
    """The priority of a loaded model."""
    return Call({"modelId": workbench(bench).load(PLAIN), "attr": 0})


@recipe("aclmdlDestroyDataset")
def destroy_dataset(bench: Bench) -> Call:
    """An empty dataset."""
    dataset = int(bench.call("aclmdlCreateDataset").value)
    return Call({"dataset": dataset}, undo=ending(bench, "aclmdlDestroyDataset", dataset=dataset))


@recipe("aclmdlAddDatasetBuffer")
def add_dataset_buffer(bench: Bench) -> Call:
    """A buffer for an empty dataset."""
    made = workbench(bench)
    return Call({"dataset": made.dataset(), "dataBuffer": made.buffer(bench.memory.device(64).ptr, 64)})


@recipe("aclmdlGetDatasetNumBuffers")
def get_dataset_num_buffers(bench: Bench) -> Call:
    """A dataset of one buffer."""
    return Call({"dataset": one_buffer(bench)}, worked=lambda result: result.value == 1)


@recipe("aclmdlGetDatasetBuffer")
def get_dataset_buffer(bench: Bench) -> Call:
    """The only buffer of a dataset."""
    return Call({"dataset": one_buffer(bench), "index": 0}, worked=lambda result: bool(result.value))


def one_buffer(bench: Bench) -> int:
    """A dataset of one buffer."""
    made = workbench(bench)
    return made.dataset([made.buffer(bench.memory.device(64).ptr, 64)])


def tensor_desc(bench: Bench) -> int:
    """A description of two by three numbers."""
    dims: dict[str, Any] = {"dataType": "ACL_FLOAT", "numDims": 2, "dims": [2, 3], "format": "ACL_FORMAT_ND"}
    desc = int(bench.call("aclCreateTensorDesc", **dims).value)
    bench.at_end(lambda: bench.case.engine.c.call("aclDestroyTensorDesc", desc=desc) and None)
    return desc


@recipe("aclmdlSetDatasetTensorDesc")
def set_dataset_tensor_desc(bench: Bench) -> Call:
    """A description for the only buffer of a dataset."""
    return Call({"dataset": one_buffer(bench), "tensorDesc": tensor_desc(bench), "index": 0})


@recipe("aclmdlGetDatasetTensorDesc")
def get_dataset_tensor_desc(bench: Bench) -> Call:
    """The description of the only buffer of a dataset."""
    dataset = one_buffer(bench)
    bench.call("aclmdlSetDatasetTensorDesc", dataset=dataset, tensorDesc=tensor_desc(bench), index=0)
    return Call({"dataset": dataset, "index": 0}, worked=lambda result: bool(result.value))


@recipe("aclmdlExecute")
def execute(bench: Bench) -> Call:
    """A loaded model and its datasets."""
    run = workbench(bench).run_of(PLAIN)
    return Call(run.datasets, watch=run.output_blocks)


@recipe("aclmdlExecuteAsync")
def execute_async(bench: Bench) -> Call:
    """A loaded model and its datasets, on a stream."""
    run, stream = workbench(bench).run_of(PLAIN), bench.stream()
    return Call({**run.datasets, "stream": stream}, run.output_blocks, settle=waiting(bench, stream))


@recipe("aclmdlExecuteV2", "aclmdlExecuteAsyncV2")
def execute_v2(bench: Bench) -> Call:
    """A loaded model and its datasets, on a stream, with a configuration."""
    made, stream = workbench(bench), bench.stream()
    run = made.run_of(PLAIN)
    args = {**run.datasets, "stream": stream, "handle": made.execution_config()}
    return Call(args, run.output_blocks, settle=waiting(bench, stream))


def waiting(bench: Bench, stream: int) -> Callable[[], Any]:
    """Waits for the stream."""
    return lambda: bench.case.engine.c.call("aclrtSynchronizeStream", stream=stream)


@recipe("aclmdlDestroyExecConfigHandle")
def destroy_exec_config_handle(bench: Bench) -> Call:
    """A fresh configuration."""
    handle = int(bench.call("aclmdlCreateExecConfigHandle").value)
    return Call({"handle": handle}, undo=ending(bench, "aclmdlDestroyExecConfigHandle", handle=handle))


@recipe("aclmdlSetExecConfigOpt")
def set_exec_config_opt(bench: Bench) -> Call:
    """A bound for the run; on IPV350, which knows no bounds, the size of work memory."""
    handle = workbench(bench).execution_config()
    if bench.case.profile.product == "IPV350":
        size = ctypes.c_size_t(4096)
        args = {"attr": "ACL_MDL_WORK_SIZET", "attrValue": ctypes.byref(size), "valueSize": 8}
        # pyACL gives every option four bytes.
        return Call({"handle": handle, **args}, control=bench.case.surface == "c")
    bound = ctypes.c_int32(1000)
    return Call(
        {
            "handle": handle,
            "attr": "ACL_MDL_STREAM_SYNC_TIMEOUT",
            "attrValue": ctypes.byref(bound),
            "valueSize": 4,
        }
    )
