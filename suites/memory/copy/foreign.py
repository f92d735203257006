"""Host memory that no allocator of ours made: the stack of the process and mappings of files."""

from __future__ import annotations

import ctypes
import mmap
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import numpy as np

from harness.device.blocks import Block, HostAccess

_MOST = 8192
# Counted from the field behind the command's name, which may itself hold blanks: proc_pid_stat(5).
_ARG_START, _ENV_END = 48 - 3, 51 - 3


def stack_bytes() -> Block:
    """The process's arguments and environment as the kernel put them on its stack, 8 KiB at most."""
    fields = Path("/proc/self/stat").read_text().rpartition(")")[2].split()
    start, end = int(fields[_ARG_START]), int(fields[_ENV_END])
    return _block(start, min(end - start, _MOST))


def thread_stack(size: int) -> Block:
    """Bytes of the calling thread's stack, to be written by it: as far from those in use as there are."""
    library = ctypes.CDLL(None)
    library.pthread_self.restype = ctypes.c_void_p
    library.pthread_getattr_np.argtypes = [ctypes.c_void_p, ctypes.c_void_p]
    attributes, lowest, extent = (ctypes.c_char * 64)(), ctypes.c_void_p(), ctypes.c_size_t()
    library.pthread_getattr_np(library.pthread_self(), attributes)
    library.pthread_attr_getstack(attributes, ctypes.byref(lowest), ctypes.byref(extent))
    library.pthread_attr_destroy(attributes)
    return _block(lowest.value + mmap.PAGESIZE, size)  # type: ignore[operator]


@contextmanager
def shared_pages(size: int) -> Iterator[Block]:
    """A shared mapping of a new file, to be written."""
    with tempfile.TemporaryFile() as file:
        file.truncate(size)
        with mmap.mmap(file.fileno(), size) as pages:
            view = np.frombuffer(pages, np.uint8)
            yield _block(view.ctypes.data, size)
            del view


@contextmanager
def mapped_file(content: bytes) -> Iterator[Block]:
    """A private, read-only mapping of a new file with this content."""
    with tempfile.TemporaryFile() as file:
        file.write(content)
        file.flush()
        with mmap.mmap(file.fileno(), len(content), flags=mmap.MAP_PRIVATE, prot=mmap.PROT_READ) as pages:
            view = np.frombuffer(pages, np.uint8)
            yield _block(view.ctypes.data, len(content))
            del view


def _block(address: int, size: int) -> Block:
    block = Block("pageable", address, size, 0, HostAccess(), free=lambda: None)
    block.written = np.frombuffer(ctypes.string_at(address, size), np.uint8)
    return block
