"""Valid calls of chapter 05: contexts."""

from __future__ import annotations

from functools import partial
from typing import Any

from suites.recipes import Bench, Call, recipe


def _home(bench: Bench) -> int:
    """The current context; it is current again at the end."""
    context = int(bench.call("aclrtGetCurrentContext").context)
    bench.afterwards("aclrtSetCurrentContext", context=context)
    return context


def _aside(bench: Bench) -> int:
    """A context of device 0 that is not current."""
    home = _home(bench)
    made = int(bench.call("aclrtCreateContext", deviceId=0).context)
    bench.call("aclrtSetCurrentContext", context=home)
    return made


@recipe("aclrtCreateContext")
def create_context(bench: Bench) -> Call:
    """A context of device 0."""
    home = _home(bench)

    def undo(result: Any) -> None:
        bench.call("aclrtDestroyContext", context=result.context)
        bench.call("aclrtSetCurrentContext", context=home)

    return Call({"deviceId": 0}, undo=undo)


@recipe("aclrtDestroyContext")
def destroy_context(bench: Bench) -> Call:
    """A context that is not current."""
    made = _aside(bench)
    left = [made]
    bench.at_end(lambda: [bench.call("aclrtDestroyContext", context=context) for context in left] and None)
    return Call({"context": made}, undo=lambda result: left.clear())


@recipe("aclrtSetCurrentContext")
def set_current_context(bench: Bench) -> Call:
    """The context that is current already."""
    return Call({"context": _home(bench)})


@recipe("aclrtGetCurrentContext", "aclrtCtxGetCurrentDefaultStream", "aclrtCtxGetFloatOverflowAddr")
def get_current(bench: Bench) -> Call:
    """A question without arguments."""
    return Call({})


@recipe("aclrtCtxSetSysParamOpt")
def ctx_set_sys_param_opt(bench: Bench) -> Call:
    """A permitted value, in a context that goes away."""
    _inside(bench)
    return Call({"opt": "ACL_OPT_DETERMINISTIC", "value": 1})


@recipe("aclrtCtxGetSysParamOpt")
def ctx_get_sys_param_opt(bench: Bench) -> Call:
    """An option that was set before."""
    _inside(bench)
    bench.call("aclrtCtxSetSysParamOpt", opt="ACL_OPT_DETERMINISTIC", value=1)
    return Call({"opt": "ACL_OPT_DETERMINISTIC"})


@recipe("aclrtGetPrimaryCtxState")
def get_primary_ctx_state(bench: Bench) -> Call:
    """Whether the default context of device 0 is there; pyACL hands over flags, which is refused."""
    if bench.case.surface != "c":
        return Call({"deviceId": 0}, control=False)
    return Call({"deviceId": 0, "flags": None})


def _inside(bench: Bench) -> None:
    """A fresh context is current until the end."""
    home = bench.call("aclrtGetCurrentContext").context
    made = bench.call("aclrtCreateContext", deviceId=0).context
    bench.at_end(partial(_leave, bench, home, made))


def _leave(bench: Bench, home: int, made: int) -> None:
    bench.call("aclrtSetCurrentContext", context=home)
    bench.call("aclrtDestroyContext", context=made)
