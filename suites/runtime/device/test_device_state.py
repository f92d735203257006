"""How a device is: run mode, count, scheduler, load, health, name, overflow mode and overflow status."""

from __future__ import annotations

import pytest

from harness.binding import InOut
from harness.plugin import covers, deadline, isolated, surfaces

SATURATION, INFNAN = 0, 1
MODES = {"950": [INFNAN], "A3": [INFNAN, SATURATION], "910b": [INFNAN, SATURATION]}
"""Overflow modes by product; the others have saturation only."""

CHANGE = "aclrtSetDeviceSatMode"
FRESH = b"\xee" * 64
"""What a new block of 64 bytes holds."""


@pytest.fixture
def overflow_mode(acl, afterwards):
    """The overflow mode there is; it is put back at the end."""
    mode = acl.call("aclrtGetDeviceSatMode").mode
    afterwards(CHANGE, mode=mode)
    return mode


@pytest.fixture
def without_vector_cores(acl, expect):
    """The device has no vector cores; blocked where it has."""
    if acl.aclrtGetDeviceInfo(deviceId=0, attr="ACL_DEV_ATTR_VECTOR_CORE_NUM").value > 0:
        expect.blocked("the device has vector cores")


# Run mode, count, scheduler


@covers("get_run_mode.ep_host")
def test_on_the_host(acl, expect):
    """A program on the host is told so."""
    expect.true("the run mode", expect.success(acl.aclrtGetRunMode()).runMode, 1)


@covers("get_run_mode.rc_device")
def test_on_the_device(acl, expect):
    """A program on the device's own CPU is told so."""
    expect.true("the run mode", expect.success(acl.aclrtGetRunMode()).runMode, 0)


@covers("get_run_mode.no_context_needed")
@isolated("before aclrtSetDevice")
def test_mode_without_device(initialised_only, expect):
    """The run mode is told before any device is set."""
    expect.success(initialised_only.aclrtGetRunMode())


@covers("get_device_count.positive")
@isolated("before aclrtSetDevice")
def test_count(initialised_only, expect):
    """There is a device, and it is counted before any is set."""
    expect.true("there are devices", expect.success(initialised_only.aclrtGetDeviceCount()).count >= 1)


@covers("set_ts_device.valid_ids")
def test_scheduler(acl, expect):
    """The scheduler of the AI Cores can be chosen."""
    expect.success(acl.aclrtSetTsDevice(tsId="ACL_TS_ID_AICORE"))


@covers("set_ts_device.no_vector_scheduler")
def test_vector_scheduler(acl, copied, expect, afterwards):
    """Choosing a scheduler that is not there changes nothing: work is done."""
    afterwards("aclrtSetTsDevice", tsId="ACL_TS_ID_AICORE")
    expect.success(acl.aclrtSetTsDevice(tsId="ACL_TS_ID_AIVECTOR"))
    expect.data(*copied(), "a copy on a stream")


# Load, health and name


@covers("get_device_utilization_rate.memory_minus_one")
@surfaces("c")
def test_load_of_memory(acl, expect):
    """The load of memory is not told."""
    result = expect.success(acl.aclrtGetDeviceUtilizationRate(deviceId=0, utilizationInfo=InOut({})))
    expect.true("the rate", result.utilizationInfo["memoryUtilization"], -1)


@covers("get_device_utilization_rate.memory_minus_one")
@surfaces("pyacl")
def test_load_of_memory_in_python(acl, expect):
    """pyACL tells the same."""
    result = expect.success(acl.aclrtGetDeviceUtilizationRate(deviceId=0))
    expect.true("the rate", result.utilizationInfo["memoryUtilization"], -1)


@covers("get_device_utilization_rate.vector_absent", uses=["aclrtGetDeviceInfo"])
@surfaces("c")
def test_load_of_vector_cores(acl, without_vector_cores, expect):
    """Vector cores that are not there have no load."""
    result = expect.success(acl.aclrtGetDeviceUtilizationRate(deviceId=0, utilizationInfo=InOut({})))
    expect.true("the rate", result.utilizationInfo["vectorUtilization"], -1)


