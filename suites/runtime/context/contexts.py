"""Contexts that a case makes, the one it began with, and threads that have none."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from functools import partial
from typing import Any, TypeVar

from harness.device import require
from harness.plugin import Block, Case, Expect, Memory, pattern
from suites.threads import alone, alone_on, soon

T = TypeVar("T")

DETERMINISTIC = "ACL_OPT_DETERMINISTIC"
PERMITTED = {
    "ACL_OPT_DETERMINISTIC": (0, 1, 2, 3),
    "ACL_OPT_ENABLE_DEBUG_KERNEL": (0, 1),
    "ACL_OPT_STRONG_CONSISTENCY": (0, 1),
}
"""The values that a context takes for each of its options."""

_COPIED = 64


class Contexts:
    """What the tests of contexts do. At the end the first one is current and the others are destroyed."""

    def __init__(self, acl: Any, case: Case, memory: Memory, expect: Expect) -> None:
        self._acl = acl
        self._case = case
        self._memory = memory
        self._expect = expect
        self._call = case.engine.c.call
        self._live: list[int] = []
        self.home = self.current()
        """The context that is current when the case begins: the default one of device 0."""
        case.resources.at_end(self._give_back)

    # Making and changing

    def create(self, device: int = 0) -> int:
        """A context of a device; it is current now."""
        result = require(self._call("aclrtCreateContext", deviceId=device), "making a context")
        return self.took(result)

    def took(self, result: Any) -> int:
        """The context that a call has made, if it has; it is destroyed at the end."""
        if result.ok:
            self._live.append(int(result.context))
        return int(result.context)

    def create_aside(self) -> int:
        """A context of device 0; the one that was current stays so."""
        before = self.current()
        made = self.create()
        self.go(before)
        return made

    def destroyed(self) -> int:
        """The handle of a context that is no more; the first one is current."""
        gone = self.create_aside()
        self.destroy(gone)
        self.go(self.home)
        return gone

    def destroy(self, context: int) -> None:
        """Destroy a context, which must succeed."""
        self.gone(context)
        require(self._call("aclrtDestroyContext", context=context), "destroying a context")

    def gone(self, context: int) -> None:
        """The call under test has destroyed it."""
        if context in self._live:
            self._live.remove(context)

    def go(self, context: int) -> None:
        """Make a context current."""
        require(self._call("aclrtSetCurrentContext", context=context), "changing the context")

    @contextmanager
    def inside(self, context: int) -> Iterator[None]:
        """This context is current inside the block, the one before it again after."""
        before = self.current()
        self.go(context)
        try:
            yield
        finally:
            self.go(before)

    # Looking

    def current(self) -> int:
        """The handle of the current context."""
        return int(require(self._call("aclrtGetCurrentContext"), "asking for the context").context)

    def default_stream(self) -> int:
        """The handle of the default stream of the current context."""
        self._case.needs("aclrtCtxGetCurrentDefaultStream")
        return int(require(self._call("aclrtCtxGetCurrentDefaultStream"), "asking for the stream").stream)

    def streams_left(self) -> int:
        """How many streams the device still gives."""
        self._case.needs("aclrtGetStreamAvailableNum")
        return int(require(self._call("aclrtGetStreamAvailableNum"), "counting streams").streamCount)

    # Threads

    def alone_in(self, context: int, job: Callable[[], T]) -> T:
        """Do a job in another thread that has set this context."""

        def work() -> T:
            self.go(context)
            return job()

        return alone(work)

    def without_context(self, api: str, **args: Any) -> Any:
        """The answer to a call from a thread that has neither device nor context."""
        return alone(lambda: self._acl.call(api, **args))

    def first_of_device(self, device: int) -> Any:
        """The answer to aclrtGetCurrentContext right after a thread has set a device."""
        return alone_on(self._call, device, partial(self._acl.call, "aclrtGetCurrentContext"))

    def after_elsewhere(self, context: int, api: str) -> Any:
        """The answer to a call after another thread has destroyed this thread's context."""
        alone(lambda: self.destroy(context))
        return self._acl.call(api)

    def works_in_another_thread(self, enter: Callable[[], Any]) -> Any:
        """What a thread's way into a context answered; work in it must be done well."""

        def work() -> Any:
            result = enter()
            if result.ok:
                self.expect_works("in another thread")
            return result

        return alone(work)

    def soon(self, job: Callable[[], object]) -> None:
        """Do a job in another thread a little later, for a call that waits until then."""
        self._case.resources.at_end(soon(self._case.engine.c, job).join)

    # Working

    def with_streams(self, count: int) -> int:
        """A context, current, in which so many streams were made and destroyed."""
        made = self.create()
        for stream in [require(self._make_stream(), "making a stream").stream for _ in range(count)]:
            require(self._call("aclrtDestroyStream", stream=stream), "destroying a stream")
        return made

    def with_option(self, option: str) -> int:
        """A context, current, in which an option was set."""
        made = self.create()
        require(self._call("aclrtCtxSetSysParamOpt", opt=option, value=1), "setting an option")
        return made

    def set_and_get(self, option: str, value: int) -> int:
        """The value of an option of the context after it was set."""
        self._expect.success(self._acl.call("aclrtCtxSetSysParamOpt", opt=option, value=value))
        result = self._expect.success(self._acl.call("aclrtCtxGetSysParamOpt", opt=option))
        return int(result.value)

    def saturate(self, afterwards: Callable[..., None]) -> None:
        """Put the device into saturation mode; it is as it was at the end."""
        mode = require(self._call("aclrtGetDeviceSatMode"), "asking for the mode").mode
        afterwards("aclrtSetDeviceSatMode", mode=mode)
        require(self._call("aclrtSetDeviceSatMode", mode="ACL_RT_OVERFLOW_MODE_SATURATION"), "changing it")

    def fill_in_turn(self, block: Block, fills: Sequence[tuple[int | None, int]]) -> None:
        """Fill a block on streams one after the other, and wait for the last of them."""
        for stream, value in fills:
            fill = {"devPtr": block.ptr, "maxCount": block.size, "value": value, "count": block.size}
            self._expect.success(self._call("aclrtMemsetAsync", **fill, stream=stream))
        require(self._call("aclrtSynchronizeStream", stream=fills[-1][0]), "waiting for the fills")

    def expect_works(self, where: str, rule: str | None = None) -> None:
        """The current context takes a stream with work: 64 bytes go to the device and come back the same."""
        data = pattern(_COPIED)
        host, device = self._memory.host(_COPIED).write(data), self._memory.device(_COPIED)
        stream = require(self._make_stream(), f"making a stream {where}").stream
        args = {"dst": device.ptr, "destMax": _COPIED, "src": host.ptr, "count": _COPIED}
        args["kind"] = "ACL_MEMCPY_HOST_TO_DEVICE"
        if self._case.supports("aclrtMemcpyAsync"):
            queued = self._call("aclrtMemcpyAsync", **args, stream=stream)
        else:
            queued = self._call("aclrtMemcpy", **args)
        waited = self._call("aclrtSynchronizeStream", stream=stream)
        require(self._call("aclrtDestroyStream", stream=stream), f"destroying a stream {where}")
        self._expect.true(f"work of a stream {where}", (queued.ok, waited.ok), (True, True), rule=rule)
        self._expect.data(device, data, f"what a stream {where} has copied", rule=rule)

    def _make_stream(self) -> Any:
        if self._case.supports("aclrtCreateStream"):
            return self._call("aclrtCreateStream")
        config = self._call("aclrtCreateStreamConfigHandle").value
        made = self._call("aclrtCreateStreamV2", handle=config)
        self._call("aclrtDestroyStreamConfigHandle", handle=config)
        return made

    def _give_back(self) -> None:
        self.go(self.home)
        while self._live:
            self.destroy(self._live[-1])
