"""What loaded binaries and their kernels tell: names, addresses, sizes, variables."""

from __future__ import annotations

import pytest

from harness.models.kernels import GLOBALS
from harness.plugin import covers
from suites.kernels.workbench import FILL


@covers("binary_get_function.unknown_name")
def test_unknown_kernel(acl, expect, kernels):
    """A name that the binary lacks is refused."""
    result = acl.aclrtBinaryGetFunction(binHandle=kernels.loaded(), kernelName="aclcts_none")

    expect.refused(result)


@covers("binary_get_dev_address.lazy_null")
def test_lazy_address(acl, expect, kernels):
    """A binary that is loaded lazily has no place on the device yet."""
    result = acl.aclrtBinaryGetDevAddress(binHandle=kernels.loaded_lazily())

    expect.success(result)
    expect.true("the device address", result.binAddr or 0, 0)


@covers("binary_get_global.place")
def test_variable(acl, expect, kernels):
    """A variable is where the query says, as it was compiled."""
    result = acl.aclrtBinaryGetGlobal(binHandle=kernels.loaded(), name="aclcts_quad")

    expect.success(result)
    expect.true("the bytes of the variable", result.size, 16)
    expect.data(kernels.there_is(result.dptr, 16), GLOBALS["aclcts_quad"])


@covers("binary_get_global.unknown_name")
def test_unknown_variable(acl, expect, kernels):
    """A name that the binary has no variable under is refused."""
    result = acl.aclrtBinaryGetGlobal(binHandle=kernels.loaded(), name="aclcts_none")

    expect.refused(result)


@covers("get_function_name.value")
def test_name(acl, expect, kernels):
    """A kernel tells the name it was looked up by."""
    result = acl.aclrtGetFunctionName(funcHandle=kernels.kernel(), maxLen=64)

    expect.success(result)
    expect.true("the name", result["name"].split(b"\0")[0], FILL.encode())


@covers("get_function_name.buffer_too_small")
def test_room_without_end(acl, expect, kernels):
    """Room for the name without its end is too little."""
    result = acl.aclrtGetFunctionName(funcHandle=kernels.kernel(), maxLen=len(FILL))

    expect.refused(result)


@covers("get_function_name.buffer_too_small")
def test_room_with_end(acl, expect, kernels):
    """Room for the name and its end is enough."""
    result = acl.aclrtGetFunctionName(funcHandle=kernels.kernel(), maxLen=len(FILL) + 1)

    expect.success(result)


@covers("function_get_binary.value")
def test_binary_of_kernel(acl, expect, kernels):
    """A kernel tells the binary it was looked up in."""
    binary = kernels.loaded()

    result = acl.aclrtFunctionGetBinary(funcHandle=kernels.kernel(binary=binary))

    expect.success(result)
    expect.true("the binary", result.binHandle, binary)


@covers("function_get_param_count.value")
def test_parameters(acl, expect, kernels):
    """A kernel of three parameters says so."""
    result = acl.aclrtFunctionGetParamCount(func=kernels.kernel())

    expect.success(result)
    expect.true("the parameters", result.paramCount, 3)


@covers("function_get_avail_dyn_ubuf_per_block.non_simt")
def test_no_simt_kernel(acl, expect, kernels):
    """A kernel that is no SIMT kernel has no such memory."""
    result = acl.aclrtFunctionGetAvailDynUbufPerBlock(func=kernels.kernel(), flags=0)

    expect.success(result)
    expect.true("the bytes", result.dynamicUbufSize, 0)


@covers("get_hardware_sync_addr.non_null")
@pytest.mark.parametrize("before", [0, 1], ids=["first", "again"])
def test_sync_address(acl, expect, kernels, before):
    """There is an address, whether it was asked for before or not."""
    kernels.ask_sync_address(before)

    result = acl.aclrtGetHardwareSyncAddr()

    expect.success(result)
    expect.true("an address", bool(result.addr), True)


@covers("register_cpu_func.not_aicpu")
def test_cpu_function_of_ai_cores(acl, expect, kernels):
    """A binary of the AI cores has no functions of the device's own processor."""
    names = {"funcName": "RunCpuKernel", "kernelName": "AclctsCopy"}

    result = acl.aclrtRegisterCpuFunc(handle=kernels.loaded(), **names)

    expect.code(result, "ACL_ERROR_RT_PARAM_INVALID")