@covers("get_device_utilization_rate.extend_reserved")
@surfaces("c")
def test_load_with_extension(acl, expect, memory):
    """The extension is reserved."""
    room = InOut({"utilizationExtend": memory.pageable(64).ptr})
    expect.refused(acl.aclrtGetDeviceUtilizationRate(deviceId=0, utilizationInfo=room))


@covers("query_device_status.normal")
def test_health(acl, expect):
    """A device that works is healthy."""
    expect.true("the status", expect.success(acl.aclrtQueryDeviceStatus(deviceId=0)).deviceStatus, 0)


@covers("get_soc_name.non_null")
@isolated("before aclrtSetDevice")
def test_name(initialised_only, expect):
    """The processor has a name, the same again, before any device is set."""
    names = [initialised_only.aclrtGetSocName().value for _ in range(2)]
    expect.true("a name, twice the same", bool(names[0]) and names[0] == names[1])


@covers("get_soc_name.multi_device")
def test_name_of_another(acl, devices, expect, second_device):
    """The name is that of device 0, whichever is current."""
    there = devices.elsewhere_with(second_device, lambda: acl.aclrtGetSocName().value)
    expect.true("the name with another device", there, acl.aclrtGetSocName().value)


# Overflow


@covers("set_device_sat_mode.supported_mode", uses=["aclrtGetDeviceSatMode"])
def test_modes(acl, overflow_mode, expect, case):
    """Each mode of the product can be set and is read back."""
    modes = MODES.get(case.profile.product, [SATURATION])
    taken = [bool(acl.aclrtSetDeviceSatMode(mode=mode).ok) for mode in modes]
    expect.true("modes are taken", all(taken))
    expect.true("the mode set last", acl.aclrtGetDeviceSatMode().mode, modes[-1])


@covers("get_device_sat_mode.default_inf_nan")
@isolated("nothing has been set")
def test_default_mode(acl, expect):
    """A device begins with infinities and NaN."""
    expect.true("the mode", expect.success(acl.aclrtGetDeviceSatMode()).mode, INFNAN)


@covers("get_device_sat_mode.reads_back", uses=[CHANGE])
@pytest.mark.parametrize("mode", [SATURATION, INFNAN])
def test_mode_read_back(acl, overflow_mode, expect, mode):
    """The mode that was set last is read."""
    acl.call(CHANGE, mode=1 - mode)
    acl.call(CHANGE, mode=mode)
    expect.true("the mode", expect.success(acl.aclrtGetDeviceSatMode()).mode, mode)


@covers("get_overflow_status.async", uses=["aclrtSynchronizeStream"])
def test_status(acl, expect, memory, stream):
    """The status goes into memory of the device as a task of a stream."""
    block = memory.device(64)
    expect.success(acl.aclrtGetOverflowStatus(outputAddr=block, outputSize=64, stream=stream))
    expect.success(acl.aclrtSynchronizeStream(stream=stream))
    expect.observed(f"the status begins with {block.read(0, 8).tobytes().hex(' ')}")


@covers("get_overflow_status.async", uses=["aclrtSynchronizeStream"])
@deadline(10)
def test_status_in_turn(acl, expect, memory, stream, blocked_stream):
    """The call comes back while its stream is held, and nothing is written before the stream goes on."""
    block = memory.device(64)
    with blocked_stream(stream) as hold:
        expect.success(acl.aclrtGetOverflowStatus(outputAddr=block, outputSize=64, stream=stream))
        expect.unchanged(block)
        hold.release()
    expect.success(acl.aclrtSynchronizeStream(stream=stream))
    expect.true("the status was written", block.read().tobytes() != FRESH)


@covers("reset_overflow_status.async", uses=["aclrtGetOverflowStatus", "aclrtSynchronizeStream"])
def test_status_cleared(acl, expect, memory, stream):
    """The status is cleared in turn with the other tasks of a stream."""
    block = memory.device(64)
    expect.success(acl.aclrtResetOverflowStatus(stream=stream))
    expect.success(acl.call("aclrtGetOverflowStatus", outputAddr=block, outputSize=64, stream=stream))
    expect.success(acl.aclrtSynchronizeStream(stream=stream))
    expect.observed(f"the status begins with {block.read(0, 8).tobytes().hex(' ')}")
