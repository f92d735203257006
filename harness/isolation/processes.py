"""What the forked processes have in common."""

from __future__ import annotations

import contextlib
import ctypes
import os
import signal
import sys
from pathlib import Path

_PR_SET_PDEATHSIG = 1
_M_TRIM_THRESHOLD, _M_MMAP_THRESHOLD = -1, -3
_KEPT_BYTES = 32 << 20
_MADV_COLLAPSE = 25
_HUGE_PAGE = 2 << 20


def die_with(parent: int) -> None:
    """Let the kernel end this process when its parent, which has just forked it, ends; at once if it has."""
    ctypes.CDLL(None).prctl(_PR_SET_PDEATHSIG, signal.SIGKILL, 0, 0, 0)
    if os.getppid() != parent:
        os._exit(0)


def leave_input() -> None:
    """Read nothing of what a person types, or of what a script reads from its own input."""
    # Where it was closed at the start, the number may be that of something else by now.
    if sys.__stdin__ is not None:
        nothing = os.open(os.devnull, os.O_RDONLY)
        os.dup2(nothing, 0)
        os.close(nothing)


def keep_freed_memory() -> None:
    """Let this process and its children use again what they have freed, instead of giving it back to the
    system at once: the pages of a fresh buffer cost more than what a case does with it.
    """
    # Not every C library has the call, and none needs it.
    with contextlib.suppress(AttributeError):
        for option in (_M_TRIM_THRESHOLD, _M_MMAP_THRESHOLD):
            ctypes.CDLL(None).mallopt(option, _KEPT_BYTES)


def share_in_huge_pages() -> None:
    """Put the memory of this process into huge pages where the kernel can do that at once: a fork then copies
    few page tables, and the child's end drops few.
    """
    libc = ctypes.CDLL(None)
    libc.madvise.argtypes = [ctypes.c_void_p, ctypes.c_size_t, ctypes.c_int]
    with contextlib.suppress(OSError):
        for line in Path("/proc/self/maps").read_text().splitlines():
            place, rights, _, _, _, *name = line.split(maxsplit=5)
            if rights != "rw-p" or name not in ([], ["[heap]"]):
                continue
            start, end = (int(border, 16) for border in place.split("-"))
            start, end = -(-start // _HUGE_PAGE) * _HUGE_PAGE, end // _HUGE_PAGE * _HUGE_PAGE
            if start < end:
                libc.madvise(start, end - start, _MADV_COLLAPSE)
