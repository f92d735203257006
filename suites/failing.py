"""Tasks that fail on purpose, where there is a way to have one."""

from __future__ import annotations

import threading

from harness.device import require
from harness.plugin import Block, Case

FAILURE = "ACL_ERROR_RT_AICORE_EXCEPTION"
"""How a task of the reference device fails."""

_DOES_NOT_EXPIRE = ("310p", "910", "IPV350")
"""Products on which a wait for a notify may outlast its time, or is not there."""


def put_failing_task(case: Case, stream: int, block: Block | None = None) -> None:
    """Put a task on a stream that fails when it runs: on the reference device one that would fill a block,
    elsewhere a wait for a notify whose time is over after a second. Blocked where neither is known to fail.
    """
    control = case.engine.library.control
    call = case.engine.c.call
    if control is not None:
        control.inject_task_error(stream, case.contract.value(FAILURE))
        _put_task(case, stream, block)
        return
    if case.profile.product in _DOES_NOT_EXPIRE:
        case.expect.blocked(f"no task is known to fail on {case.profile} without a kernel of one's own")
    notify = int(require(call("aclrtCreateNotify", flag=0), "making a notify").notify)
    case.resources.afterwards("aclrtDestroyNotify", notify=notify)
    wait = call("aclrtWaitAndResetNotify", notify=notify, stream=stream, timeout=1)
    require(wait, "queueing a wait that ends with its time")


def _put_task(case: Case, stream: int, block: Block | None) -> None:
    """Put a fill on a stream, or a callback that nobody runs where streams do not fill."""
    call = case.engine.c.call
    if case.supports("aclrtMemsetAsync"):
        target = case.resources.memory().device(64) if block is None else block
        fill = {"devPtr": target.ptr, "maxCount": target.size, "value": 0, "count": target.size}
        require(call("aclrtMemsetAsync", **fill, stream=stream), "queueing a task that fails")
        return
    served = {"threadId": threading.get_ident(), "stream": stream}
    require(call("aclrtSubscribeReport", **served), "serving the callbacks of a stream")
    case.resources.afterwards("aclrtUnSubscribeReport", **served)
    task = {"fn": lambda _: None, "userData": None, "blockType": "ACL_CALLBACK_BLOCK", "stream": stream}
    require(call("aclrtLaunchCallback", **task), "queueing a task that fails")
