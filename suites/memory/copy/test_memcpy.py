"""aclrtMemcpy: the synchronous linear copy."""

from __future__ import annotations

from itertools import chain

from harness.plugin import covers, deadline, isolated, sequential, surfaces
from suites.memory.copy.kinds import D2D, D2H, DEFAULT, H2D, H2H, INNER, INTER, PLAIN, VIA_BUFFER
from suites.memory.copy.layout import ALIGNED, KIB, LARGE_COUNTS, MIB

API = "aclrtMemcpy"
DEVICE = ("device",)
HOSTS = ("pageable", "pinned", "registered")
SIDES = ("pageable", "pinned", "device")
KNOWN = (*SIDES, "registered")
THREAD_COUNTS = (1, 65, 4097, 65537, 3, 262144, 4096)


@covers("memcpy.h2d")
def test_h2d(copies):
    """Host to device moves exactly count bytes, from host memory of any kind, and is done at return."""
    trials = copies.among(HOSTS, DEVICE) + copies.level(HOSTS, DEVICE)
    copies.run(API, trials, H2D)
    copies.expect_moved(trials)


@covers("memcpy.h2d")
def test_h2d_large(copies):
    """Host to device moves exactly count bytes above the page sizes, even or odd."""
    trial = copies.between("pageable", "device", LARGE_COUNTS)
    copies.run(API, trial, H2D)
    copies.expect_moved(trial)


@covers("memcpy.h2d")
@surfaces("c")
def test_h2d_bulk(copies):
    """Host to device moves exactly count bytes of more than the pieces that a copy may be cut into."""
    trial = copies.bulk("pageable", "device")
    copies.run(API, trial, H2D)
    copies.expect_bulk_moved(trial)


@covers("memcpy.h2d")
def test_h2d_of_whole_blocks(copies):
    """A block is filled to its last byte from a block of the same size."""
    trials = copies.whole("pageable", "device")
    copies.run(API, trials, H2D)
    copies.expect_moved(trials)


@covers("memcpy.h2d")
def test_h2d_again(copies):
    """The same call a second time moves what the source holds by then."""
    earlier = copies.between("pageable", "device", [64 * KIB + 1])
    copies.run(API, earlier, H2D)
    trial = copies.again(earlier)
    copies.run(API, trial, H2D)
    copies.expect_moved(trial)


@covers("memcpy.d2h")
def test_d2h_again(copies):
    """The same call a second time moves what the device memory holds by then."""
    earlier = copies.between("device", "pageable", [64 * KIB + 1])
    copies.run(API, earlier, D2H)
    trial = copies.again(earlier)
    copies.run(API, trial, D2H)
    copies.expect_moved(trial)


@covers("memcpy.h2d")
@isolated("forks")
def test_h2d_after_a_fork(copies, fork_and_leave):
    """Copies arrive in a process that has forked a child, which has left at once."""
    trial = copies.between("pageable", "device", [1, 4097])
    fork_and_leave()
    copies.run(API, trial, H2D)
    copies.expect_moved(trial)


@covers("memcpy.d2h")
def test_d2h_of_whole_blocks(copies):
    """A block is copied to its last byte into a block of the same size."""
    trials = copies.whole("device", "pageable")
    copies.run(API, trials, D2H)
    copies.expect_moved(trials)


@covers("memcpy.d2d_same_device")
def test_d2d_of_whole_blocks(copies):
    """A block is copied to its last byte into a block of the same size and device."""
    trials = copies.whole("device", "device")
    copies.run(API, trials, D2D)
    copies.expect_moved(trials)


@covers("memcpy.d2h")
def test_d2h(copies):
    """Device to host moves exactly count bytes, into host memory of any kind, and is done at return."""
    trials = copies.among(DEVICE, HOSTS) + copies.level(DEVICE, HOSTS)
    copies.run(API, trials, D2H)
    copies.expect_moved(trials)


@covers("memcpy.d2h")
def test_d2h_large(copies):
    """Device to host moves exactly count bytes above the page sizes, even or odd."""
    trial = copies.between("device", "pageable", LARGE_COUNTS)
    copies.run(API, trial, D2H)
    copies.expect_moved(trial)


@covers("memcpy.d2h")
@surfaces("c")
def test_d2h_bulk(copies):
    """Device to host moves exactly count bytes of more than the pieces that a copy may be cut into."""
    trial = copies.bulk("device", "pageable")
    copies.run(API, trial, D2H)
    copies.expect_bulk_moved(trial)


@covers("memcpy.d2d_same_device")
def test_d2d_same_device(copies):
    """Device to device inside one device moves exactly count bytes, at any offset."""
    trials = copies.among(DEVICE, DEVICE) + copies.level(DEVICE, DEVICE)
    copies.run(API, trials, D2D)
    copies.expect_moved(trials)


