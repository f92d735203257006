"""Sizes and policies of allocations, and what the documents say a request may use."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from itertools import cycle, islice

from harness.plugin import Profile
from suites.memory.virtual.properties import KIB, MIB, TIB

PIB = 1024 * TIB

HUGE_PAGE = 2 * MIB
ALIGNMENT = 64
GRAIN = 32
"""Bytes that a requested size is rounded up to a multiple of; also the padding behind it."""

HUGE_FIRST = "ACL_MEM_MALLOC_HUGE_FIRST"
HUGE_ONLY = "ACL_MEM_MALLOC_HUGE_ONLY"
NORMAL_ONLY = "ACL_MEM_MALLOC_NORMAL_ONLY"
HUGE1G_ONLY = "ACL_MEM_MALLOC_HUGE1G_ONLY"
BASE_POLICIES = (HUGE_FIRST, HUGE_ONLY, NORMAL_ONLY)
P2P_POLICIES = tuple(f"{policy}_P2P" for policy in BASE_POLICIES)
BANDWIDTHS = ("ACL_MEM_TYPE_LOW_BAND_WIDTH", "ACL_MEM_TYPE_HIGH_BAND_WIDTH")

MALLOC = "aclrtMalloc"
ALIGN32 = "aclrtMallocAlign32"
CACHED = "aclrtMallocCached"
WITH_CFG = "aclrtMallocWithCfg"
FOR_SCHEDULER = "aclrtMallocForTaskScheduler"
FAMILY = (MALLOC, ALIGN32, CACHED, WITH_CFG, FOR_SCHEDULER)
"""Every function that hands out ordinary device memory."""

FREED_ALIKE = (MALLOC, ALIGN32, CACHED, WITH_CFG)
"""Those whose memory is for aclrtFree to release, as their own pages say."""

APPLICATION = {"attrs": [{"attr": "ACL_RT_MEM_ATTR_MODULE_ID", "value": {"moduleId": 33}}], "numAttrs": 1}
"""A configuration that says what holds without one as well: that the memory is the application's."""

ROUNDTRIP_SIZES = (1, 31, 32, 33, 64, 4 * KIB, MIB, 2 * MIB, 2 * MIB + 1)
"""Sizes round the borders at which an allocator rounds or changes its pages."""

ODD_SIZES = (1, 31, 32, 33, 63, 64, 65, 95, 97, 4095, 4096, 4097, 65537)
"""Small sizes on both sides of the borders of 32, 64 and 4096 bytes."""

MIXED_SIZES = (1, 97, 4 * KIB, 33, 65, 512 * KIB + 1, 32, 2 * KIB, 64, MIB, 31, 129, MIB + 1, 4 * MIB, 4097)
"""Sizes from 1 byte to 4 MiB, small ones between large ones, most of them no multiple of 64."""

_WITHOUT_PEERS = ("310b", "IPV350")
_WITH_1G_PAGES = ("950", "A3", "910b")


def mixed(count: int, sizes: Sequence[int] = MIXED_SIZES) -> list[int]:
    """So many sizes, the list over and over."""
    return list(islice(cycle(sizes), count))


def round_up(size: int, grain: int) -> int:
    """The next multiple of a grain."""
    return -(-size // grain) * grain


def usable(size: int, profile: Profile, padded: bool = True) -> int:
    """Bytes that a block of this size has at least: rounded up to 32, and 32 more where that is promised.

    Only aclrtMalloc pads, not on 950, and not for 1 GiB pages.
    """
    padding = GRAIN if padded and profile.product != "950" else 0
    return round_up(size, GRAIN) + padding


def pieces(lengths: Iterable[int], profile: Profile) -> tuple[list[int], int]:
    """Offsets at which the documents lay out pieces of one big block, and the size of the block."""
    offsets, end = [], 0
    for length in lengths:
        offsets.append(round_up(end, ALIGNMENT))
        end = offsets[-1] + usable(length, profile)
    return offsets, end


def policies(profile: Profile) -> tuple[str, ...]:
    """The policies by which a product gives memory, 1 GiB pages aside."""
    return (*BASE_POLICIES, *BANDWIDTHS, *(() if profile.product in _WITHOUT_PEERS else P2P_POLICIES))


def has_1g_pages(profile: Profile) -> bool:
    """Whether the documents name 1 GiB pages for a product."""
    return profile.product in _WITH_1G_PAGES
