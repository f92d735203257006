"""aclrtMalloc and its siblings: what the memory they give is like."""

from __future__ import annotations

import pytest

from harness.plugin import covers, covers_each, deadline, isolated, sequential
from suites.memory.alloc.sizes import (
    ALIGN32,
    BANDWIDTHS,
    CACHED,
    FAMILY,
    HUGE1G_ONLY,
    HUGE_FIRST,
    HUGE_ONLY,
    MALLOC,
    NORMAL_ONLY,
    ODD_SIZES,
    P2P_POLICIES,
    ROUNDTRIP_SIZES,
    WITH_CFG,
    policies,
)
from suites.memory.virtual.properties import GIB, KIB, MIB

UNKNOWN_POLICIES = (50, 8, 255)
BOTH_FREES = ["aclrtFree", "aclrtFreeWithDevSync"]


@covers("malloc.roundtrip")
def test_roundtrip(allocations):
    """Blocks of every size can be set and written from end to end, and keep what they hold."""
    asked = allocations.ask_for(MALLOC, ROUNDTRIP_SIZES)
    allocations.expect_usable_throughout(*asked)


@covers("malloc.roundtrip")
def test_roundtrip_is_released(allocations, figures):
    """Blocks of every size can be released, and the memory is back."""
    before = figures.free()
    results = allocations.free_all("aclrtFree", allocations.ask_for(MALLOC, ROUNDTRIP_SIZES))
    allocations.expect_released(results, before)


@covers("malloc_align32.roundtrip")
def test_align32_roundtrip(allocations):
    """Blocks can be used to the next multiple of 32 bytes, and keep what they hold."""
    asked = allocations.ask_for(ALIGN32, [1, 32, 33, 65, *ODD_SIZES])
    allocations.expect_usable_rounded(*asked)


@covers("malloc_align32.roundtrip")
def test_align32_roundtrip_is_released(allocations, figures):
    """Blocks can be released by aclrtFree, and the memory is back."""
    before = figures.free()
    results = allocations.free_all("aclrtFree", allocations.ask_for(ALIGN32, [1, 32, 33, 65]))
    allocations.expect_released(results, before)


@covers_each("addr_align_64", MALLOC, WITH_CFG)
def test_addr_align_64(api, allocations):
    """200 live blocks of mixed sizes, by every policy, start at multiples of 64."""
    asked = allocations.ask_every_way(api, 200)
    allocations.expect_aligned(*asked)


@covers("malloc.size_round_32_plus_32")
@pytest.mark.parametrize("policy", [NORMAL_ONLY, HUGE_FIRST, HUGE_ONLY])
def test_size_round_32_plus_32(allocations, policy):
    """Live blocks can be used to the end of their padding without disturbing each other."""
    asked = allocations.ask_for(MALLOC, ODD_SIZES, [policy])
    allocations.expect_usable_padding(*asked)


@covers("malloc.size_round_32_plus_32")
def test_padding_by_every_policy(case, allocations):
    """Small and large blocks by every policy can be used to the end of their padding."""
    asked = allocations.ask_for_each(MALLOC, [33, 2 * MIB, 4 * MIB], policies(case.profile))
    allocations.expect_usable_padding(*asked)


@covers("malloc.size_round_32_950")
@pytest.mark.parametrize("policy", [NORMAL_ONLY, HUGE_FIRST, HUGE_ONLY])
def test_size_round_32_950(allocations, policy):
    """Live blocks can be used to the next multiple of 32 bytes without disturbing each other."""
    asked = allocations.ask_for(MALLOC, ODD_SIZES, [policy])
    allocations.expect_usable_rounded(*asked)


@covers("malloc.size_round_32_950")
def test_size_round_32_950_by_every_policy(case, allocations):
    """Small and large blocks by every policy can be used to the next multiple of 32 bytes."""
    asked = allocations.ask_for_each(MALLOC, [33, 2 * MIB + 1, 4 * MIB], policies(case.profile))
    allocations.expect_usable_rounded(*asked)


@covers("malloc_align32.same_as_malloc_950")
def test_align32_same_as_malloc(case, allocations):
    """Both calls answer the same requests the same, with memory alike."""
    wanted = [33, 4 * KIB, MIB + 1], policies(case.profile)
    plain = allocations.ask_for(MALLOC, wanted[0] * 3, wanted[1])
    asked = allocations.ask_for(ALIGN32, wanted[0] * 3, wanted[1])
    allocations.expect_same(asked, plain)


@covers("malloc.size_1g_no_padding")
@sequential
def test_size_1g_no_padding(allocations, figures):
    """A block of exactly 1 GiB on a 1 GiB page takes 1 GiB and no more."""
    before = figures.free("HUGE1G")
    asked = allocations.needs_pages(allocations.ask(MALLOC, GIB, HUGE1G_ONLY))
    allocations.expect_usable(asked)
    figures.expect_missing(before, GIB, "HUGE1G")


@covers_each("not_initialised", MALLOC, ALIGN32)
def test_fresh_content(api, allocations, expect):
    """What a fresh block holds may be anything, but it can be read; the block beside it is unharmed."""
    other = allocations.taken(4 * KIB).write(b"\x11" * 4 * KIB)
    fresh = allocations.taken(4 * KIB, api=api).read()
    expect.observed(f"{len(set(fresh.tolist()))} different bytes", corrupted=[other])


@covers_each("no_implicit_sync", MALLOC, ALIGN32)
@pytest.mark.parametrize("default", [False, True], ids=["stream", "default-stream"])
@deadline(10)
def test_no_implicit_sync(api, allocations, releases, stream, blocked_stream, default):
    """A small and a large block are given while a stream is held."""
    queue = releases.queue(stream, default)
    with blocked_stream(queue):
        asked = allocations.ask_for(api, [MIB, 4 * MIB])
        releases.expect_all_done_while_held([each.result for each in asked], queue)