@covers("memcpy.d2d_same_device")
def test_d2d_same_device_large(copies):
    """Device to device inside one device moves exactly count bytes above the page sizes, even or odd."""
    trial = copies.between("device", "device", LARGE_COUNTS, ALIGNED)
    copies.run(API, trial, D2D)
    copies.expect_moved(trial)


@covers("memcpy.d2d_same_device")
@surfaces("c")
def test_d2d_same_device_bulk(copies):
    """Device to device moves exactly count bytes of more than the pieces that a copy may be cut into."""
    trial = copies.bulk("device", "device")
    copies.run(API, trial, D2D)
    copies.expect_bulk_moved(trial)


@covers("memcpy.h2h")
def test_h2h(copies):
    """Host to host works with the synchronous call, for every pair of kinds of host memory."""
    trials = copies.among(HOSTS, HOSTS) + copies.level(HOSTS, HOSTS)
    copies.run(API, trials, H2H)
    copies.expect_moved(trials)


@covers("memcpy.pageable_host")
def test_stack_source(copies, stack_memory):
    """Bytes on the process's stack, which no allocator knows, reach the device."""
    trial = copies.out_of(stack_memory, "device")
    copies.run(API, trial, H2D)
    copies.expect_moved(trial)


@covers("memcpy.pageable_host")
def test_file_mapping_source(copies, file_memory):
    """A read-only mapping of a file reaches the device from its first byte and from odd ones."""
    trial = copies.out_of(file_memory, "device")
    copies.run(API, trial, H2D)
    copies.expect_moved(trial)


@covers("memcpy.pageable_host")
def test_stack_target(copies):
    """Bytes from the device reach the stack of the thread that makes the call."""
    trial = copies.run_onto_a_stack(API)
    copies.expect_moved(trial)


@covers("memcpy.pageable_host")
def test_shared_mapping_target(copies, shared_memory):
    """Bytes from the device reach a shared mapping of a file."""
    trial = copies.into("device", shared_memory)
    copies.run(API, trial, D2H)
    copies.expect_moved(trial)


@covers("memcpy.tail_untouched")
def test_tail_untouched(copies):
    """With a destMax 63 above count, the bytes behind count stay as they were, on either side."""
    trials = copies.among(("pageable",), SIDES, spare=63)
    copies.run(API, trials, DEFAULT)
    copies.expect_moved(trials)


@covers("memcpy.head_untouched")
def test_head_untouched(copies):
    """The bytes in front of dst stay as they were when dst is 0 to 7 bytes past a border, on either side."""
    trials = copies.among(("pageable",), SIDES, counts=[100] * 8, skews=((0,), range(8)))
    copies.run(API, trials, DEFAULT)
    copies.expect_moved(trials)


@covers("memcpy.source_untouched")
def test_source_untouched(copies):
    """The source is as it was after a copy in every direction."""
    trials = copies.among(SIDES, SIDES)
    copies.run(API, trials, DEFAULT)
    copies.expect_sources_untouched(trials)


@covers("memcpy.kind_ignored")
def test_kind_ignored(copies):
    """Whatever plain direction is passed, the direction of the two addresses is what happens."""
    trials = copies.among(KNOWN, KNOWN, counts=[97] * 5)
    copies.run(API, trials, [*PLAIN, DEFAULT])
    copies.expect_moved(trials)


@covers("memcpy.kind_inner")
def test_kind_inner(copies):
    """What happens to a device copy with the inner-device kind is recorded; on success the data is right."""
    trial = copies.between("device", "device", [4097])
    copies.run(API, trial, INNER)
    copies.expect_moved_or_refused(trial)


@covers("memcpy.kind_inter")
def test_kind_inter(copies):
    """What happens to a device copy with the inter-device kind is recorded; on success the data is right."""
    trial = copies.between("device", "device", [4097])
    copies.run(API, trial, INTER)
    copies.expect_moved_or_refused(trial)


@covers("memcpy.kind_host_to_buf")
def test_kind_host_to_buf(copies):
    """The buffered kind is accepted by the synchronous call and copies host to device."""
    trials = copies.among(HOSTS, DEVICE)
    copies.run(API, trials, VIA_BUFFER)
    copies.expect_moved(trials)


@covers("memcpy.count_zero")
def test_count_zero(copies):
    """A copy of 0 bytes succeeds in every direction and touches nothing, whatever destMax is."""
    trials = copies.among(SIDES, SIDES, counts=[0, 0], spare=64)
    copies.run(API, trials, DEFAULT)
    copies.expect_moved_alone(trials)


