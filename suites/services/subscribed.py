"""Records of a model's operators, as a subscription writes them into a pipe."""

from __future__ import annotations

import ctypes
import os
from typing import Any

from harness.device import Block, require
from harness.plugin import Case, Resources
from suites.services.running_model import RunningModel

_MOST = 65536
"""Bytes that are read at a time: what a pipe holds."""


class Pipe:
    """A pipe whose writing end a library may have."""

    def __init__(self, resources: Resources) -> None:
        self._reading, self._writing = os.pipe()
        os.set_blocking(self._reading, False)
        self.number: Any = ctypes.byref(ctypes.c_int32(self._writing))
        """The number of the writing end, as a pointer to it."""
        resources.at_end(self.close)

    def read(self) -> bytes:
        """What has been written since; nothing where that is nothing."""
        try:
            return os.read(self._reading, _MOST)
        except BlockingIOError:
            return b""

    def close(self) -> None:
        """Both ends."""
        os.close(self._reading)
        os.close(self._writing)


class Subscription:
    """A model whose operators are told of, through the C surface."""

    def __init__(self, case: Case, resources: Resources, times: bool = True) -> None:
        self._call = case.engine.c.call
        self._resources = resources
        self.model = RunningModel(case, resources)
        self.pipe = Pipe(resources)
        made = self._call(
            "aclprofCreateSubscribeConfig",
            timeInfoSwitch=int(times),
            aicoreMetrics="ACL_AICORE_NONE",
            fd=self.pipe.number,
        )
        self.config = int(made.value)
        resources.afterwards("aclprofDestroySubscribeConfig", profSubscribeConfig=self.config)

    def begin(self) -> None:
        """Subscribe; the subscription ends with the resources at the latest."""
        answer = self._call("aclprofModelSubscribe", modelId=self.model.id, profSubscribeConfig=self.config)
        require(answer, "subscribing a model")
        self._resources.at_end(self.end)

    def end(self) -> None:
        """End the subscription; harmless where there is none."""
        self._call("aclprofModelUnSubscribe", modelId=self.model.id)

    def records(self) -> Block:
        """The records of one run, in host memory."""
        self.begin()
        self.model.run()
        self.end()
        written = self.pipe.read()
        return self._resources.memory().pageable(len(written)).write(written)
