"""Versions of the package, and its attributes."""

from __future__ import annotations

import numpy as np
import pytest

from harness.binding import text
from harness.plugin import covers, surfaces, told
from suites.misc.packages import TEXT_BYTES, some_missing
from suites.services.host_bytes import bytes_at

ATTRIBUTES = (0, 1, 2)
PACKAGES = range(8)
LONG_INFORMATION = b'{"name": "' + b"x" * 4987 + b'"}' + b"\0"
NEIGHBOURS = {
    "aclFloat16ToFloat": {"value": 0x3C00},
    "aclDataTypeSize": {"dataType": 0},
    "aclsysGetVersionNum": {"pkgName": "runtime"},
    "aclrtGetVersion": {},
}


@covers("get_version.deprecated", "get_version.values")
def test_version(acl, expect):
    """The version of the interface is told."""
    told = expect.success(acl.aclrtGetVersion())
    expect.true("major at least 1", told.majorVersion >= 1)
    expect.true("minor and patch at least 0", told.minorVersion >= 0 and told.patchVersion >= 0)


@covers("sys_get_version_num.unknown_package")
def test_number_of_no_package(acl, expect):
    """A package that there is not has no number."""
    expect.refused(acl.aclsysGetVersionNum(pkgName="nosuchpkg"))


@covers("sys_get_version_str.unknown_package")
def test_text_of_no_package(acl, expect):
    """A package that there is not has no text."""
    expect.refused(acl.aclsysGetVersionStr(pkgName="nosuchpkg"))


@covers("sys_get_version_str.text")
def test_text(packages, expect):
    """The text is what the file of the package says."""
    told = expect.success(packages.ask("aclsysGetVersionStr"))
    expect.true("the version", text(told.versionStr), packages.version)


@covers("sys_get_version_str.buffer")
@surfaces("c")
def test_text_ends(acl, memory, expect):
    """The text ends inside a buffer of 128 bytes."""
    room = memory.pageable(TEXT_BYTES)
    expect.success(acl.aclsysGetVersionStr(pkgName="runtime", versionStr=room))
    expect.within("characters", room.read().tobytes().find(0), 1, TEXT_BYTES - 1)


@covers("sys_get_version_num.formula")
def test_number(packages, expect):
    """The number of a release is made of its three parts."""
    told = expect.success(packages.ask("aclsysGetVersionNum"))
    expect.true("the number", told.versionNum, packages.release)


@covers("sys_get_cann_version.not_installed")
def test_missing_packages(acl, expect):
    """A package has a version, or is refused."""
    answers = [acl.aclsysGetCANNVersion(name=name) for name in PACKAGES]
    texts = [text(answer.version["version"]) for answer in answers if answer.ok]
    expect.true("every version that is told has a text", all(texts))
    some_missing(expect, answers)
    expect.refused(next(answer for answer in answers if not answer.ok))


@covers("get_cann_attribute.ipv350_set")
def test_only_calls(acl, expect):
    """What the neighbours of this function answer where few of them exist is recorded."""
    expect.success(acl.aclGetCannAttribute(cannAttr=0))
    expect.observed(
        "; ".join(told(acl.call(api, **args)) for api, args in NEIGHBOURS.items() if acl.has(api))
    )


@covers("get_cann_attribute_list.list")
def test_list(acl, expect):
    """The list holds attributes that there are, each once."""
    told = expect.success(acl.aclGetCannAttributeList())
    expect.within("so many attributes", told.num, 0, len(ATTRIBUTES))


@covers("get_cann_attribute.binary")
@pytest.mark.parametrize("attribute", ATTRIBUTES)
def test_attribute(acl, expect, attribute):
    """An attribute is there, or not."""
    expect.true("0 or 1", expect.success(acl.aclGetCannAttribute(cannAttr=attribute)).value in (0, 1))


@covers("get_device_capability.acl_values")
def test_capability(acl, expect):
    """A device has cores, and perhaps a second cache."""
    cores = expect.success(acl.aclGetDeviceCapability(deviceId=0, deviceInfo="ACL_DEVICE_INFO_AI_CORE_NUM"))
    cache = expect.success(acl.aclGetDeviceCapability(deviceId=0, deviceInfo="ACL_DEVICE_INFO_L2_SIZE"))
    expect.true("at least one core", cores.value >= 1)
    expect.true("no less than no cache", cache.value >= 0)


@covers("get_cann_attribute.consistent", uses=("aclGetCannAttributeList",))
@surfaces("c")
def test_attributes_of_the_list(acl, expect):
    """An attribute is there exactly when the list holds it."""
    told = expect.success(acl.aclGetCannAttributeList())
    listed = np.frombuffer(bytes_at(told.cannAttrList, 4 * told.num), "<i4").tolist()
    there = [number for number in ATTRIBUTES if acl.aclGetCannAttribute(cannAttr=number).value == 1]
    expect.true("the attributes of the list", sorted(listed), there)


