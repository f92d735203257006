"""Preprocessing of pictures: parameters, models that take them, and what models tell of it."""

from __future__ import annotations

import pytest

from harness.plugin import covers
from suites.models.dynamic.pictures import (
    BATCH,
    NOTHING_ATTACHED,
    RGB888,
    SIDE,
    YUV400,
    YUV420SP,
    conversion,
    crop,
    crops,
    padding,
    paddings,
    scaling,
    source,
)

TAKEN = ("ACL_YUV420SP_U8", "ACL_XRGB8888_U8", "ACL_RGB888_U8", "ACL_YUV400_U8")
NOT_TAKEN = ("ACL_ARGB8888_U8", "ACL_YUYV_U8", "ACL_YUV422SP_U8", "ACL_AYUV444_U8", "ACL_RAW10", "ACL_RAW24")


@covers("get_aipp_data_size.linear_in_batch")
def test_data_size(expect, pictures):
    """Each further picture takes the same number of bytes, and the first one more."""
    one, two, three = pictures.sizes(1, 2, 3)
    expect.true("the same step each time", three - two, two - one)
    expect.true("a step above 0, below the first", 0 < two - one < one)


@covers("set_input_aipp.formats")
@pytest.mark.parametrize("format", NOT_TAKEN)
def test_other_format(expect, pictures, format):
    """A format that cannot be set for a run is refused."""
    result = pictures.hand_over(pictures.params(*source(format)))
    expect.refused(result)


@covers("set_input_aipp.formats")
@pytest.mark.parametrize("format", TAKEN)
def test_format(expect, pictures, format):
    """The formats that can be set for a run are taken."""
    result = pictures.hand_over(pictures.params(*source(format)))
    expect.success(result)


@covers("set_input_aipp.scaling_refused")
@pytest.mark.parametrize("scaled", [(0, 1), (1,)], ids=["both", "last"])
def test_scaling(expect, pictures, scaled):
    """Parameters that scale are refused, whichever picture it is."""
    result = pictures.hand_over(pictures.params(*source(), *map(scaling, scaled)))
    expect.refused(result)
    pictures.expect_accepted(*source())


@covers("set_input_aipp.yuv400_no_csc")
def test_grey_with_colours(expect, pictures):
    """Grey pictures have no colours to convert."""
    result = pictures.hand_over(pictures.params(*source(YUV400), conversion()))
    expect.refused(result)
    pictures.expect_accepted(*source(RGB888), conversion())


@covers("set_input_aipp.crop_inside_source")
@pytest.mark.parametrize(
    "steps",
    [
        crops((1, 0), (SIDE, SIDE)),
        crops((0, 1), (SIDE, SIDE)),
        (crop((0, 0), (SIDE, SIDE)), crop((0, 1), (SIDE, SIDE), BATCH - 1)),
    ],
    ids=["right", "below", "last"],
)
def test_crop_outside(expect, pictures, steps):
    """What is cut out has to lie inside the picture."""
    result = pictures.hand_over(pictures.params(*source(), *steps))
    expect.refused(result)
    pictures.expect_accepted(*source(), *crops((0, 0), (SIDE, SIDE)))


@covers("set_input_aipp.yuv420_even")
@pytest.mark.parametrize(
    "steps",
    [
        (*source(YUV420SP, SIDE + 1, SIDE + 2), *crops((0, 0), (SIDE, SIDE))),
        (*source(YUV420SP, SIDE + 2, SIDE + 1), *crops((0, 0), (SIDE, SIDE))),
        (*source(YUV420SP, SIDE + 2, SIDE + 2), *crops((1, 0), (SIDE, SIDE))),
        (*source(YUV420SP, SIDE + 2, SIDE + 2), *crops((0, 1), (SIDE, SIDE))),
    ],
    ids=["width", "height", "left", "top"],
)
def test_odd_numbers(expect, pictures, steps):
    """Pictures of two planes have even sizes and are cut at even places."""
    result = pictures.hand_over(pictures.params(*steps))
    expect.refused(result)
    pictures.expect_accepted(*source(YUV420SP, SIDE + 2, SIDE + 2), *crops((2, 0), (SIDE, SIDE)))


