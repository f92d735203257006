"""The list of visible devices of a process."""

from __future__ import annotations

import pytest

from harness.device import VISIBLE_DEVICES, require, visible_devices
from harness.plugin import Case


class Visible:
    """Sets the list before the library has read it."""

    def __init__(self, case: Case, environment: pytest.MonkeyPatch) -> None:
        self._case = case
        self._environment = environment

    def two(self) -> tuple[str, str]:
        """The machine's numbers of two devices that this process may use; blocked where it may use one."""
        devices = visible_devices(self._count())
        if len(devices) < 2:
            self._case.expect.blocked("there is no second device")
        return devices[0], devices[1]

    def list(self, text: str) -> None:
        """The list is this text from now on."""
        self._environment.setenv(VISIBLE_DEVICES, text)
        control = self._case.engine.library.control
        if control is not None:
            # The reference device has read the list when it was loaded; any other is loaded only now.
            control.reset()

    def _count(self) -> int:
        """How many devices there are; a library that may read the list at once is not asked again."""
        engine = self._case.engine
        if engine.target.kind != "reference":
            return engine.target.detected.devices
        return int(require(engine.c.call("aclrtGetDeviceCount"), "counting devices").count)

    def swap(self) -> list[int]:
        """The process sees two devices in reverse order; the machine's numbers in that order."""
        first, second = self.two()
        self.list(f"{second},{first}")
        return [int(second), int(first)]

    def hide_first(self) -> int:
        """The process sees the second device only; the machine's number of it."""
        second = self.two()[1]
        self.list(second)
        return int(second)
