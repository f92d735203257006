"""Which worker may use which device: one file lock for each device of the host."""

from __future__ import annotations

import fcntl
import os
import stat
import tempfile
from pathlib import Path
from types import TracebackType

VISIBLE_DEVICES = "ASCEND_RT_VISIBLE_DEVICES"
"""The variable that tells the runtime which devices of the host it may see."""


def visible_devices(count: int) -> list[str]:
    """The device numbers this process may use: all `count` of them, or those the environment leaves."""
    listed = os.environ.get(VISIBLE_DEVICES)
    if listed is None:
        return [str(number) for number in range(count)]
    return [part.strip() for part in listed.split(",") if part.strip()]


class DeviceLease:
    """The right to use one device, held until `release` or the end of the process and its children.

    `DeviceLease.take(devices)` gives the first free one, or None where all are in use. The locks of all users
    of a host lie in one folder, so that two of them never share a device.
    """

    def __init__(self, device: str, descriptor: int) -> None:
        self.device = device
        self._descriptor = descriptor

    @classmethod
    def take(cls, devices: list[str], folder: Path | None = None) -> DeviceLease | None:
        """A lease on the first device of the list that nobody holds."""
        for device in devices:
            descriptor = _open_lock((folder or Path(tempfile.gettempdir())) / f"aclcts-device-{device}.lock")
            try:
                fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
            except OSError:
                os.close(descriptor)
                continue
            return cls(device, descriptor)
        return None

    def release(self) -> None:
        """Give the device back. Harmless when done already."""
        if self._descriptor >= 0:
            os.close(self._descriptor)
            self._descriptor = -1

    def __enter__(self) -> DeviceLease:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.release()


def _open_lock(path: Path) -> int:
    """The lock file, made where it is not there; another user's file is opened as it is."""
    flags = os.O_RDWR | os.O_CLOEXEC | os.O_NOFOLLOW
    try:
        descriptor = os.open(path, flags)
    except FileNotFoundError:
        descriptor = os.open(path, flags | os.O_CREAT, 0o666)
        os.fchmod(descriptor, 0o666)
    if not stat.S_ISREG(os.fstat(descriptor).st_mode):
        os.close(descriptor)
        raise OSError(f"{path} is not a plain file")
    return descriptor
