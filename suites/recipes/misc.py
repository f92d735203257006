"""Valid calls of chapter 24: data types, versions, attributes of the package, what the platform is."""

from __future__ import annotations

from suites.recipes import Bench, Call, recipe

_ROOM = 256


@recipe("aclDataTypeSize")
def data_type_size(bench: Bench) -> Call:
    """A byte."""
    return Call({"dataType": "ACL_INT8"})


@recipe("aclrtGetVersion", "aclGetCannAttributeList")
def without_arguments(bench: Bench) -> Call:
    """Nothing."""
    return Call({})


@recipe("aclGetCannAttribute")
def package_attribute(bench: Bench) -> Call:
    """The first attribute."""
    return Call({"cannAttr": 0})


@recipe("aclGetDeviceCapability")
def device_capability(bench: Bench) -> Call:
    """The cores of device 0."""
    return Call({"deviceId": 0, "deviceInfo": "ACL_DEVICE_INFO_AI_CORE_NUM"})


@recipe("aclsysGetCANNVersion")
def package_version(bench: Bench) -> Call:
    """The runtime."""
    return Call({"name": "ACL_PKG_NAME_RUNTIME"})


@recipe("aclsysGetVersionNum", "aclsysGetVersionStr")
def version_of(bench: Bench) -> Call:
    """The runtime."""
    return Call({"pkgName": "runtime"})


@recipe("aclplatformGetDeviceInfo")
def device_information(bench: Bench) -> Call:
    """The number of cores."""
    return Call({"infoType": "ACL_PLATFORM_AICORE_CNT", "maxLen": _ROOM})


@recipe("aclplatformGetInstructionInfo")
def instruction_information(bench: Bench) -> Call:
    """An instruction of every core; tried first only where it is known to be there."""
    settled = bench.case.engine.library.control is not None
    args = {
        "type": "ACL_PLATFORM_CORE_TYPE_AI_CORE",
        "instruction": "Intrinsic_vexp",
        "maxLen": _ROOM,
    }
    return Call(args, control=settled)


@recipe("aclrtProfTrace")
def trace(bench: Bench) -> Call:
    """18 bytes on a stream."""
    stream, data = bench.stream(), bench.memory.host(32)
    call = bench.case.engine.c.call
    return Call(
        {"userdata": data, "length": 18, "stream": stream},
        watch=(data,),
        settle=lambda: call("aclrtSynchronizeStream", stream=stream),
    )


@recipe("aclrtCacheLastTaskOpInfo")
def operator_information(bench: Bench) -> Call:
    """16 bytes, outside a capture; tried first only where that is known to be accepted."""
    settled = bench.case.engine.library.control is not None
    return Call({"infoPtr": bench.memory.pageable(65537), "infoSize": 16}, control=settled)


@recipe("aclrtCacheLastTaskExtendInfo")
def extended_information(bench: Bench) -> Call:
    """16 bytes, outside a capture; tried first only where that is known to be accepted."""
    settled = bench.case.engine.library.control is not None
    return Call({"extendInfoPtr": b"0123456789abcdef", "infoSize": 16}, control=settled)


@recipe("aclRecoverAllHcclTasks")
def recover_collective_tasks(bench: Bench) -> Call:
    """Device 0. What becomes of it without such tasks is not said."""
    return Call({"deviceId": 0}, control=False)