@covers("memcpy.count_gt_destmax")
def test_count_gt_destmax(copies):
    """A count one above destMax is refused in every direction, and not even the bytes that fit are copied."""
    trials = copies.among(SIDES, SIDES, counts=[2, 64, 4097], spare=-1)
    copies.run(API, trials, DEFAULT)
    copies.expect_refused(trials)


@covers("memcpy.count_gt_destmax")
def test_count_far_above_destmax(acl, memory, expect):
    """A count of 4 GiB more than destMax is refused, and nothing is copied."""
    source, target = memory.pageable(64, fill=0x5A), memory.device(64)
    result = acl.call(API, dst=target.ptr, destMax=64, src=source.ptr, count=(4 << 30) + 64, kind=H2D)
    expect.refused(result, unchanged=[target])


@covers("memcpy.dst_equals_src")
def test_dst_equals_src(copies):
    """Copying a block onto itself succeeds and leaves the data unchanged, on either side."""
    trials = copies.onto_themselves(SIDES, 4096)
    copies.run(API, trials, DEFAULT)
    copies.expect_moved(trials)


@covers("memcpy.overlap")
def test_overlap(copies):
    """Overlapping ranges leave any content, but memory outside the two ranges is unchanged."""
    trial = copies.shifted("device", 4096, by=32)
    copies.run(API, trial, D2D)
    copies.expect_only_target_changed(trial)


@covers("memcpy.impossible_pair")
@isolated("the destination is an address without memory")
def test_impossible_pair(acl, expect, memory, unmapped_range):
    """A copy to a reserved address without memory is refused and does not end the process."""
    source = memory.pageable(4096, fill=0x5A)
    result = acl.call(API, dst=unmapped_range, destMax=4096, src=source.ptr, count=4096, kind=H2D)
    expect.refused(result, unchanged=[source])


@covers("memcpy.past_end_of_block")
@isolated("reads device memory that nobody has allocated")
def test_past_end_of_block(acl, expect, memory, spare_host_memory):
    """Reading 64 MiB past the end of a device block gives an error or success; which one is recorded."""
    block = memory.device(4096)
    count = block.size + 64 * MIB
    result = acl.call(API, dst=spare_host_memory(count), destMax=count, src=block.ptr, count=count, kind=D2H)
    expect.observed(result, corrupted=[block])


@covers("memcpy.sync_at_return")
def test_sync_at_return(copies):
    """What a host to device copy has written is there for another thread as soon as the call has returned."""
    trial = copies.between("pageable", "device", LARGE_COUNTS)
    copies.run(API, trial, H2D)
    copies.expect_moved_for_another_thread(trial)


@covers("memcpy.no_stream_sync")
@deadline(10)
def test_no_stream_sync(copies, stream, blocked_stream):
    """The call does its work while an unrelated stream is held."""
    trials = copies.among(SIDES, SIDES, counts=[4097])
    with blocked_stream(stream):
        copies.run(API, trials, DEFAULT)
        copies.expect_moved(trials)


@covers("memcpy.no_stream_sync")
@deadline(10)
def test_no_default_stream_sync(copies, default_stream, blocked_stream):
    """The call does its work while the default stream is held."""
    trials = copies.among(SIDES, SIDES, counts=[4097])
    with blocked_stream(default_stream):
        copies.run(API, trials, DEFAULT)
        copies.expect_moved(trials)


@covers("memcpy.needs_context")
@isolated("starts before aclInit")
def test_needs_context(copies, initialised_only):
    """Without a device set in the process even a copy between two host blocks fails."""
    trial = copies.between("pageable", "pageable", [64])
    copies.run(API, trial, H2H)
    copies.expect_refused(trial)


@covers("memcpy.multi_thread")
def test_multi_thread(copies):
    """Eight threads copy to and from the device at the same time, and every one gets its own data."""
    groups = [copies.both_ways(THREAD_COUNTS, seed=thread) for thread in range(8)]
    copies.run_together(API, groups, rounds=4)
    copies.expect_moved([*chain.from_iterable(groups)])


@covers("memcpy.multi_thread")
def test_multi_thread_on_one_side(copies):
    """Eight threads copy inside the device and inside the host at the same time, each its own data."""
    groups = [copies.same_side(THREAD_COUNTS[:4], seed=thread) for thread in range(8)]
    copies.run_together(API, groups, rounds=4)
    copies.expect_moved([*chain.from_iterable(groups)])


@covers("memcpy.large")
@sequential
@surfaces("c")
@deadline(120)
def test_more_than_4_gib(acl, huge_copy):
    """One call copies 4 GiB and a page, and not a byte more or less."""
    result = acl.call(API, **huge_copy.arguments, kind=H2D)
    huge_copy.expect_whole(result)
