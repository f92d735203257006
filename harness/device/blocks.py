"""Blocks of memory of every kind, with guard bands, filled and read the way their kind allows."""

from __future__ import annotations

import ctypes
import mmap
from collections.abc import Callable
from typing import Any, Literal, Protocol

import numpy as np

from harness.device.errors import DeviceError
from harness.device.pattern import GUARD_BYTE, Bytes

BlockKind = Literal["device", "pinned", "pageable", "registered", "managed", "vmm"]

_READ_AT_ONCE = 1 << 16
GUARD_SIZE = 256
"""Bytes on each side of a block that nobody may write; a multiple of 64, so that blocks stay aligned to
64.
"""


class Caller(Protocol):
    """What blocks need of a surface."""

    def call(self, api: str, /, **args: Any) -> Any:
        """Call a C function by its C parameter names."""


class GuardViolation(Exception):
    """Bytes outside a block were written; `text` says which block, where and what."""


class Block:
    """Memory given to a case: `ptr` is its address, `size` its length in bytes.

    `written` is what the harness last put there: one byte value for all of it, or an array.
    """

    def __init__(
        self,
        kind: BlockKind,
        ptr: int,
        size: int,
        guard: int,
        access: _Access,
        free: Callable[[], None],
    ) -> None:
        self.kind = kind
        self.ptr = ptr
        self.size = size
        self.guard = guard
        self.written: int | Bytes = GUARD_BYTE
        self._access = access
        self._free: Callable[[], None] | None = free

    def __repr__(self) -> str:
        return f"{self.kind} block of {self.size} bytes at {self.ptr:#x}"

    def __index__(self) -> int:
        return self.ptr

    def at(self, offset: int) -> int:
        """The address `offset` bytes into the block."""
        return self.ptr + offset

    def write(self, data: bytes | Bytes, offset: int = 0) -> Block:
        """Put bytes into the block and remember them as what must be there; gives the block back."""
        array = (
            np.frombuffer(data, np.uint8)
            if isinstance(data, bytes)
            else np.ascontiguousarray(data).view(np.uint8)
        )
        array = array.reshape(-1)
        if offset < 0 or offset + array.size > self.size:
            raise ValueError(f"{array.size} bytes at offset {offset} do not fit a block of {self.size}")
        self._access.write(self.ptr + offset, array)
        if offset == 0 and array.size == self.size:
            # What nobody may write to needs no copy.
            self.written = array.copy() if array.flags.writeable else array
        else:
            whole = self.expected().copy()
            whole[offset : offset + array.size] = array
            self.written = whole
        return self

    def fill(self, byte: int) -> Block:
        """Set every byte; gives the block back."""
        self._access.fill(self.ptr, self.size, byte)
        self.written = byte
        return self

    def read(self, offset: int = 0, size: int | None = None) -> Bytes:
        """A copy of the block's bytes."""
        return self._access.read(self.ptr + offset, self.size - offset if size is None else size)

    def snapshot(self) -> Bytes:
        """Read the block and take what is there as what must stay there."""
        content = self.read()
        self.written = content
        return content

    def expected(self) -> Bytes:
        """What the harness last put into the block."""
        if isinstance(self.written, int):
            return np.full(self.size, self.written, np.uint8)
        return self.written

    def view(self) -> Bytes:
        """The bytes themselves, without a copy; only for memory the host can read."""
        if not isinstance(self._access, HostAccess):
            raise TypeError(f"the host cannot look into a {self.kind} block; use read() and write()")
        return self._access.view(self.ptr, self.size)

    def check_guards(self) -> None:
        """Raise GuardViolation where a byte next to the block was written."""
        if not self.guard:
            return
        start, whole = self.ptr - self.guard, self.size + 2 * self.guard
        if whole <= _READ_AT_ONCE:
            memory = self._access.read(start, whole)
            bands = memory[: self.guard], memory[-self.guard :]
        else:
            bands = self._access.read(start, self.guard), self._access.read(self.ptr + self.size, self.guard)
        for side, band in zip(("before", "after"), bands, strict=True):
            wrong = np.flatnonzero(band != GUARD_BYTE)
            if wrong.size:
                at = int(wrong[0] if side == "after" else wrong[-1])
                distance = at if side == "after" else self.guard - at
                where = (
                    f"{distance} bytes past its end"
                    if side == "after"
                    else f"{distance} bytes before its start"
                )
                raise GuardViolation(
                    f"{self!r}: {wrong.size} guard bytes {side} it were written, the nearest {where} "
                    f"(now {band[at]:#04x})"
                )

    @property
    def owned(self) -> bool:
        """True until the block is freed or forgotten."""
        return self._free is not None

    def forget(self) -> None:
        """The case has freed the memory itself, or handed it on: do not check or free it."""
        self._free = None

    def free(self) -> None:
        """Give the memory back; DeviceError where the library refuses. Harmless when done already."""
        release, self._free = self._free, None
        if release is not None:
            release()


