"""Collections: initialised with a folder of their own, started, and stopped in the end."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from harness.device import require
from harness.plugin import Case, Resources
from suites.services.folders import fresh_folder

MARKERS = "ACL_PROF_MSPROFTX"
"""The switch that lets a program's own marks be collected."""

TASK_TIMES = "ACL_PROF_TASK_TIME"
"""The switch that lets the times of tasks be collected."""


class Collection:
    """A collection of device 0 that runs, through the C surface."""

    def __init__(self, case: Case, resources: Resources, switches: str = TASK_TIMES) -> None:
        self._call = case.engine.c.call
        self._resources = resources
        self.folder: Path = fresh_folder(resources)
        path = str(self.folder)
        self._must("aclprofInit", profilerResultPath=path, length=len(path))
        resources.at_end(self.finish)
        self.settings = self.config(resources, case, switches)
        resources.at_end(lambda: self._must("aclprofDestroyConfig", profilerConfig=self.settings) and None)
        self._must("aclprofStart", profilerConfig=self.settings)
        self._running = True
        resources.at_end(self.stop)

    @staticmethod
    def config(resources: Resources, case: Case, switches: str = TASK_TIMES) -> int:
        """A configuration for device 0, which the caller has to destroy."""
        made = case.engine.c.call(
            "aclprofCreateConfig",
            deviceIdList=[0],
            deviceNums=1,
            aicoreMetrics="ACL_AICORE_NONE",
            aicoreEvents=None,
            dataTypeConfig=switches,
        )
        return int(require(made, "making a configuration of profiling").value)

    def stamp(self) -> int:
        """A stamp with a message."""
        made = int(self._must("aclprofCreateStamp").value)
        self._resources.afterwards("aclprofDestroyStamp", stamp=made)
        self._must("aclprofSetStampTraceMessage", stamp=made, msg="mark", msgLen=4)
        return made

    @staticmethod
    def attributes() -> dict[str, Any]:
        """What a range of one operator without tensors is described by."""
        tensors = {"opNameId": 1, "opTypeId": 1, "tensorNum": 0}
        return {"version": 1, "size": 16, "messageType": 0, "message": {"tensorInfo": tensors}}

    def stop(self) -> None:
        """Stop it; harmless when it is stopped."""
        if self._running:
            self._running = False
            self._must("aclprofStop", profilerConfig=self.settings)

    def finish(self) -> None:
        """End profiling; harmless when it has ended."""
        self._call("aclprofFinalize")

    def _must(self, api: str, **args: Any) -> Any:
        return require(self._call(api, **args), "collecting")


class Session:
    """Profiling step by step, on the surface under test; whatever runs at the end of the case is ended."""

    def __init__(self, acl: Any, case: Case) -> None:
        self._acl = acl
        self._case = case
        self.folder: Path = fresh_folder(case.resources)
        self.started = 0
        """The configuration that was started; 0 where none was."""
        case.resources.at_end(lambda: self._quietly("aclprofFinalize"))

    def init(self) -> Any:
        """What initialising gives."""
        path = str(self.folder)
        return self._acl.call("aclprofInit", profilerResultPath=path, length=len(path))

    def config(self, switches: str = TASK_TIMES) -> int:
        """A configuration for device 0."""
        made = Collection.config(self._case.resources, self._case, switches)
        self._case.resources.afterwards("aclprofDestroyConfig", profilerConfig=made)
        return made

    def start(self) -> None:
        """Initialise and start."""
        require(self.init(), "initialising profiling")
        self.started = self.config()
        require(self._acl.call("aclprofStart", profilerConfig=self.started), "starting a collection")
        self._case.resources.at_end(lambda: self._quietly("aclprofStop", profilerConfig=self.started))

    def work(self, stream: int) -> None:
        """Give the device something to do that can be collected."""
        memory = self._case.resources.memory()
        block, call = memory.device(4096), self._case.engine.c.call
        given = {"devPtr": block, "maxCount": 4096, "value": 1, "count": 4096, "stream": stream}
        require(call("aclrtMemsetAsync", **given), "giving the device something to do")
        require(call("aclrtSynchronizeStream", stream=stream), "waiting for the device")

    def stop(self) -> Any:
        """What stopping what was started gives."""
        return self._acl.call("aclprofStop", profilerConfig=self.started)

    def finalize(self) -> Any:
        """What the end gives."""
        return self._acl.call("aclprofFinalize")

    def _quietly(self, api: str, **args: Any) -> None:
        self._case.engine.c.call(api, **args)
