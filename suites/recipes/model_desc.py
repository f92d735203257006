"""Valid calls that describe models."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from suites.models.desc.descriptions import ANY_INDEX, ORIGINAL_NAMES
from suites.recipes import Bench, Call, recipe
from suites.recipes.models import PLAIN, file_of, image_of, workbench
from suites.recipes.tensor_data import Parts, Telling, gives

TWO = "two_by_two"
"""Two inputs, `a` and `b`, and two outputs, `sum` and `product`, of int32 in ND."""

_ND, _INT32, _BYTES = 2, 3, 64


def description(bench: Bench, name: str = TWO) -> int:
    """The description of a loaded model."""
    made = workbench(bench)
    return made.description(made.load(name))


@recipe("aclmdlCreateDesc")
def create_desc(bench: Bench) -> Call:
    """Nothing is asked for but a description."""
    return Parts(bench).call("aclmdlCreateDesc", {})


@recipe("aclmdlDestroyDesc")
def destroy_desc(bench: Bench) -> Call:
    """A fresh description."""
    parts = Parts(bench)
    return parts.call("aclmdlDestroyDesc", {"modelDesc": parts.made("aclmdlCreateDesc")})


@recipe("aclmdlGetDesc")
def get_desc(bench: Bench) -> Call:
    """A loaded model."""
    made = workbench(bench)
    return Call({"modelDesc": made.empty_description(), "modelId": made.load(PLAIN)})


@recipe("aclmdlGetDescFromFile")
def get_desc_from_file(bench: Bench) -> Call:
    """A model file."""
    desc = workbench(bench).empty_description()
    return Call({"modelDesc": desc, "modelPath": file_of(bench, PLAIN)})


@recipe("aclmdlGetDescFromMem")
def get_desc_from_mem(bench: Bench) -> Call:
    """A model in host memory."""
    return Call({"modelDesc": workbench(bench).empty_description(), **image_of(bench, PLAIN)})


def _of_two(worked: Telling | None = None, **more: Any) -> Callable[[Bench], Call]:
    """A question about two inputs and two outputs."""
    return lambda bench: Call({"modelDesc": description(bench), **more}, worked=worked)


for _side, _name in (("Input", b"b"), ("Output", b"product")):
    recipe(f"aclmdlGetNum{_side}s")(_of_two(gives(2)))
    recipe(f"aclmdlGet{_side}SizeByIndex")(_of_two(lambda result: result.value >= _BYTES, index=1))
    recipe(f"aclmdlGet{_side}NameByIndex")(_of_two(gives(_name), index=1))
    recipe(f"aclmdlGet{_side}Format")(_of_two(gives(_ND), index=1))
    recipe(f"aclmdlGet{_side}DataType")(_of_two(gives(_INT32), index=1))
    recipe(f"aclmdlGet{_side}IndexByName")(_of_two(name=_name.decode()))
    recipe(f"aclmdlGet{_side}Dims")(_of_two(index=1))

recipe("aclmdlGetInputDimsV2", "aclmdlGetInputDimsRange")(_of_two(index=1))
recipe("aclmdlGetCurOutputDims")(_of_two(index=1))
recipe("aclmdlGetTensorRealName")(_of_two(gives(b"b"), name="b"))


@recipe("aclmdlGetOpAttr")
def get_op_attr(bench: Bench) -> Call:
    """The original names of an operator; which operators a compiled model has is not known."""
    args = {"modelDesc": description(bench, PLAIN), "opName": "scale", "attr": ORIGINAL_NAMES}
    return Call(args, control=False)


@recipe("aclmdlGetDynamicBatch")
def get_dynamic_batch(bench: Bench) -> Call:
    """A model for several batch sizes."""
    return Call({"modelDesc": description(bench, "batch")})


@recipe("aclmdlGetDynamicHW")
def get_dynamic_hw(bench: Bench) -> Call:
    """A model for several image sizes."""
    return Call({"modelDesc": description(bench, "image_size"), "index": ANY_INDEX})


@recipe("aclmdlGetInputDynamicGearCount")
def get_gear_count(bench: Bench) -> Call:
    """A model for several dims."""
    return Call({"modelDesc": description(bench, "dim_gears"), "index": ANY_INDEX})


@recipe("aclmdlGetInputDynamicDims")
def get_dynamic_dims(bench: Bench) -> Call:
    """A model for three settings of dims, with room for them."""
    return Call({"modelDesc": description(bench, "dim_gears"), "index": ANY_INDEX, "gearCount": 3})


@recipe("aclmdlCreateAndGetOpDesc")
def create_and_get_op_desc(bench: Bench) -> Call:
    """An operator that has run; on hardware only exception callbacks are told which task one is."""
    made = workbench(bench)
    ids = {"streamId": 0, "taskId": 0}
    if all(bench.case.supports(api) for api in ("aclmdlExecuteAsync", "aclrtGetThreadLastTaskId")):
        stream, run = bench.stream(), made.run_of(PLAIN)
        made.call("aclmdlExecuteAsync", **run.datasets, stream=stream)
        ids["taskId"] = made.call("aclrtGetThreadLastTaskId").taskId
        made.call("aclrtSynchronizeStream", stream=stream)
        ids["streamId"] = made.call("aclrtStreamGetId", stream=stream).streamId
    call = Call({"deviceId": 0, **ids, "opNameLen": 256}, control=False)
    call.undo = lambda result: _give_back(bench, result)
    return call


def _give_back(bench: Bench, result: Any) -> None:
    """Destroy the descriptions that came with an operator."""
    for desc in filter(None, (result.outputs.get("inputDesc"), result.outputs.get("outputDesc"))):
        bench.call("aclDestroyTensorDesc", desc=desc)