@covers_each("single_bandwidth_policy", MALLOC, ALIGN32)
@pytest.mark.parametrize("policy", BANDWIDTHS)
def test_single_bandwidth_policy(api, allocations, policy):
    """A bandwidth alone is accepted and gives usable memory."""
    asked = allocations.ask(api, 4 * MIB, policy)
    allocations.expect_usable(asked)


@covers_each("policy_out_of_range", *FAMILY)
def test_policy_out_of_range(api, allocations):
    """A policy that is none gives usable memory."""
    asked = allocations.ask_for(api, [MIB, 4 * MIB] * 3, UNKNOWN_POLICIES)
    allocations.expect_usable(*asked)


@covers_each("policy_out_of_range", *FAMILY)
@pytest.mark.parametrize("size", [512 * KIB, 4 * MIB], ids=["512KiB", "4MiB"])
def test_pages_of_unknown_policy(api, allocations, size):
    """A policy that is none gives small pages to small requests and huge pages to large ones."""
    asked = allocations.ask_for(api, [size] * 3, UNKNOWN_POLICIES)
    allocations.expect_pages(asked, size)


@covers("malloc.p2p_policies_work")
@pytest.mark.parametrize("policy", P2P_POLICIES)
def test_p2p_policies_work(allocations, policy):
    """Memory by a P2P policy, where it is given, is usable and can be released."""
    asked = allocations.ask(MALLOC, 4 * MIB, policy)
    allocations.expect_usable_where_given(asked)


@covers_each("free_pairing", MALLOC, ALIGN32, WITH_CFG)
@pytest.mark.parametrize("release", BOTH_FREES)
def test_free_pairing(api, allocations, figures, release):
    """A block is released by either call, and the memory is back."""
    before = figures.free()
    asked = allocations.expect_given(allocations.ask(api, 2 * MIB + 1))
    result = allocations.free(release, asked.ptr)
    allocations.expect_released([result], before)


@covers("malloc.repeat_alloc_free")
@deadline(120)
def test_repeat_alloc_free(allocations, figures):
    """Hundreds of rounds of allocation and release, on hardware thousands, succeed and lose no memory."""
    before = figures.free()
    failed = allocations.rounds(500 if figures.exact else 10000, [KIB, 4 * MIB, 33, MIB, 64 * KIB + 1])
    allocations.expect_no_failures(failed, before)


@covers("malloc.distinct_blocks")
def test_distinct_blocks(allocations):
    """500 live blocks, by every policy, have no byte in common."""
    asked = allocations.ask_every_way(MALLOC, 500)
    allocations.fill(asked)
    allocations.expect_distinct(asked)


@covers("malloc.distinct_blocks")
def test_blocks_after_releases_are_distinct(allocations):
    """Blocks that take the place of released ones have no byte in common with those that still live."""
    asked = allocations.ask_every_way(MALLOC, 64)
    allocations.fill(asked)
    live = allocations.replace_every_second(asked, times=4)
    allocations.expect_distinct(live)


@covers("malloc.distinct_blocks")
def test_blocks_of_threads_are_distinct(allocations):
    """Blocks that eight threads take and release at the same time have no byte in common."""
    live = allocations.in_threads(8, 30)
    allocations.fill(live)
    allocations.expect_distinct(live)


@covers("malloc.distinct_blocks")
def test_small_blocks_are_distinct(allocations):
    """100 live blocks of 1 to 97 bytes have no byte in common."""
    asked = allocations.ask_for(MALLOC, [1, 97, 31, 64, 33] * 20)
    allocations.fill(asked)
    allocations.expect_distinct(asked)


@covers("malloc.suballocation_rule", uses=["aclrtMemcpy"])
def test_pieces_of_one_block(allocations):
    """Copies into pieces of one block, laid out as the documents say, do not disturb each other."""
    blocks = allocations.pieces((1, 33, 64, 100, 4097, 31, 32))
    results = allocations.copy_into(blocks)
    allocations.expect_pieces_apart(results, blocks)


@covers("malloc.needs_context", uses=["aclrtSetDevice"])
@isolated("no device was ever set in the process")
def test_needs_context(initialised_only, no_device, expect):
    """Without a device the call is refused and gives nothing; with one it works."""
    result = initialised_only.aclrtMalloc(size=64, policy=HUGE_FIRST)
    expect.refused(result)
    no_device.expect_still_unset(result, "devPtr")


@covers("malloc_cached.equivalent_to_malloc")
def test_cached_is_coherent(allocations, figures):
    """Cached memory keeps what is copied into it without a flush, and is released by aclrtFree."""
    before = figures.free()
    asked = allocations.ask(CACHED, 4 * MIB)
    allocations.expect_usable(asked)
    allocations.expect_released([allocations.free("aclrtFree", asked.ptr)], before)


@covers("malloc_cached.equivalent_to_malloc", uses=["aclrtMemcpyAsync"])
@pytest.mark.parametrize("copy", ["aclrtMemcpy", "aclrtMemcpyAsync"])
def test_copy_out_of_cached(allocations, stream, copy):
    """A copy out of cached memory to other memory of the device moves what was written last."""
    block, target = allocations.rewritten(64 * KIB, CACHED), allocations.taken(64 * KIB)
    results = allocations.copy(copy, target, block, stream)
    allocations.expect_copied(results, target, block)


@covers("malloc_cached.policies_ok")
@sequential
def test_cached_policies(allocations):
    """Cached memory is given by every policy the product has pages for, 1 GiB pages included."""
    asked = allocations.ask_for_cached()
    allocations.expect_usable(*asked)
