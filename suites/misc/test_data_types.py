"""Data types: their sizes, and the conversion of half numbers."""

from __future__ import annotations

import numpy as np
import pytest

from harness.plugin import covers

LARGEST, LOWEST = 0x7BFF, 0xFBFF


@covers("data_type_size.unknown")
def test_size_of_no_type(acl, expect):
    """The size of a type that there is not is recorded."""
    expect.observed(f"size {acl.aclDataTypeSize(dataType=1000).value}")


@covers("float16_to_float.inf")
@pytest.mark.parametrize(("half", "number"), [(0x7C00, 65536.0), (0xFC00, -65536.0)])
def test_infinity_of_a_half(acl, expect, half, number):
    """The patterns of infinity become numbers."""
    expect.true("the number", acl.aclFloat16ToFloat(value=half).value, number)


@covers("float16_to_float.nan")
def test_nan_of_a_half(acl, expect):
    """The pattern of no number becomes a number."""
    expect.true("the number", acl.aclFloat16ToFloat(value=0x7E00).value, 98304.0)


@covers("float16_to_float.examples")
@pytest.mark.parametrize(
    ("half", "number"), [(0x3C00, 1.0), (0x0001, 2.0**-24), (0x8000, -0.0), (0x7BFF, 65504.0)]
)
def test_half(acl, expect, half, number):
    """Ordinary numbers, the smallest, zero with a sign, and the largest."""
    got = acl.aclFloat16ToFloat(value=half).value
    expect.true("the number and its sign", (got, np.signbit(got)), (number, np.signbit(number)))


@covers("float16_to_float.exact", uses=("aclFloatToFloat16",))
def test_every_half(halves, expect):
    """Every finite half becomes its number, which becomes the half again."""
    expect.true("halves that become another number", halves.wrong_numbers(), [])
    expect.true("halves that do not come back", halves.lost(), [])


@covers("float_to_float16.inf_nan")
@pytest.mark.parametrize(
    ("number", "half"),
    [(float("nan"), LARGEST), (float("inf"), LARGEST), (float("-inf"), LOWEST)],
    ids=["nan", "inf", "-inf"],
)
def test_no_number(acl, expect, number, half):
    """What is no finite number becomes the largest or the lowest half."""
    expect.true("the half", acl.aclFloatToFloat16(value=number).value, half)


@covers("float_to_float16.saturates")
@pytest.mark.parametrize(("number", "half"), [(1e6, LARGEST), (-1e6, LOWEST), (65520.0, LARGEST)])
def test_large_number(acl, expect, number, half):
    """A number that is too large becomes the largest half."""
    expect.true("the half", acl.aclFloatToFloat16(value=number).value, half)


@covers("float_to_float16.nearest_even")
@pytest.mark.parametrize(("number", "half"), [(1 + 2.0**-11, 0x3C00), (1 + 3 * 2.0**-11, 0x3C02)])
def test_rounding(acl, expect, number, half):
    """A number between two halves becomes the nearer one, or the even one."""
    expect.true("the half", acl.aclFloatToFloat16(value=number).value, half)


@covers("float_to_float16.subnormal")
@pytest.mark.parametrize(
    ("number", "half"), [(2.0**-24, 0x0001), (1.5 * 2.0**-25, 0x0001), (2.0**-26, 0x0000), (2.0**-14, 0x0400)]
)
def test_small_number(acl, expect, number, half):
    """Small numbers become subnormal halves, or zero."""
    expect.true("the half", acl.aclFloatToFloat16(value=number).value, half)


@covers("float16_to_float.mode_independent", uses=("aclrtSetDeviceSatMode",))
@pytest.mark.parametrize("mode", [0, 1])
def test_infinity_in_each_mode(acl, expect, afterwards, mode):
    """The saturation mode of the device does not matter to a half number."""
    afterwards("aclrtSetDeviceSatMode", mode=expect.success(acl.aclrtGetDeviceSatMode()).mode)
    expect.success(acl.aclrtSetDeviceSatMode(mode=mode))
    expect.true("the number", acl.aclFloat16ToFloat(value=0x7C00).value, 65536.0)


@covers("float_to_float16.mode_independent", uses=("aclrtSetDeviceSatMode",))
@pytest.mark.parametrize("mode", [0, 1])
def test_large_number_in_each_mode(acl, expect, afterwards, mode):
    """The saturation mode of the device does not matter to a number that becomes a half."""
    afterwards("aclrtSetDeviceSatMode", mode=expect.success(acl.aclrtGetDeviceSatMode()).mode)
    expect.success(acl.aclrtSetDeviceSatMode(mode=mode))
    expect.true("the half", acl.aclFloatToFloat16(value=float("inf")).value, LARGEST)


@covers("float_to_float16.negative_nan")
def test_negative_nan(acl, expect):
    """What a negative number that is none becomes is recorded."""
    half = acl.aclFloatToFloat16(value=float(-np.float32("nan"))).value
    expect.observed(f"half {half:#06x}")
