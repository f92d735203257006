"""aclrtGetMemUsageInfo: which components hold how much device memory."""

from __future__ import annotations

import pytest

from harness.plugin import covers
from suites.memory.virtual.properties import MIB


@covers("get_mem_usage_info.sorted_desc")
def test_sorted_desc(acl, usage):
    """Components come in the order of what they hold, the largest first."""
    usage.hold({33: 64 * MIB, 7: 256 * MIB, 5: 128 * MIB})
    result = acl.aclrtGetMemUsageInfo(deviceId=0, inputNum=32)
    usage.expect_sorted(result)


@covers("get_mem_usage_info.fewer_components")
@pytest.mark.parametrize("wanted", [1, 2, 64])
def test_fewer_components(acl, usage, wanted):
    """No more entries are told than were asked for, and they are the first ones of the whole list."""
    usage.hold({33: 64 * MIB, 7: 256 * MIB, 5: 128 * MIB})
    result = acl.aclrtGetMemUsageInfo(deviceId=0, inputNum=wanted)
    usage.expect_first_ones(result, wanted)


@covers("get_mem_usage_info.peak_ge_current")
def test_peak_ge_current(acl, usage):
    """A component's peak is not below what it holds, and its name ends inside its field."""
    usage.hold({33: 64 * MIB, 7: 256 * MIB})
    result = acl.aclrtGetMemUsageInfo(deviceId=0, inputNum=32)
    usage.expect_peaks(result)


@covers("get_mem_usage_info.peak_ge_current")
def test_peak_after_a_release(acl, usage):
    """A component's peak is not below what it holds after most of that was released."""
    usage.hold({33: 256 * MIB})
    usage.release_all()
    usage.hold({33: 16 * MIB})
    result = acl.aclrtGetMemUsageInfo(deviceId=0, inputNum=32)
    usage.expect_peaks(result)
