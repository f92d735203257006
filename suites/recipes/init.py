"""Valid calls of chapters 02 and 03: initialisation, options of the process, limits of cores."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import Any

from suites.recipes import Bench, Call, recipe

_OTHER = "ACL_REG_TYPE_OTHER"
_CUBE = "ACL_RT_DEV_RES_CUBE_CORE"
_OPTIONS = ("ACL_OPT_DETERMINISTIC", "ACL_OPT_ENABLE_DEBUG_KERNEL", "ACL_OPT_STRONG_CONSISTENCY")


# Initialisation and functions that follow it


@recipe("aclFinalizeReference")
def finalize_reference(bench: Bench) -> Call:
    """The second of two initialisations is taken back."""
    bench.case.engine.c.call("aclInit", configPath=None)
    if bench.case.supports("aclFinalizeReference"):
        return Call({})
    left = ["aclFinalize"]
    bench.at_end(lambda: [bench.call(api) for api in left] and None)
    return Call({}, undo=lambda result: left.clear())


def _function(bench: Bench, kind: str) -> Any:
    """A C function that does nothing well, to be registered for aclInit or aclFinalize."""
    answer: Callable[..., int] = lambda *given: 0  # noqa: E731
    return bench.case.engine.library.callback(f"acl{kind}CallbackFunc", answer)


def _register(kind: str, bench: Bench) -> Call:
    """A function for any purpose."""
    args = {"type": _OTHER, "cbFunc": _function(bench, kind)}
    remove = f"acl{kind}CallbackUnRegister"
    return Call({**args, "userData": None}, undo=lambda result: bench.call(remove, **args))


def _unregister(kind: str, bench: Bench) -> Call:
    """A function that was registered before."""
    args = {"type": _OTHER, "cbFunc": _function(bench, kind)}
    bench.call(f"acl{kind}CallbackRegister", **args, userData=None)
    left = [args]
    bench.at_end(lambda: [bench.call(f"acl{kind}CallbackUnRegister", **one) for one in left] and None)
    return Call(args, undo=lambda result: left.clear())


for _kind in ("Init", "Finalize"):
    recipe(f"acl{_kind}CallbackRegister")(partial(_register, _kind))
    recipe(f"acl{_kind}CallbackUnRegister")(partial(_unregister, _kind))


# Options of the process


def keep_options(bench: Bench) -> None:
    """At the end every option of the process is what it was."""
    for option in _OPTIONS:
        value = bench.call("aclrtGetSysParamOpt", opt=option).value
        bench.afterwards("aclrtSetSysParamOpt", opt=option, value=value)


@recipe("aclrtSetSysParamOpt")
def set_sys_param_opt(bench: Bench) -> Call:
    """A permitted value."""
    keep_options(bench)
    return Call({"opt": "ACL_OPT_DETERMINISTIC", "value": 1})


@recipe("aclrtGetSysParamOpt")
def get_sys_param_opt(bench: Bench) -> Call:
    """Any option."""
    return Call({"opt": "ACL_OPT_DETERMINISTIC"})


# Limits of cores


@recipe("aclrtSetDeviceResLimit")
def set_device_res_limit(bench: Bench) -> Call:
    """One core of device 0."""
    bench.afterwards("aclrtResetDeviceResLimit", deviceId=0)
    return Call({"deviceId": 0, "type": _CUBE, "value": 1})


@recipe("aclrtGetDeviceResLimit")
def get_device_res_limit(bench: Bench) -> Call:
    """The limit of device 0."""
    return Call({"deviceId": 0, "type": _CUBE})


@recipe("aclrtResetDeviceResLimit")
def reset_device_res_limit(bench: Bench) -> Call:
    """A device without a limit."""
    return Call({"deviceId": 0})


@recipe("aclrtSetStreamResLimit")
def set_stream_res_limit(bench: Bench) -> Call:
    """One core for a stream that goes away."""
    return Call({"stream": bench.stream(), "type": _CUBE, "value": 1})


@recipe("aclrtGetStreamResLimit")
def get_stream_res_limit(bench: Bench) -> Call:
    """The limit of a fresh stream."""
    return Call({"stream": bench.stream(), "type": _CUBE})


@recipe("aclrtGetResInCurrentThread")
def get_res_in_current_thread(bench: Bench) -> Call:
    """The limit of this thread."""
    return Call({"type": _CUBE})
