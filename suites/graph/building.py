"""Instances that are built stream by stream."""

from __future__ import annotations

import time
from concurrent.futures import Future, ThreadPoolExecutor
from typing import Any

from suites.graph.captures import HANDLE_BYTES, Captures, Copy, Graph

HEAD = "ACL_MODEL_STREAM_FLAG_HEAD"
PERSISTENT = "ACL_STREAM_PERSISTENT"

_PATIENCE_MS = 10000
_UNDER_WAY_S = 0.05


class Building(Captures):
    """Captures, and instances that are built."""

    def building(self) -> Graph:
        """An instance that is being built, with a persistent stream."""
        instance = self.keep(int(self.call("aclmdlRIBuildBegin", flag=0).modelRI))
        stream = self.persistent_stream()
        self.call("aclmdlRIBindStream", modelRI=instance, stream=stream, flag=HEAD)
        self.unbind_later(instance, stream)
        return Graph(instance, stream)

    def persistent_stream(self, flag: str = PERSISTENT) -> int:
        """A stream that can be bound, or one of another kind."""
        self._case.needs("aclrtCreateStreamWithConfig")
        made = int(self.call("aclrtCreateStreamWithConfig", priority=0, flag=flag).stream)
        self._resources.at_end(lambda: self._destroy_stream(made))
        return made

    def unbind_later(self, instance: int, stream: int) -> None:
        """Take a stream out of an instance at the end, where it still is in it."""
        self._resources.at_end(lambda: self._unbind(instance, stream))

    def ended(self) -> Graph:
        """An instance whose one stream is at its end."""
        made = self.building()
        self.call("aclmdlRIEndTask", modelRI=made.instance, stream=made.stream)
        return made

    def built(self) -> Graph:
        """A built instance without tasks."""
        made = self.ended()
        self.call("aclmdlRIBuildEnd", modelRI=made.instance, reserve=None)
        return made

    def passing_built(self) -> int:
        """A built instance that the case destroys itself."""
        built = self.built()
        self.call("aclmdlRIUnbindStream", modelRI=built.instance, stream=built.stream)
        self.forget(built.instance)
        return built.instance

    def passing_captured(self) -> int:
        """An instance of a capture that the case destroys itself; a built one where nothing is captured."""
        if not self._case.supports("aclmdlRICaptureBegin"):
            return self.passing_built()
        instance = self.captured()
        self.forget(instance)
        return instance

    def destroyed_built(self) -> int:
        """The handle of a built instance that is gone."""
        instance = self.passing_built()
        self.call("aclmdlRIDestroy", modelRI=instance)
        return instance

    def building_copy(self) -> tuple[Graph, Copy]:
        """An instance that is being built, with a copy on its stream, which is at its end."""
        made = self.building()
        copy = self.copy(made.stream)
        self.call("aclmdlRIEndTask", modelRI=made.instance, stream=made.stream)
        return made, copy

    def built_copy(self) -> tuple[Graph, Copy]:
        """A built instance with a copy."""
        made, copy = self.building_copy()
        self.call("aclmdlRIBuildEnd", modelRI=made.instance, reserve=None)
        return made, copy

    def waiting(self) -> Graph:
        """A built instance that waits until a word on the device is 1; it is at the end."""
        return self.waiting_copy()[0]

    def waiting_copy(self) -> tuple[Graph, Copy]:
        """The same, with a copy that it makes when it has waited."""
        self._case.needs("aclrtValueWait")
        made = self.building()
        self._wait_for_word(made.stream)
        copy = self.copy(made.stream)
        self.call("aclmdlRIEndTask", modelRI=made.instance, stream=made.stream)
        self.call("aclmdlRIBuildEnd", modelRI=made.instance, reserve=None)
        return made, copy

    def waiting_capture(self) -> int:
        """An instance of a capture that waits for the same."""
        self._case.needs("aclrtValueWait")
        stream = self.begin()
        self._wait_for_word(stream)
        return self.end(stream)

    def _wait_for_word(self, stream: int) -> None:
        self._word = self._memory.device(HANDLE_BYTES).fill(0)
        given = {"devAddr": self._word, "value": 1, "flag": "ACL_STREAM_WAIT_VALUE_EQ"}
        self.call("aclrtValueWait", **given, stream=stream)
        self._resources.before_waiting(self.let_go)

    def under_execution(self, instance: int) -> int:
        """The stream on which an instance runs that waits for the word."""
        stream = self.stream()
        self.call("aclmdlRIExecuteAsync", modelRI=instance, stream=stream)
        time.sleep(_UNDER_WAY_S)
        return stream

    def timed(self, acl: Any, api: str, **args: Any) -> tuple[Any, float]:
        """The answer of the surface under test, and the seconds it took."""
        start = time.monotonic()
        answer = acl.call(api, **args)
        return answer, time.monotonic() - start

    def let_go(self) -> None:
        """What waits goes on."""
        self._word.write((1).to_bytes(HANDLE_BYTES, "little"))

    def running(self, acl: Any, instance: int) -> Future[Any]:
        """An instance that another thread executes; the answer to that."""
        context, pool = self._home, ThreadPoolExecutor(1)

        def work() -> Any:
            self.call("aclrtSetCurrentContext", context=context)
            return acl.call("aclmdlRIExecute", modelRI=instance, timeout=_PATIENCE_MS)

        future = pool.submit(work)
        pool.shutdown(wait=False)
        time.sleep(_UNDER_WAY_S)
        return future

    def _unbind(self, instance: int, stream: int) -> None:
        if instance in self._alive:
            self._c.call("aclmdlRIUnbindStream", modelRI=instance, stream=stream)

    def _destroy_stream(self, stream: int) -> None:
        self.call("aclrtDestroyStream", stream=stream)