@covers("sys_get_cann_version.deprecated", "sys_get_cann_version.missing_parts")
def test_package(acl, expect):
    """The version of the whole package is told, with texts for every part."""
    told = expect.success(acl.aclsysGetCANNVersion(name="ACL_PKG_NAME_CANN")).version
    parts = [told[name] for name in ("version", "majorVersion", "releaseVersion", "patchVersion")]
    expect.true("no part is empty", all(text(part) for part in parts))


@covers("platform_get_device_info.decimal")
def test_cores(acl, expect):
    """The number of cores is a decimal text."""
    told = expect.success(acl.aclplatformGetDeviceInfo(infoType="ACL_PLATFORM_AICORE_CNT", maxLen=64))
    expect.true("digits of a number above 0", text(told.value).isdecimal() and int(text(told.value)) > 0)


@covers("platform_get_device_info.short_buffer")
@surfaces("c")
def test_tight_room(acl, expect, memory):
    """Room for the text without its end is too little, and with it is enough."""
    asked = {"infoType": "ACL_PLATFORM_SOC_VERSION", "value": memory.pageable(256)}
    told = text(acl.aclplatformGetDeviceInfo(infoType=asked["infoType"], maxLen=256).value)
    expect.refused(acl.aclplatformGetDeviceInfo(**asked, maxLen=len(told)))
    expect.success(acl.aclplatformGetDeviceInfo(**asked, maxLen=len(told) + 1))


@covers("platform_get_device_info.npu_arch")
def test_architecture(acl, case, expect):
    """The architecture is the one of the product."""
    told = expect.success(acl.aclplatformGetDeviceInfo(infoType="ACL_PLATFORM_NPU_ARCH", maxLen=64))
    wanted = "3510" if case.profile.product == "950" else "2201"
    expect.true("the architecture", text(told.value), wanted)


@covers("prof_trace.padding")
def test_short_trace(acl, memory, stream, expect):
    """Four bytes can be traced."""
    data = memory.host(4)
    expect.success(acl.aclrtProfTrace(userdata=data, length=4, stream=stream))
    expect.success(acl.aclrtSynchronizeStream(stream=stream))


@covers("cache_last_task_op_info.size_range", uses=("aclmdlRICaptureBegin", "aclrtMemsetAsync"))
@surfaces("c")
def test_most_operator_information(acl, desk, memory, stream, expect):
    """Information of 65536 bytes about a task of a capture is taken."""
    with desk.capturing(stream):
        desk.fill(memory.device(64), 1, stream)
        result = acl.aclrtCacheLastTaskOpInfo(infoPtr=memory.pageable(65536).fill(0), infoSize=65536)
    expect.success(result)


@covers("cache_last_task_op_info.capture_only")
def test_operator_information(acl, memory, expect):
    """What keeping information outside a capture gives is recorded."""
    expect.observed(acl.aclrtCacheLastTaskOpInfo(infoPtr=memory.pageable(16), infoSize=16))


@covers("cache_last_task_op_info.product")
def test_operator_information_elsewhere(acl, memory, expect):
    """What a product without it answers is recorded."""
    expect.observed(acl.aclrtCacheLastTaskOpInfo(infoPtr=memory.pageable(16), infoSize=16))


@covers("platform_get_instruction_info.known")
@pytest.mark.parametrize("core", ["AI", "VECTOR"])
def test_instruction(acl, expect, core):
    """An instruction that a core has comes with a text; whether it has this one is recorded."""
    asked = {"type": f"ACL_PLATFORM_CORE_TYPE_{core}_CORE", "instruction": "Intrinsic_vexp", "maxLen": 256}
    told_of = acl.aclplatformGetInstructionInfo(**asked)
    written = not told_of.untouched("value") and text(told_of.value) != ""
    expect.true("a text where it is known", not told_of.ok or written)


@covers("cache_last_task_extend_info.truncates", uses=("aclmdlRICaptureBegin", "aclrtMemsetAsync"))
@surfaces("c")
def test_long_information(acl, desk, memory, stream, expect):
    """Information of 5000 bytes about a task of a capture is taken."""
    with desk.capturing(stream):
        desk.fill(memory.device(64), 1, stream)
        result = acl.aclrtCacheLastTaskExtendInfo(extendInfoPtr=LONG_INFORMATION, infoSize=5000)
    expect.success(result)


@covers("platform_get_instruction_info.unknown")
def test_no_instruction(acl, expect):
    """An instruction that there is not is refused."""
    asked = {"type": "ACL_PLATFORM_CORE_TYPE_AI_CORE", "instruction": "nosuch", "maxLen": 256}
    expect.refused(acl.aclplatformGetInstructionInfo(**asked))
