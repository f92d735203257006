"""Limits of cores: of the process, of streams, and of the stream that a thread uses."""

from __future__ import annotations

from typing import Any

from harness.device import require
from harness.plugin import Case, Expect
from suites.threads import alone_on

CUBE = "ACL_RT_DEV_RES_CUBE_CORE"
VECTOR = "ACL_RT_DEV_RES_VECTOR_CORE"
_COUNT_IN_AI_CORES = ("310p", "910")


class Cores:
    """Limits of device 0 on the surface under test, taken away when the case ends."""

    def __init__(self, acl: Any, case: Case, expect: Expect) -> None:
        self._acl = acl
        self._case = case
        self._expect = expect
        self._call = case.engine.c.call
        self.default = self.of_device()
        """Cores that can be used without any limit."""
        case.resources.at_end(self._give_back)

    def two(self) -> int:
        """The cores there are, two at least; blocked where there is one, which refuses a limit of 2."""
        if self.default < 2:
            self._expect.blocked("the device has one core of the kind, so that limits cannot differ")
        return self.default

    # Setting

    def limit_device(self, cores: int, kind: str = CUBE) -> Any:
        """The answer to limiting the process on device 0."""
        return self._acl.call("aclrtSetDeviceResLimit", deviceId=0, type=kind, value=cores)

    def limit_stream(self, stream: int | None, cores: int) -> Any:
        """The answer to limiting a stream."""
        if stream is None:
            self._case.resources.afterwards("aclrtResetStreamResLimit", stream=None)
        return self._acl.call("aclrtSetStreamResLimit", stream=stream, type=CUBE, value=cores)

    def limit_every_kind(self) -> list[bool]:
        """Whether a limit of one core was taken for each kind that there is."""
        kinds = [kind for kind in (CUBE, VECTOR) if self.of_device(kind) > 0]
        return [bool(self.limit_device(1, kind).ok) for kind in kinds]

    def use(self, stream: int) -> Any:
        """The answer to using a stream's limit in this thread; it is used no longer at the end."""
        self._case.resources.at_end(lambda: self._unuse(stream))
        return self._acl.call("aclrtUseStreamResInCurrentThread", stream=stream)

    def using(self, stream: int, cores: int) -> None:
        """Limit a stream and use its limit in this thread; both must succeed."""
        require(self.limit_stream(stream, cores), "limiting a stream")
        require(self.use(stream), "using the stream's limit")

    # Reading

    def of_device(self, kind: str = CUBE) -> int:
        """The limit of the process."""
        return int(self._read("aclrtGetDeviceResLimit", deviceId=0, type=kind))

    def of_kinds(self) -> tuple[int, int]:
        """The limits of the process for cube and for vector cores."""
        return self.of_device(CUBE), self.of_device(VECTOR)

    def of_stream(self, stream: int | None) -> int:
        """The limit of a stream."""
        return int(self._read("aclrtGetStreamResLimit", stream=stream, type=CUBE))

    def of_thread(self) -> int:
        """The limit that holds in this thread."""
        return int(self._read("aclrtGetResInCurrentThread", type=CUBE))

    def of_another_thread(self) -> int:
        """The limit that holds in a thread that has set device 0 and nothing else."""
        return alone_on(self._call, 0, self.of_thread)

    def counted(self) -> int:
        """The cores that aclrtGetDeviceInfo counts, of the kind that the first limit is about."""
        kind = "AICORE" if self._case.profile.product in _COUNT_IN_AI_CORES else "CUBE"
        told = self._call("aclrtGetDeviceInfo", deviceId=0, attr=f"ACL_DEV_ATTR_{kind}_CORE_NUM")
        return int(require(told, "counting cores").value)

    def _read(self, api: str, **args: Any) -> Any:
        return require(self._acl.call(api, **args), "reading a limit").value

    def _unuse(self, stream: int) -> None:
        require(self._call("aclrtUnuseStreamResInCurrentThread", stream=stream), "using a limit no longer")

    def _give_back(self) -> None:
        require(self._call("aclrtResetDeviceResLimit", deviceId=0), "taking the limits away")