class _Access(Protocol):
    def read(self, address: int, size: int) -> Bytes: ...

    def write(self, address: int, data: Bytes) -> None: ...

    def fill(self, address: int, size: int, byte: int) -> None: ...


class HostAccess:
    """Memory that the host's own instructions may touch."""

    def view(self, address: int, size: int) -> Bytes:
        """The bytes at an address, without a copy."""
        memory: Any = (ctypes.c_uint8 * size).from_address(address)
        found: Bytes = np.frombuffer(memory, np.uint8)
        return found

    def read(self, address: int, size: int) -> Bytes:
        """A copy of the bytes at an address."""
        copied: Bytes = self.view(address, size).copy()
        return copied

    def write(self, address: int, data: Bytes) -> None:
        """Put bytes at an address."""
        ctypes.memmove(address, data.ctypes.data, data.size)

    def fill(self, address: int, size: int, byte: int) -> None:
        """Set bytes at an address."""
        ctypes.memset(address, byte, size)


class CopyAccess:
    """Memory reached through the library's own synchronous copy; the host never touches the address."""

    def __init__(self, caller: Caller) -> None:
        self._caller = caller

    def read(self, address: int, size: int) -> Bytes:
        """A copy of the bytes at a device address."""
        # A library that writes past count must not reach the harness's own heap.
        host = np.empty(size + GUARD_SIZE, np.uint8)[:size]
        if size:
            require(
                self._caller.call(
                    "aclrtMemcpy",
                    dst=host.ctypes.data,
                    destMax=size,
                    src=address,
                    count=size,
                    kind="ACL_MEMCPY_DEVICE_TO_HOST",
                ),
                "reading a block back",
            )
        return host

    def write(self, address: int, data: Bytes) -> None:
        """Put bytes at a device address."""
        if data.size:
            require(
                self._caller.call(
                    "aclrtMemcpy",
                    dst=address,
                    destMax=data.size,
                    src=data.ctypes.data,
                    count=data.size,
                    kind="ACL_MEMCPY_HOST_TO_DEVICE",
                ),
                "filling a block",
            )

    def fill(self, address: int, size: int, byte: int) -> None:
        """Set bytes at a device address."""
        if size:
            require(
                self._caller.call("aclrtMemset", devPtr=address, maxCount=size, value=byte, count=size),
                "filling a block",
            )


def require(result: Any, doing: str) -> Any:
    """The result of a call that prepares a case; DeviceError naming what failed where it is not 0."""
    if not result.ok:
        raise DeviceError(f"{doing}: {result.api} returned {result.code} ({result.name})")
    if unwritten := getattr(result, "unwritten", ()):
        raise DeviceError(f"{doing}: {result.api} succeeded without writing {', '.join(unwritten)}")
    return result


