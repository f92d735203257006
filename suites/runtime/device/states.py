"""Functions that are told when a device is set and reset."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

from harness.device import require
from harness.plugin import Case

_REGISTER = "aclrtRegDeviceStateCallback"
TAG = 0x4321
"""What a function is registered with; it is never dereferenced."""

SET = (0, 1)
"""The states that setting a device tells: before and after."""

RESET = (2, 3)
"""The states that releasing a device tells."""


@dataclass
class Told:
    """A C function, and device, state and the user's pointer of each of its calls."""

    pointer: Any = None
    calls: list[tuple[int, int, int]] = field(default_factory=list)

    @property
    def states(self) -> tuple[int, ...]:
        """The states, in order."""
        return tuple(state for _, state, _ in self.calls)


class States:
    """Registers functions; they are unregistered when the case ends."""

    def __init__(self, acl: Any, case: Case) -> None:
        self._acl = acl
        self._case = case
        self._call = case.engine.c.call

    def function(self) -> Told:
        """A function that nobody knows."""
        made = Told()

        def called(device: int, state: int, args: int) -> None:
            made.calls.append((device, state, args))

        made.pointer = self._case.engine.library.callback("aclrtDeviceStateCallback", called)
        return made

    def register(self, name: str, told: Told | None) -> Any:
        """The answer to registering a function, or to unregistering a name."""
        if told is None:
            return self._acl.call(_REGISTER, regName=name, callback=None, args=None)
        self._case.resources.at_end(lambda: self._forget(name))
        return self._acl.call(_REGISTER, regName=name, callback=told.pointer, args=TAG)

    def registered(self, name: str = "one") -> Told:
        """A function that is registered under a name."""
        made = self.function()
        require(self.register(name, made), "registering a function")
        return made

    def set(self, device: int = 0) -> None:
        """Set a device."""
        require(self._call("aclrtSetDevice", deviceId=device), "setting the device")

    def reset(self, device: int = 0, force: bool = False) -> None:
        """Reset a device, by force or not."""
        api = "aclrtResetDeviceForce" if force else "aclrtResetDevice"
        require(self._call(api, deviceId=device), "resetting the device")

    def _forget(self, name: str) -> None:
        self._call(_REGISTER, regName=name, callback=None, args=None)
