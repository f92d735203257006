"""Valid calls of chapter 04: devices."""

from __future__ import annotations

from typing import Any

from harness.binding import InOut
from suites.recipes import Bench, Call, recipe

_OVERFLOW_BYTES = 64
_BUS_ID_BYTES = 13
_ADD = "ACL_RT_ATOMIC_OPERATION_INTEGER_ADD"
_STACK = "ACL_RT_DEV_LIMIT_SIMD_STACK_SIZE"
_STACK_BYTES = 32 * 1024


def _peer(bench: Bench) -> int:
    """A device beside device 0; blocked where there is none."""
    if bench.extra("device_count") < 2:
        bench.case.expect.blocked("there is no second device")
    return 1


def _undone_once(bench: Bench, args: dict[str, Any], api: str) -> Call:
    """A call that takes something back; where it was refused, `api` does so with the valid arguments."""
    valid = dict(args)
    left = [valid]
    bench.at_end(lambda: [bench.call(api, **one) for one in left] and None)
    return Call(args, undo=lambda result: left.clear())


# Choosing and resetting


@recipe("aclrtSetDevice")
def set_device(bench: Bench) -> Call:
    """The device that is current already."""
    return Call({"deviceId": 0}, undo=lambda result: bench.call("aclrtResetDevice", deviceId=0))


@recipe("aclrtResetDevice")
def reset_device(bench: Bench) -> Call:
    """A device that was set once more before."""
    bench.call("aclrtSetDevice", deviceId=0)
    return _undone_once(bench, {"deviceId": 0}, "aclrtResetDevice")


@recipe(
    "aclrtGetDevice",
    "aclrtGetDeviceCount",
    "aclrtGetRunMode",
    "aclrtGetDeviceSatMode",
    "aclrtDeviceGetBareTgid",
    "aclrtDeviceGetStreamPriorityRange",
)
def ask(bench: Bench) -> Call:
    """A question without arguments."""
    return Call({})


@recipe("aclrtSetTsDevice")
def set_ts_device(bench: Bench) -> Call:
    """The scheduler of the AI Cores."""
    return Call({"tsId": "ACL_TS_ID_AICORE"})


@recipe("aclrtSetDeviceSatMode")
def set_device_sat_mode(bench: Bench) -> Call:
    """The mode there is already."""
    mode = bench.call("aclrtGetDeviceSatMode").mode
    bench.afterwards("aclrtSetDeviceSatMode", mode=mode)
    return Call({"mode": mode})


@recipe("aclrtSynchronizeDeviceWithTimeout")
def synchronize_device_with_timeout(bench: Bench) -> Call:
    """An idle device."""
    return Call({"timeout": 1000})


# What a device is


@recipe("aclrtGetDeviceUtilizationRate")
def get_device_utilization_rate(bench: Bench) -> Call:
    """How busy device 0 is; the extension has to be NULL, which pyACL sees to."""
    if bench.case.surface != "c":
        return Call({"deviceId": 0})
    return Call({"deviceId": 0, "utilizationInfo": InOut({})})


@recipe("aclrtQueryDeviceStatus", "aclrtDeviceGetUuid")
def ask_device(bench: Bench) -> Call:
    """A question about device 0."""
    return Call({"deviceId": 0})


@recipe("aclrtGetDeviceInfo")
def get_device_info(bench: Bench) -> Call:
    """How many AI Cores device 0 has."""
    return Call({"deviceId": 0, "attr": "ACL_DEV_ATTR_AICORE_CORE_NUM"})


@recipe("aclrtGetDeviceCapability")
def get_device_capability(bench: Bench) -> Call:
    """A feature of device 0."""
    return Call({"deviceId": 0, "devFeatureType": "ACL_FEATURE_TSCPU_TASK_UPDATE_SUPPORT_AIC_AIV"})


@recipe("aclrtGetDevicesTopo")
def get_devices_topo(bench: Bench) -> Call:
    """How two devices are linked."""
    return Call({"deviceId": 0, "otherDeviceId": _peer(bench)})


@recipe("aclrtDeviceGetPCIBusId")
def device_get_pci_bus_id(bench: Bench) -> Call:
    """Room for the text and its end."""
    room = bench.memory.pageable(_BUS_ID_BYTES)
    return Call({"deviceId": 0, "pciBusId": room, "len": _BUS_ID_BYTES}, watch=(room,))


@recipe("aclrtDeviceGetByPCIBusId")
def device_get_by_pci_bus_id(bench: Bench) -> Call:
    """The bus id of device 0; blocked where it is not on a PCIe bus."""
    told = bench.case.engine.c.call("aclrtDeviceGetPCIBusId", deviceId=0, len=_BUS_ID_BYTES)
    if not told.ok:
        bench.case.expect.blocked(f"device 0 tells no bus id: {told.name}")
    return Call({"pciBusId": bytes(told.pciBusId)})


