"""The process of a case that initialises it itself: configurations, work with a device, texts of errors."""

from __future__ import annotations

import json
import time
from collections.abc import Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from functools import partial
from pathlib import Path
from typing import Any

from harness.device import require
from harness.plugin import Case, Expect
from suites.threads import alone

SIMD_STACK = "ACL_RT_DEV_LIMIT_SIMD_STACK_SIZE"
_GET_LIMIT = "aclrtDeviceGetLimit"


class Process:
    """Initialises with configurations of its own; `acl` is the surface under test."""

    def __init__(self, acl: Any, case: Case, expect: Expect, folder: Path) -> None:
        self._acl = acl
        self._case = case
        self._expect = expect
        self._call = case.engine.c.call
        self.folder = folder
        """An empty folder that can be written to."""

    # Initialising

    def file(self, content: Mapping[str, Any] | bytes) -> str:
        """The path of a configuration: settings, or the bytes of a file."""
        path = self.folder / f"acl{len([*self.folder.iterdir()])}.json"
        path.write_bytes(content if isinstance(content, bytes) else json.dumps(content).encode())
        return str(path)

    def init(self, content: Mapping[str, Any] | bytes | None = None) -> Any:
        """The answer to aclInit with a configuration, or with none."""
        return self._acl.call("aclInit", configPath=None if content is None else self.file(content))

    def init_and_set(self, content: Mapping[str, Any]) -> Any:
        """The answer to aclInit, or where that takes the configuration to the first aclrtSetDevice."""
        result = self.init(content)
        return self._call("aclrtSetDevice", deviceId=0) if result.ok else result

    def must_init(self, content: Mapping[str, Any] | None = None) -> None:
        """Initialise, which must succeed."""
        require(self.init(content), "initialising the runtime")

    def init_and_finalise_reference(self, threads: int, rounds: int) -> set[int]:
        """Threads that initialise and take it back, all at the same time; the codes of aclInit."""

        def work() -> set[int]:
            codes = set()
            for _ in range(rounds):
                codes.add(int(self._acl.call("aclInit", configPath=None).code))
                require(self._acl.call("aclFinalizeReference"), "taking one initialisation back")
            return codes

        with ThreadPoolExecutor(threads) as pool:
            done = [pool.submit(work) for _ in range(threads)]
            return set().union(*(one.result() for one in done))

    def rounds(self, *contents: Mapping[str, Any]) -> list[bool]:
        """For each configuration in turn whether initialising, work and finalising went well."""
        return [self._round(content) for content in contents]

    def _round(self, content: Mapping[str, Any]) -> bool:
        begun = self.init(content).ok
        worked = self.device_works()
        return bool(begun and worked and self._acl.call("aclFinalize").ok)

    # Working

    def device_works(self) -> bool:
        """Whether device 0 can be set, gives memory and takes it back, and can be reset."""
        steps: Sequence[tuple[str, dict[str, Any]]] = (
            ("aclrtSetDevice", {"deviceId": 0}),
            ("aclrtMalloc", {"size": 64, "policy": "ACL_MEM_MALLOC_HUGE_FIRST"}),
        )
        results = [self._call(api, **args) for api, args in steps]
        if results[-1].ok:
            results.append(self._call("aclrtFree", devPtr=results[-1].devPtr))
        results.append(self._call("aclrtResetDevice", deviceId=0))
        return all(result.ok for result in results)

    def memory_and_stream(self) -> list[Any]:
        """The answers to asking for memory and a stream; what there is of them is given back."""
        memory = self._acl.call("aclrtMalloc", size=64, policy="ACL_MEM_MALLOC_HUGE_FIRST")
        stream = self._acl.call("aclrtCreateStream")
        if memory.ok:
            self._case.resources.afterwards("aclrtFree", devPtr=memory.devPtr)
        if stream.ok:
            self._case.resources.afterwards("aclrtDestroyStream", stream=stream.stream)
        return [memory, stream]

    def device_count(self) -> int:
        """How many devices the process sees; before aclInit too."""
        return int(require(self._call("aclrtGetDeviceCount"), "counting devices").count)

    def timed_finalise(self) -> tuple[Any, float]:
        """The answer to aclFinalize and its seconds."""
        start = time.monotonic()
        result = self._acl.call("aclFinalize")
        return result, time.monotonic() - start

    # Looking

    def expect_limit(self, value: int, limit: str = SIMD_STACK) -> None:
        """What a limit reads, where the product lets it be read."""
        if self._case.supports(_GET_LIMIT):
            read = self._expect.success(self._call(_GET_LIMIT, limit=limit))
            self._expect.true(f"{limit} in bytes", read.value, value)

    def error_texts(self) -> tuple[bool, bool]:
        """Whether there is a text in the thread whose call has failed, and in another; both still live."""
        with ThreadPoolExecutor(1) as failing, ThreadPoolExecutor(1) as other:
            failing.submit(self._fail).result()
            other.submit(self._call, "aclrtSetDevice", deviceId=0).result()
            elsewhere = other.submit(self._has_text).result()
            other.submit(self._call, "aclrtResetDevice", deviceId=0).result()
            return failing.submit(self._has_text).result(), elsewhere

    def text_after_thread(self) -> bool:
        """Whether this thread reads a text after another one has failed and ended."""
        with ThreadPoolExecutor(1) as failing:
            failing.submit(self._fail).result()
        return self._has_text()

    def elsewhere(self, api: str, **args: Any) -> Any:
        """The answer to a call from a thread that has never set a device."""
        return alone(partial(self._acl.call, api, **args))

    def _fail(self) -> None:
        result = self._call("aclrtSetDevice", deviceId=self.device_count())
        assert not result.ok

    def _has_text(self) -> bool:
        return bool(self._call("aclGetRecentErrMsg").value)
