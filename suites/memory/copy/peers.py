"""A second device: current for a while, memory on it, and access between the two."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

from harness.device import require
from harness.device.blocks import Blocks
from harness.plugin import Block, Case


class Peer:
    """Device `device` beside device 0; a context manager that gives back everything taken through it."""

    def __init__(self, case: Case, device: int) -> None:
        self.device = device
        self._case = case
        self._call = case.engine.c.call
        self._blocks: list[Block] = []
        self._taken: list[int] = []
        self._opened = False
        self._home = 0
        self._context = 0

    def __enter__(self) -> Peer:
        self._home = int(require(self._call("aclrtGetCurrentContext"), "asking for the context").context)
        require(self._call("aclrtSetDevice", deviceId=self.device), "setting the second device")
        self._context = int(require(self._call("aclrtGetCurrentContext"), "asking for the context").context)
        self._go(self._home)
        return self

    def __exit__(self, *_: object) -> None:
        try:
            for block in self._blocks:
                block.check_guards()
        finally:
            self.close()
            for block in self._blocks:
                block.free()
            for address in self._taken:
                require(self.call("aclrtFree", devPtr=address), "giving memory back")
            with self.current():
                require(self._call("aclrtResetDevice", deviceId=self.device), "resetting the second device")

    def call(self, api: str, /, **args: Any) -> Any:
        """Call a C function with this device current."""
        with self.current():
            return self._call(api, **args)

    @contextmanager
    def current(self) -> Iterator[None]:
        """This device is current inside the block, device 0 after it."""
        self._go(self._context)
        try:
            yield
        finally:
            self._go(self._home)

    @contextmanager
    def stream(self) -> Iterator[int]:
        """This device is current inside the block, and there is a stream of it."""
        with self.current():
            made = int(require(self._call("aclrtCreateStream"), "making a stream").stream)
            yield made
            require(self._call("aclrtDestroyStream", stream=made), "destroying the stream")

    def memory(self, size: int, policy: str = "ACL_MEM_MALLOC_HUGE_FIRST") -> Block:
        """A block on this device, with guard bands, filled with 0xEE; reached with this device current."""
        block = Blocks(self).device(size, policy=policy)
        self._blocks.append(block)
        return block

    def take(self, size: int, policy: str = "ACL_MEM_MALLOC_HUGE_FIRST") -> int:
        """Memory of this device that nobody writes or reads; its address."""
        made = require(self.call("aclrtMalloc", size=size, policy=policy), "allocating device memory")
        self._taken.append(int(made.devPtr))
        return self._taken[-1]

    def open(self) -> None:
        """Enable access between the two devices, both ways; blocked where they cannot reach each other."""
        self._case.needs("aclrtDeviceCanAccessPeer", "aclrtDeviceEnablePeerAccess")
        for device, other in ((0, self.device), (self.device, 0)):
            answer = self._call("aclrtDeviceCanAccessPeer", deviceId=device, peerDeviceId=other)
            if not require(answer, "asking for peer access").canAccessPeer:
                self._case.expect.blocked(f"device {device} cannot reach the memory of device {other}")
        self._opened = True
        doing, enable = "enabling peer access", "aclrtDeviceEnablePeerAccess"
        require(self._call(enable, peerDeviceId=self.device, flags=0), doing)
        require(self.call(enable, peerDeviceId=0, flags=0), doing)

    def close(self) -> None:
        """Disable what `open` enabled."""
        if self._opened:
            self._opened = False
            self._call("aclrtDeviceDisablePeerAccess", peerDeviceId=self.device)
            self.call("aclrtDeviceDisablePeerAccess", peerDeviceId=0)

    def _go(self, context: int) -> None:
        require(self._call("aclrtSetCurrentContext", context=context), "changing the context")
