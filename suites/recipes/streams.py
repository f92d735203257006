"""Valid calls of chapter 06: streams."""

from __future__ import annotations

from functools import partial
from itertools import count
from typing import Any

from suites.recipes import Bench, Call, recipe
from suites.runtime.stream.built import PERSISTENT, BuiltModel

_FAILURE_MODE = "ACL_STREAM_ATTR_FAILURE_MODE"
_PATIENCE_MS = 5000
_NAMES = count(1)


def _made(bench: Bench, args: dict[str, Any]) -> Call:
    """A call that makes a stream."""
    return Call(args, undo=lambda result: bench.call("aclrtDestroyStream", stream=result.stream))


@recipe("aclrtCreateStream")
def create_stream(bench: Bench) -> Call:
    """A stream."""
    return _made(bench, {})


@recipe("aclrtCreateStreamWithConfig")
def create_stream_with_config(bench: Bench) -> Call:
    """A stream without flags."""
    return _made(bench, {"priority": 0, "flag": 0})


@recipe("aclrtDestroyStream", "aclrtDestroyStreamForce")
def destroy_stream(bench: Bench) -> Call:
    """A stream without work."""
    stream = bench.stream()
    return Call({"stream": stream}, undo=lambda result: bench.forget(stream))


@recipe(
    "aclrtGetStreamOverflowSwitch",
    "aclrtStreamAbort",
    "aclrtStreamGetFlags",
    "aclrtStreamGetId",
    "aclrtStreamGetPriority",
    "aclrtStreamQuery",
    "aclrtStreamStop",
    "aclrtSynchronizeStream",
)
def on_stream(bench: Bench) -> Call:
    """A stream without work."""
    return Call({"stream": bench.stream()})


@recipe("aclrtSetStreamOverflowSwitch")
def set_stream_overflow_switch(bench: Bench) -> Call:
    """Overflow detection on."""
    return Call({"stream": bench.stream(), "flag": 1})


@recipe("aclrtSetStreamFailureMode")
def set_stream_failure_mode(bench: Bench) -> Call:
    """Go on after a failure: the other mode would stay with the context."""
    return Call({"stream": bench.stream(), "mode": "ACL_CONTINUE_ON_FAILURE"})


@recipe("aclrtSynchronizeStreamWithTimeout")
def synchronize_stream_with_timeout(bench: Bench) -> Call:
    """A stream without work, and five seconds."""
    return Call({"stream": bench.stream(), "timeout": _PATIENCE_MS})


@recipe("aclrtPersistentTaskClean")
def persistent_task_clean(bench: Bench) -> Call:
    """A persistent stream without tasks."""
    made = bench.call("aclrtCreateStreamWithConfig", priority=0, flag=PERSISTENT).stream
    bench.afterwards("aclrtDestroyStream", stream=made)
    return Call({"stream": made})


@recipe("aclrtGetStreamAvailableNum")
def get_stream_available_num(bench: Bench) -> Call:
    """A question without arguments."""
    return Call({})


@recipe("aclrtSetStreamAttribute")
def set_stream_attribute(bench: Bench) -> Call:
    """Go on after a failure."""
    return Call({"stream": bench.stream(), "stmAttrType": _FAILURE_MODE, "value": {"failureMode": 0}})


@recipe("aclrtGetStreamAttribute")
def get_stream_attribute(bench: Bench) -> Call:
    """The failure mode."""
    return Call({"stream": bench.stream(), "stmAttrType": _FAILURE_MODE})


@recipe("aclrtActiveStream")
def active_stream(bench: Bench) -> Call:
    """Two streams of a model."""
    model = BuiltModel(bench.case, bench.at_end)
    stream = model.stream()
    args = {"activeStream": model.stream(head=False), "stream": stream}
    return Call(args)


@recipe("aclrtSwitchStream")
def switch_stream(bench: Bench) -> Call:
    """Two streams of a model, and a comparison of two numbers."""
    model = BuiltModel(bench.case, bench.at_end)
    args: dict[str, Any] = {
        "leftValue": bench.memory.device(8).fill(1),
        "cond": "ACL_RT_EQUAL",
        "rightValue": bench.memory.device(8).fill(1),
        "dataType": "ACL_RT_SWITCH_INT64",
        "falseStream": None,
        "stream": model.stream(),
    }
    args["trueStream"] = model.stream(head=False)
    return Call(args)


def _ignore(stream: int, state: int, args: int) -> None:
    """A callback that does nothing."""


@recipe("aclrtRegStreamStateCallback")
def reg_stream_state_callback(bench: Bench) -> Call:
    """A callback under a fresh name."""
    name = f"recipe{next(_NAMES)}"
    undo = partial(bench.call, "aclrtRegStreamStateCallback", regName=name, callback=None, args=None)
    return Call({"regName": name, "callback": _ignore, "args": None}, undo=lambda result: undo())


# Configured streams


def _config(bench: Bench) -> int:
    """A stream configuration; memory that is none where there is no such thing."""
    if not bench.case.supports("aclrtCreateStreamConfigHandle"):
        return bench.extra("pageable_block")
    made = int(bench.call("aclrtCreateStreamConfigHandle").value)
    bench.afterwards("aclrtDestroyStreamConfigHandle", handle=made)
    return made


@recipe("aclrtCreateStreamV2")
def create_stream_v2(bench: Bench) -> Call:
    """A stream as a fresh configuration asks for."""
    return _made(bench, {"handle": _config(bench)})


@recipe("aclrtSetStreamConfigOpt")
def set_stream_config_opt(bench: Bench) -> Call:
    """Priority 3."""
    value = bench.memory.pageable(4).write((3).to_bytes(4, "little"))
    attr = "ACL_RT_STREAM_PRIORITY"
    return Call({"handle": _config(bench), "attr": attr, "attrValue": value, "valueSize": 4})


@recipe("aclrtCreateStreamConfigHandle")
def create_stream_config_handle(bench: Bench) -> Call:
    """A stream configuration."""

    def undo(result: Any) -> Any:
        return bench.call("aclrtDestroyStreamConfigHandle", handle=result.value)

    return Call({}, undo=undo, worked=lambda result: bool(result.value))


@recipe("aclrtDestroyStreamConfigHandle")
def destroy_stream_config_handle(bench: Bench) -> Call:
    """A fresh stream configuration."""
    if not bench.case.supports("aclrtCreateStreamConfigHandle"):
        return Call({"handle": bench.extra("pageable_block")}, control=False)
    left = [int(bench.call("aclrtCreateStreamConfigHandle").value)]
    bench.at_end(lambda: [bench.call("aclrtDestroyStreamConfigHandle", handle=one) for one in left] and None)
    return Call({"handle": left[0]}, undo=lambda result: left.clear())
