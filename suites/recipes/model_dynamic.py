"""Valid calls that choose shapes for a run, and that prepare pictures."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from suites.models.dynamic.gears import MODELS
from suites.models.dynamic.pictures import BATCH, SIDE, conversion
from suites.models.shaping import Shaping, gear_arguments
from suites.recipes import Bench, Call, recipe
from suites.recipes.models import workbench
from suites.recipes.tensor_data import Parts

PICTURE = 256
CHANNELS = range(4)


def _choice(api: str) -> Callable[[Bench], Call]:
    """The second gear of a model."""

    def make(bench: Bench) -> Call:
        made = workbench(bench)
        gear = made.models.program(MODELS[api]).gears[1]
        run = Shaping(made, bench.resources).prepared_run(MODELS[api], gear)
        return Call(gear_arguments(run, gear))

    return make


for _api in MODELS:
    recipe(_api)(_choice(_api))


def params(bench: Bench) -> tuple[Parts, int]:
    """Fresh parameters for two pictures."""
    parts = Parts(bench)
    return parts, parts.made("aclmdlCreateAIPP", batchSize=BATCH)


def _setting(**given: Any) -> Callable[[Bench], Call]:
    """One setting of fresh parameters."""
    return lambda bench: Call({"aippParmsSet": params(bench)[1], **given})


@recipe("aclmdlCreateAIPP")
def create_aipp(bench: Bench) -> Call:
    """Parameters for two pictures."""
    return Parts(bench).call("aclmdlCreateAIPP", {"batchSize": BATCH})


@recipe("aclmdlDestroyAIPP")
def destroy_aipp(bench: Bench) -> Call:
    """Fresh parameters."""
    parts, made = params(bench)
    return parts.call("aclmdlDestroyAIPP", {"aippParmsSet": made})


@recipe("aclmdlGetAippDataSize")
def get_aipp_data_size(bench: Bench) -> Call:
    """The bytes for two pictures."""
    return Call({"batchSize": BATCH})


def _channels(name: str, value: float) -> dict[str, float]:
    """The same value for each channel."""
    return {f"{name}Chn{channel}": value for channel in CHANNELS}


_SIZES = {
    "scfInputSizeW": PICTURE,
    "scfInputSizeH": PICTURE,
    "scfOutputSizeW": PICTURE,
    "scfOutputSizeH": PICTURE,
}
_PART = {"cropStartPosW": 8, "cropStartPosH": 8, "cropSizeW": PICTURE, "cropSizeH": PICTURE}
_SIDES = {"paddingSizeTop": 2, "paddingSizeBottom": 2, "paddingSizeLeft": 2, "paddingSizeRight": 2}
_FIRST = {"batchIndex": 0}

recipe("aclmdlSetAIPPInputFormat")(_setting(inputFormat="ACL_RGB888_U8"))
recipe("aclmdlSetAIPPCscParams")(_setting(**conversion()[1]))
recipe("aclmdlSetAIPPRbuvSwapSwitch")(_setting(rbuvSwapSwitch=1))
recipe("aclmdlSetAIPPAxSwapSwitch")(_setting(axSwapSwitch=1))
recipe("aclmdlSetAIPPSrcImageSize")(_setting(srcImageSizeW=PICTURE, srcImageSizeH=PICTURE))
recipe("aclmdlSetAIPPScfParams")(_setting(scfSwitch=1, **_SIZES, **_FIRST))
recipe("aclmdlSetAIPPCropParams")(_setting(cropSwitch=1, **_PART, **_FIRST))
recipe("aclmdlSetAIPPPaddingParams")(_setting(paddingSwitch=1, **_SIDES, **_FIRST))
recipe("aclmdlSetAIPPDtcPixelMean")(_setting(**_channels("dtcPixelMean", 104), **_FIRST))
recipe("aclmdlSetAIPPDtcPixelMin")(_setting(**_channels("dtcPixelMin", 1.5), **_FIRST))
recipe("aclmdlSetAIPPPixelVarReci")(_setting(**_channels("dtcPixelVarReci", 0.5), **_FIRST))


def _attached(index: int) -> Callable[[Bench], Call]:
    """Parameters that suit a model whose preprocessing is set for each run."""

    def make(bench: Bench) -> Call:
        parts, made = params(bench)
        size = {"srcImageSizeW": SIDE, "srcImageSizeH": SIDE}
        parts.set("aclmdlSetAIPPInputFormat", aippParmsSet=made, inputFormat="ACL_RGB888_U8")
        parts.set("aclmdlSetAIPPSrcImageSize", aippParmsSet=made, **size)
        run = workbench(bench).run_of("dynamic_aipp")
        return Call({"modelId": run.id, "dataset": run.input, "index": index, "aippParmsSet": made})

    return make


recipe("aclmdlSetInputAIPP")(_attached(1))
recipe("aclmdlSetAIPPByInputIndex")(_attached(0))


@recipe("aclmdlGetAippType")
def get_aipp_type(bench: Bench) -> Call:
    """An input whose preprocessing is set for each run."""
    return Call({"modelId": workbench(bench).load("dynamic_aipp"), "index": 0})


@recipe("aclmdlGetFirstAippInfo")
def get_first_aipp_info(bench: Bench) -> Call:
    """An input with built-in preprocessing."""
    return Call({"modelId": workbench(bench).load("static_aipp"), "index": 0})