class Blocks:
    """Makes blocks of every kind through one surface."""

    def __init__(self, caller: Caller) -> None:
        self._caller = caller
        self._host = HostAccess()
        self._device: _Access = CopyAccess(caller)

    def device(
        self, size: int, guard: int = GUARD_SIZE, policy: int | str = "ACL_MEM_MALLOC_HUGE_FIRST"
    ) -> Block:
        """Device memory of aclrtMalloc, with guard bands, filled with 0xEE."""
        total = size + 2 * guard
        base = require(
            self._caller.call("aclrtMalloc", size=total, policy=policy), "allocating device memory"
        ).devPtr
        self._device.fill(base, total, GUARD_BYTE)
        return Block(
            "device", base + guard, size, guard, self._device, self._freeing("aclrtFree", devPtr=base)
        )

    def pinned(self, size: int, guard: int = GUARD_SIZE) -> Block:
        """Host memory of aclrtMallocHost, with guard bands, filled with 0xEE."""
        total = size + 2 * guard
        base = require(
            self._caller.call("aclrtMallocHost", size=total), "allocating pinned host memory"
        ).hostPtr
        self._host.fill(base, total, GUARD_BYTE)
        return Block(
            "pinned", base + guard, size, guard, self._host, self._freeing("aclrtFreeHost", hostPtr=base)
        )

    def pageable(self, size: int, guard: int = GUARD_SIZE) -> Block:
        """Plain host memory that the library has never heard of, aligned to 64 bytes, with guard bands."""
        memory = np.full(size + 2 * guard + 64, GUARD_BYTE, np.uint8)
        base = -(-memory.ctypes.data // 64) * 64

        def free(keep: Any = memory) -> None:
            """The array's own life ends with the block."""

        return Block("pageable", base + guard, size, guard, self._host, free)

    def registered(
        self, size: int, guard: int = mmap.PAGESIZE, flag: int | str = "ACL_HOST_REG_PINNED"
    ) -> Block:
        """Whole pages of host memory registered with aclrtHostRegisterV2; `ptr` is aligned to a page."""
        total = -(-(size + 2 * guard) // mmap.PAGESIZE) * mmap.PAGESIZE
        pages = mmap.mmap(-1, total)
        handle = (ctypes.c_char * total).from_buffer(pages)
        base = ctypes.addressof(handle)
        self._host.fill(base, total, GUARD_BYTE)
        require(
            self._caller.call("aclrtHostRegisterV2", ptr=base, size=total, flag=flag),
            "registering host memory",
        )
        release = self._freeing("aclrtHostUnregister", ptr=base)

        def free(keep: Any = handle) -> None:
            release()

        return Block("registered", base + guard, size, guard, self._host, free)

    def managed(self, size: int, guard: int = GUARD_SIZE) -> Block:
        """Memory of aclrtMemAllocManaged, reached through copies, with guard bands."""
        total = size + 2 * guard
        base = require(
            self._caller.call("aclrtMemAllocManaged", size=total, flag="ACL_RT_MEM_ATTACH_GLOBAL"),
            "allocating managed memory",
        ).ptr
        self._device.fill(base, total, GUARD_BYTE)
        return Block(
            "managed", base + guard, size, guard, self._device, self._freeing("aclrtFree", devPtr=base)
        )

    def vmm(self, size: int, guard: int = GUARD_SIZE, device: int = 0) -> Block:
        """Device memory mapped by hand: reserve, allocate physical, map; `ptr` lies inside the mapping."""
        prop = {
            "handleType": "ACL_MEM_HANDLE_TYPE_NONE",
            "allocationType": "ACL_MEM_ALLOCATION_TYPE_PINNED",
            "memAttr": "ACL_HBM_MEM_HUGE",
            "location": {"id": device, "type": "ACL_MEM_LOCATION_TYPE_DEVICE"},
            "reserve": 0,
        }
        call, doing = self._caller.call, "mapping device memory"
        granularity = require(
            call(
                "aclrtMemGetAllocationGranularity", prop=prop, option="ACL_RT_MEM_ALLOC_GRANULARITY_MINIMUM"
            ),
            doing,
        ).granularity
        total = -(-(size + 2 * guard) // granularity) * granularity
        undo: list[Callable[[], None]] = []
        try:
            base = require(
                call("aclrtReserveMemAddress", size=total, alignment=0, expectPtr=None, flags=1), doing
            ).virPtr
            undo.append(self._freeing("aclrtReleaseMemAddress", virPtr=base))
            handle = require(call("aclrtMallocPhysical", size=total, prop=prop, flags=0), doing).handle
            undo.append(self._freeing("aclrtFreePhysical", handle=handle))
            require(call("aclrtMapMem", virPtr=base, size=total, offset=0, handle=handle, flags=0), doing)
            undo.append(self._freeing("aclrtUnmapMem", virPtr=base))
            self._device.fill(base, size + 2 * guard, GUARD_BYTE)
        except DeviceError:
            _undo(undo)
            raise
        return Block("vmm", base + guard, size, guard, self._device, lambda: _undo(undo))

    def _freeing(self, api: str, **args: Any) -> Callable[[], None]:
        def free() -> None:
            require(self._caller.call(api, **args), "giving memory back")

        return free


def _undo(steps: list[Callable[[], None]]) -> None:
    while steps:
        steps.pop()()
