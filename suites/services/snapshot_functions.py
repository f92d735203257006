"""Functions that are told of the steps of a snapshot, and what they were told."""

from __future__ import annotations

from typing import Any

from harness.device import require
from harness.plugin import Case

IN_ORDER = (
    "ACL_RT_SNAPSHOT_LOCK_PRE",
    "ACL_RT_SNAPSHOT_BACKUP_PRE",
    "ACL_RT_SNAPSHOT_BACKUP_POST",
    "ACL_RT_SNAPSHOT_RESTORE_PRE",
    "ACL_RT_SNAPSHOT_RESTORE_POST",
    "ACL_RT_SNAPSHOT_UNLOCK_POST",
)
"""The stages, in the order in which a whole cycle reaches them."""

Told = tuple[str, int, int]
"""Stage, device and argument."""


class SnapshotFunctions:
    """Registers functions; what is left is removed at the end of the case."""

    def __init__(self, acl: Any, case: Case) -> None:
        self._acl = acl
        self._case = case
        self._held: list[tuple[str, Any]] = []
        self.told: list[Told] = []
        """What the functions were told, in order."""
        case.resources.at_end(self._remove_all)

    @property
    def stages(self) -> list[str]:
        """The stages that were told of, each run of the same one once."""
        names = [stage for stage, _, _ in self.told]
        return [name for place, name in enumerate(names) if place == 0 or names[place - 1] != name]

    def function(self, stage: str = IN_ORDER[0], answer: int = 0) -> Any:
        """A function that notes what it is told as one of this stage, and answers this."""

        def reached(device: int, args: int) -> int:
            self.told.append((stage, device, args))
            return answer

        return self._case.engine.library.callback("aclrtSnapShotCallBack", reached)

    def try_register(self, stage: str, function: Any, args: Any = None) -> Any:
        """What registering a function gives."""
        result = self._acl.call("aclrtSnapShotCallbackRegister", stage=stage, callback=function, args=args)
        if result.ok:
            self._held.append((stage, function))
        return result

    def register(self, stage: str, answer: int = 0, args: Any = None) -> Any:
        """Register a function of this stage; DeviceError where that is refused."""
        function = self.function(stage, answer)
        require(self.try_register(stage, function, args), "registering a function")
        return function

    def register_all(self) -> None:
        """Register a function for every stage, the last one first."""
        for stage in reversed(IN_ORDER):
            self.register(stage)

    def remove(self, stage: str, function: Any) -> Any:
        """What removing a function gives."""
        result = self._acl.call("aclrtSnapShotCallbackUnregister", stage=stage, callback=function)
        if result.ok and (stage, function) in self._held:
            self._held.remove((stage, function))
        return result

    def _remove_all(self) -> None:
        for stage, function in [*self._held]:
            self.remove(stage, function)
