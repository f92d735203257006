"""aclrtMemcpyAsyncWithOffset: a copy between places that are counted from addresses in device memory."""

from __future__ import annotations

from harness.plugin import covers, deadline
from suites.memory.copy.layout import MIB, Transfer

OFFSETS = (
    Transfer(0, 8128, 64),
    Transfer(8128, 0, 64),
    Transfer(256, 512, 63),
    Transfer(4096, 1024, 1),
    Transfer(1024, 2048, 4097),
)
"""Transfers inside blocks of 8192 bytes whose targets do not touch."""

FAR_OFFSETS = (
    Transfer(70016, 5 * MIB + 64, 4097),
    Transfer(5 * MIB + 192, 70080, 65537),
)
"""Transfers inside blocks of 6 MiB, each with one offset of more than 16 bits and one of more than 22."""


@covers("memcpy_async_with_offset.ok")
def test_copy(described):
    """256 bytes go from 64 past the source's address to 128 past the target's, and nothing else changes."""
    trial = described.shifted_pair(Transfer(64, 128, 256), size=1024)
    described.submit_shifted(trial, described.stream)
    described.settle(described.stream)
    described.expect_moved_alone(trial)


@covers("memcpy_async_with_offset.ok")
def test_offsets(described):
    """Either offset may be the larger one, 0, or the last one that leaves room for the count."""
    trial = described.shifted_pair(*OFFSETS)
    described.submit_shifted(trial, described.stream)
    described.settle(described.stream)
    described.expect_moved_alone(trial)


@covers("memcpy_async_with_offset.ok")
def test_large(described):
    """A count above the page sizes arrives whole."""
    trial = described.shifted_pair(Transfer(192, 64, 2 * MIB + 7), size=2 * MIB + 4096)
    described.submit_shifted(trial, described.stream)
    described.settle(described.stream)
    described.expect_moved_alone(trial)


@covers("memcpy_async_with_offset.ok")
def test_large_offsets(described):
    """Offsets above 64 KiB and above 4 MiB count in full, on either side."""
    trial = described.shifted_pair(*FAR_OFFSETS, size=6 * MIB)
    described.submit_shifted(trial, described.stream)
    described.settle(described.stream)
    described.expect_moved_alone(trial)


@covers("memcpy_async_with_offset.ok")
@deadline(10)
def test_while_the_default_stream_is_held(described, blocked_stream):
    """A copy on a stream of its own is made while the default stream is held."""
    trial = described.shifted_pair(Transfer(64, 128, 256), size=1024)
    with blocked_stream(None):
        described.submit_shifted(trial, described.stream)
        described.settle(described.stream)
        described.expect_moved(trial)


@covers("memcpy_async_with_offset.async")
@deadline(10)
def test_only_submitted(described, blocked_stream):
    """Nothing is copied while the stream is held, all of it when it is released."""
    trial = described.shifted_pair(Transfer(64, 128, 256), size=1024)
    with blocked_stream(described.stream) as hold:
        described.submit_shifted(trial, described.stream)
        described.expect_deferred(trial, hold)
