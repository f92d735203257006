"""Memory in the hands of the operating system: read into and written out by files and pipes."""

from __future__ import annotations

import os
import tempfile
from collections.abc import Callable, Mapping

from harness.plugin import Block, pattern

_PIPE_STEP = 16 * 1024
"""Bytes that a pipe holds without a reader."""


def by_file(block: Block) -> str:
    """Read a file into the block and write it to another place of the file; what is wrong with that."""
    data = pattern(block.size, 3)
    with tempfile.TemporaryFile(buffering=0) as file:
        file.write(data.tobytes())
        view = memoryview(block.view())
        read = os.preadv(file.fileno(), [view], 0)
        block.written = data
        written = os.pwritev(file.fileno(), [view], block.size)
        copied = os.pread(file.fileno(), block.size, block.size)
    whole = (block.size, block.size, data.tobytes())
    return "" if (read, written, copied) == whole else f"{read} bytes in, {written} out, or others"


def by_pipe(block: Block) -> str:
    """Fill the block from a pipe and send it through again, piece by piece; what is wrong with that."""
    data, view = pattern(block.size, 4), memoryview(block.view())
    reader, writer = os.pipe()
    try:
        for start in range(0, block.size, _PIPE_STEP):
            piece = slice(start, start + _PIPE_STEP)
            os.write(writer, data[piece].tobytes())
            os.readv(reader, [view[piece]])
            os.writev(writer, [view[piece]])
            if os.read(reader, _PIPE_STEP) != data[piece].tobytes():
                return f"other bytes came out, from +{start}"
        block.written = data
    finally:
        os.close(reader)
        os.close(writer)
    return ""


WAYS: Mapping[str, Callable[[Block], str]] = {"file": by_file, "pipe": by_pipe}


def through_the_system(way: str, block: Block) -> str:
    """What went wrong when the operating system used a block in this way; nothing where all is well."""
    try:
        return WAYS[way](block)
    except OSError as error:
        return str(error)