@recipe("aclrtDeviceGetHostAtomicCapabilities")
def device_get_host_atomic_capabilities(bench: Bench) -> Call:
    """One operation on memory of the host."""
    return Call({"operations": [_ADD], "count": 1, "deviceId": 0})


@recipe("aclrtDeviceGetP2PAtomicCapabilities")
def device_get_p2p_atomic_capabilities(bench: Bench) -> Call:
    """One operation on memory of another device."""
    return Call({"operations": [_ADD], "count": 1, "srcDeviceId": 0, "dstDeviceId": _peer(bench)})


# Numbers of a device


def _machine_id(bench: Bench) -> int:
    """The number that the machine has for device 0 of the process."""
    return int(bench.call("aclrtGetLogicDevIdByUserDevId", userDevid=0).logicDevId)


@recipe("aclrtGetLogicDevIdByUserDevId")
def get_logic_dev_id_by_user_dev_id(bench: Bench) -> Call:
    """The first device."""
    return Call({"userDevid": 0})


@recipe("aclrtGetUserDevIdByLogicDevId")
def get_user_dev_id_by_logic_dev_id(bench: Bench) -> Call:
    """A device that the process sees."""
    return Call({"logicDevId": _machine_id(bench)})


@recipe("aclrtGetPhyDevIdByUserDevId")
def get_phy_dev_id_by_user_dev_id(bench: Bench) -> Call:
    """The first device."""
    return Call({"userDevId": 0})


@recipe("aclrtGetUserDevIdByPhyDevId", "aclrtGetLogicDevIdByPhyDevId")
def get_dev_id_by_phy_dev_id(bench: Bench) -> Call:
    """A device that the process sees."""
    return Call({"phyDevId": bench.call("aclrtGetPhyDevIdByUserDevId", userDevId=0).phyDevId})


@recipe("aclrtGetPhyDevIdByLogicDevId")
def get_phy_dev_id_by_logic_dev_id(bench: Bench) -> Call:
    """The first device; the argument is the process's own number whatever it is called."""
    return Call({"logicDevId": 0})


# Access to another device


@recipe("aclrtDeviceCanAccessPeer", "aclrtDevicePeerAccessStatus")
def ask_peers(bench: Bench) -> Call:
    """A question about two devices."""
    return Call({"deviceId": 0, "peerDeviceId": _peer(bench)})


@recipe("aclrtDeviceEnablePeerAccess")
def device_enable_peer_access(bench: Bench) -> Call:
    """Access to a second device, closed again."""
    args = {"peerDeviceId": _peer(bench)}
    return Call({**args, "flags": 0}, undo=lambda result: bench.call("aclrtDeviceDisablePeerAccess", **args))


@recipe("aclrtDeviceDisablePeerAccess")
def device_disable_peer_access(bench: Bench) -> Call:
    """Access that is open."""
    args = {"peerDeviceId": _peer(bench)}
    bench.call("aclrtDeviceEnablePeerAccess", **args, flags=0)
    return _undone_once(bench, args, "aclrtDeviceDisablePeerAccess")


# Overflow, state and limits


@recipe("aclrtGetOverflowStatus")
def get_overflow_status(bench: Bench) -> Call:
    """The state goes into 64 bytes of the device."""
    block = bench.memory.device(_OVERFLOW_BYTES)
    call = Call({"outputAddr": block, "outputSize": _OVERFLOW_BYTES, "stream": bench.stream()}, (block,))
    call.settle = lambda: bench.case.engine.c.call("aclrtSynchronizeStream", stream=call.args["stream"])
    return call


@recipe("aclrtResetOverflowStatus")
def reset_overflow_status(bench: Bench) -> Call:
    """The state is cleared on a stream."""
    call = Call({"stream": bench.stream()})
    call.settle = lambda: bench.case.engine.c.call("aclrtSynchronizeStream", stream=call.args["stream"])
    return call


@recipe("aclrtRegDeviceStateCallback")
def reg_device_state_callback(bench: Bench) -> Call:
    """A function under a name that is free, taken away again."""
    function = bench.case.engine.library.callback("aclrtDeviceStateCallback", lambda *given: None)
    args = {"regName": "recipe", "callback": function, "args": None}
    gone = {**args, "callback": None}
    return Call(args, undo=lambda result: bench.call("aclrtRegDeviceStateCallback", **gone))


@recipe("aclrtDeviceSetLimit")
def device_set_limit(bench: Bench) -> Call:
    """A stack of the AI Cores as large as it is already."""
    if not bench.case.supports("aclrtDeviceGetLimit"):
        return Call({"limit": _STACK, "value": _STACK_BYTES})
    value = bench.call("aclrtDeviceGetLimit", limit=_STACK).value
    bench.afterwards("aclrtDeviceSetLimit", limit=_STACK, value=value)
    return Call({"limit": _STACK, "value": value})


@recipe("aclrtDeviceGetLimit")
def device_get_limit(bench: Bench) -> Call:
    """The stack of the AI Cores."""
    return Call({"limit": _STACK})