@covers("set_input_aipp.padded_width_limit")
def test_padded_too_wide(expect, pictures):
    """A padded picture may not be wider than 1080."""
    steps = (*source(RGB888, 1070, SIDE), *paddings(8, 8))
    result = pictures.hand_over(pictures.params(*steps))
    expect.refused(result)
    pictures.expect_accepted(*source(RGB888, SIDE - 2, SIDE), *paddings(1, 1))


@covers("set_input_aipp.batches_same_output")
def test_different_pictures(expect, pictures):
    """All pictures of a batch become the same size."""
    wide = source(RGB888, SIDE + 2, SIDE)
    result = pictures.hand_over(pictures.params(*wide, crop((0, 0), (SIDE, SIDE), 0)))
    expect.refused(result)
    pictures.expect_accepted(*wide, *crops((0, 0), (SIDE, SIDE)))


@covers("set_input_aipp.output_matches_model")
@pytest.mark.parametrize(
    "steps", [source(RGB888, SIDE - 2, SIDE), (*source(), padding(1, 1, 0), padding(1, 1, 1))]
)
def test_other_size_than_the_model(expect, pictures, steps):
    """The pictures become the size that the model takes."""
    result = pictures.hand_over(pictures.params(*steps))
    expect.refused(result)
    pictures.expect_accepted(*source())


@covers("set_input_aipp.buffer_too_small")
def test_no_room(expect, pictures):
    """An input without room for the parameters is refused."""
    (size,) = pictures.sizes(BATCH)
    result = pictures.hand_over_in(pictures.params(*source()), size - 1)
    expect.refused(result)


@covers("set_input_aipp.buffer_too_small")
def test_just_enough_room(expect, pictures):
    """An input with just enough room is taken."""
    (size,) = pictures.sizes(BATCH)
    result = pictures.hand_over_in(pictures.params(*source()), size)
    expect.success(result)


@covers("set_aipp_by_input_index.no_linked_aipp")
def test_input_without_preprocessing(acl, expect, pictures, workbench):
    """An input without preprocessing takes no parameters."""
    run, params = workbench.run_of("affine"), pictures.params(*source())
    place = {"modelId": run.id, "dataset": run.input, "index": 0}
    result = acl.aclmdlSetAIPPByInputIndex(**place, aippParmsSet=params)
    expect.refused(result)


@covers("get_aipp_type.no_aipp")
def test_type_without_preprocessing(acl, expect, workbench):
    """An input without preprocessing says so, and that nothing is attached."""
    result = acl.aclmdlGetAippType(modelId=workbench.load("affine"), index=0)
    expect.success(result)
    told = (result.type, result.dynamicAttachedDataIndex)
    expect.true("type and attached input", told, (0, NOTHING_ATTACHED))


@covers("get_first_aipp_info.no_aipp")
def test_no_preprocessing(acl, expect, workbench):
    """A model without preprocessing is refused with a code of its own."""
    result = acl.aclmdlGetFirstAippInfo(modelId=workbench.load("affine"), index=0)
    expect.refused(result)


@covers("get_first_aipp_info.static_aipp")
def test_static_preprocessing(acl, case, expect, workbench):
    """Built-in preprocessing is told as it was built."""
    aipp = workbench.models.program("static_aipp").aipps[0]
    result = acl.aclmdlGetFirstAippInfo(modelId=workbench.load("static_aipp"), index=0)
    expect.success(result)
    info = result.aippInfo
    told = (info["inputFormat"], info["srcImageSizeW"], info["srcImageSizeH"])
    expect.true("format, width and height", told, (aipp.format, aipp.width, aipp.height))
