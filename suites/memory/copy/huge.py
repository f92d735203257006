"""One copy of more than 4 GiB through few pages: both ends show the same 2 MiB over and over.

The source is one file mapped again and again. The target is one physical block mapped again and again, and
another one at its end, so that the bytes past 4 GiB have a place of their own. A length that was cut to 32
bits leaves most of the first block as it was; a lost end leaves the second one as it was.
"""

from __future__ import annotations

import ctypes
import mmap
import os
from typing import Any

import numpy as np

from harness.device import pattern, require
from harness.device.blocks import CopyAccess
from harness.plugin import Case, Expect
from suites.memory.copy.copies import FILL
from suites.memory.copy.layout import MIB

PERIOD = 2 * MIB
"""Bytes that repeat; also the granule of physical device memory."""

REPEATS = 2048
TAIL = 4096
COUNT = REPEATS * PERIOD + TAIL
"""Bytes of the copy: 4 GiB, and one page that 32 bits would leave over."""

# What mmap(2) and madvise(2) know and the module does not name.
_PROT_NONE, _MAP_FIXED, _MAP_NORESERVE = 0, 0x10, 0x4000
_MADV_COLLAPSE = 25
_MAP_FAILED = ctypes.c_void_p(-1).value


class HugeCopy:
    """A source and a target of more than 4 GiB; a context manager that gives back both."""

    def __init__(self, case: Case, expect: Expect) -> None:
        self._case = case
        self._expect = expect
        self._call = case.engine.c.call
        self._access = CopyAccess(case.engine.c)
        self._data = pattern(PERIOD)
        self._undo: list[Any] = []

    def __enter__(self) -> HugeCopy:
        self._case.needs("aclrtReserveMemAddress", "aclrtMallocPhysical", "aclrtMapMem")
        try:
            self._source = self._map_source()
            self._target = self._map_target()
        except BaseException:
            self.__exit__()
            raise
        return self

    def __exit__(self, *_: object) -> None:
        while self._undo:
            self._undo.pop()()

    @property
    def arguments(self) -> dict[str, int]:
        """The arguments of the one call."""
        return {"dst": self._target, "destMax": COUNT, "src": self._source, "count": COUNT}

    def expect_whole(self, result: Any) -> None:
        """The call succeeded, both blocks of the target hold the bytes, and nothing is past the end."""
        self._expect.success(result)
        last = np.full(PERIOD, FILL, np.uint8)
        last[:TAIL] = self._data[:TAIL]
        first, end = (self._access.read(self._target + place, PERIOD) for place in (0, COUNT - TAIL))
        self._expect.data(first, self._data, "the first 4 GiB")
        self._expect.data(end, last, "the bytes past 4 GiB")

    def _map_source(self) -> int:
        """Host addresses behind which the same pages lie again and again."""
        library = ctypes.CDLL(None, use_errno=True)
        library.mmap.restype = ctypes.c_void_p
        library.mmap.argtypes = [ctypes.c_void_p, ctypes.c_size_t, *[ctypes.c_int] * 3, ctypes.c_long]
        library.munmap.argtypes = [ctypes.c_void_p, ctypes.c_size_t]
        library.madvise.argtypes = [ctypes.c_void_p, ctypes.c_size_t, ctypes.c_int]
        # Room to begin where a huge page can.
        size = (REPEATS + 2) * PERIOD
        pages = os.memfd_create("huge copy")
        self._undo.append(lambda: os.close(pages))
        os.write(pages, self._data.tobytes())
        private = mmap.MAP_PRIVATE | mmap.MAP_ANONYMOUS
        start = library.mmap(None, size, _PROT_NONE, private | _MAP_NORESERVE, -1, 0)
        if start == _MAP_FAILED:
            self._expect.blocked(f"no {size} bytes of address space")
        self._undo.append(lambda: library.munmap(start, size))
        first = -(-start // PERIOD) * PERIOD
        for place in range(first, first + COUNT, PERIOD):
            library.mmap(place, PERIOD, mmap.PROT_READ, mmap.MAP_SHARED | _MAP_FIXED, pages, 0)
        # As one page where the kernel can do that: more than a million small ones take as long as the copy.
        library.madvise(first, PERIOD, _MADV_COLLAPSE)
        return int(first)

    def _map_target(self) -> int:
        """Device addresses behind which one block lies again and again, and another one at the end."""
        size = (REPEATS + 1) * PERIOD
        free = {"alignment": 0, "expectPtr": None, "flags": 0}
        start = self._made("aclrtReserveMemAddress", "virPtr", size=size, **free)
        self._later("aclrtReleaseMemAddress", virPtr=start)
        block, last = self._physical(), self._physical()
        for place in range(start, start + size, PERIOD):
            handle = block if place < start + size - PERIOD else last
            mapped = self._call("aclrtMapMem", virPtr=place, size=PERIOD, offset=0, handle=handle, flags=0)
            if not mapped.ok:
                self._expect.blocked(f"one block cannot be mapped again and again: {mapped.name}")
            self._later("aclrtUnmapMem", virPtr=place)
        for place in (start, start + size - PERIOD):
            self._access.fill(place, PERIOD, FILL)
        return start

    def _physical(self) -> int:
        prop = {
            "allocationType": "ACL_MEM_ALLOCATION_TYPE_PINNED",
            "memAttr": "ACL_HBM_MEM_HUGE",
            "location": {"id": 0, "type": "ACL_MEM_LOCATION_TYPE_DEVICE"},
        }
        handle = self._made("aclrtMallocPhysical", "handle", size=PERIOD, prop=prop, flags=0)
        self._later("aclrtFreePhysical", handle=handle)
        return handle

    def _made(self, api: str, output: str, **args: Any) -> int:
        return int(require(self._call(api, **args), "preparing a huge target")[output])

    def _later(self, api: str, **args: Any) -> None:
        self._undo.append(lambda: require(self._call(api, **args), "giving a huge target back"))
