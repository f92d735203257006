"""aclrtMemcpyAsync and its deprecated sibling aclrtMemcpyAsyncWithCondition: the linear copy on a stream."""

from __future__ import annotations

from itertools import chain

from harness.plugin import covers, covers_each, deadline, isolated, surfaces
from suites.memory.copy.kinds import D2D, D2H, DEFAULT, H2D, H2H, VIA_BUFFER
from suites.memory.copy.layout import ALIGNED, IN_FLIGHT, KIB, LARGE_COUNTS, MIB

PLAIN_CALL = "aclrtMemcpyAsync"
ASYNC = (PLAIN_CALL, "aclrtMemcpyAsyncWithCondition")
DEVICE = ("device",)
PINNED = ("pinned", "registered")


@covers_each("h2d_pinned", *ASYNC)
def test_h2d_pinned(api, copies, stream):
    """Host to device from pinned memory is complete, to the byte, after the stream is synchronised."""
    trials = copies.among(PINNED, DEVICE, skews=ALIGNED)
    copies.run(api, trials, H2D, stream=stream)
    copies.expect_moved_alone(trials)


@covers_each("h2d_pinned", *ASYNC)
def test_h2d_pinned_large(api, copies, stream):
    """Host to device from pinned memory is complete above the page sizes, even or odd."""
    trial = copies.between("pinned", "device", LARGE_COUNTS, ALIGNED)
    copies.run(api, trial, H2D, stream=stream)
    copies.expect_moved(trial)


@covers("memcpy_async.h2d_pinned")
@surfaces("c")
def test_h2d_pinned_bulk(copies, stream):
    """Host to device from pinned memory is complete above the pieces that a copy may be cut into."""
    trial = copies.bulk("pinned", "device")
    copies.run(PLAIN_CALL, trial, H2D, stream=stream)
    copies.expect_bulk_moved(trial)


@covers_each("h2d_pinned", *ASYNC)
def test_h2d_of_whole_blocks(api, copies, stream):
    """A block is filled to its last byte from a pinned block of the same size."""
    trials = copies.whole("pinned", "device")
    copies.run(api, trials, H2D, stream=stream)
    copies.expect_moved(trials)


@covers_each("h2d_pinned", *ASYNC)
def test_h2d_again(api, copies, stream):
    """The same call a second time moves what the pinned source holds by then."""
    earlier = copies.between("pinned", "device", [64 * KIB + 1], ALIGNED)
    copies.run(api, earlier, H2D, stream=stream)
    trial = copies.again(earlier)
    copies.run(api, trial, H2D, stream=stream)
    copies.expect_moved(trial)


@covers_each("d2h_pinned", *ASYNC)
def test_d2h_again(api, copies, stream):
    """The same call a second time moves what the device memory holds by then."""
    earlier = copies.between("device", "pinned", [64 * KIB + 1], ALIGNED)
    copies.run(api, earlier, D2H, stream=stream)
    trial = copies.again(earlier)
    copies.run(api, trial, D2H, stream=stream)
    copies.expect_moved(trial)


@covers_each("h2d_pinned", *ASYNC, uses=["aclrtCreateStream"])
def test_h2d_in_another_context(api, copies, stream_of_another_context):
    """A stream of a context that the program has made itself copies, to the byte."""
    trial = copies.between("pinned", "device", LARGE_COUNTS, ALIGNED)
    copies.run(api, trial, H2D, stream=stream_of_another_context)
    copies.expect_moved(trial)


@covers_each("d2h_pinned", *ASYNC, uses=["aclrtCreateStream"])
def test_d2h_in_another_context(api, copies, stream_of_another_context):
    """A stream of a context that the program has made itself copies back, to the byte."""
    trial = copies.between("device", "pinned", LARGE_COUNTS, ALIGNED)
    copies.run(api, trial, D2H, stream=stream_of_another_context)
    copies.expect_moved(trial)


@covers_each("d2h_pinned", *ASYNC)
def test_d2h_of_whole_blocks(api, copies, stream):
    """A block is copied to its last byte into a pinned block of the same size."""
    trials = copies.whole("device", "pinned")
    copies.run(api, trials, D2H, stream=stream)
    copies.expect_moved(trials)


@covers_each("d2h_pinned", *ASYNC)
def test_d2h_pinned(api, copies, stream):
    """Device to host into pinned memory is complete, to the byte, after the stream is synchronised."""
    trials = copies.among(DEVICE, PINNED, skews=ALIGNED)
    copies.run(api, trials, D2H, stream=stream)
    copies.expect_moved_alone(trials)


@covers_each("d2h_pinned", *ASYNC)
def test_d2h_pinned_large(api, copies, stream):
    """Device to host into pinned memory is complete above the page sizes, even or odd."""
    trial = copies.between("device", "pinned", LARGE_COUNTS, ALIGNED)
    copies.run(api, trial, D2H, stream=stream)
    copies.expect_moved(trial)


@covers("memcpy_async.d2h_pinned")
@surfaces("c")
def test_d2h_pinned_bulk(copies, stream):
    """Device to host into pinned memory is complete above the pieces that a copy may be cut into."""
    trial = copies.bulk("device", "pinned")
    copies.run(PLAIN_CALL, trial, D2H, stream=stream)
    copies.expect_bulk_moved(trial)


@covers_each("d2d", *ASYNC)
def test_d2d(api, copies, stream):
    """Device to device on one device is complete, to the byte, after the stream is synchronised."""
    trial = copies.between("device", "device", skews=ALIGNED)
    copies.run(api, trial, D2D, stream=stream)
    copies.expect_moved_alone(trial)


@covers_each("d2d", *ASYNC)
def test_d2d_large(api, copies, stream):
    """Device to device on one device is complete above the page sizes, even or odd."""
    trial = copies.between("device", "device", LARGE_COUNTS, ALIGNED)
    copies.run(api, trial, D2D, stream=stream)
    copies.expect_moved(trial)


@covers("memcpy_async.d2d")
@surfaces("c")
def test_d2d_bulk(copies, stream):
    """Device to device on one device is complete above the pieces that a copy may be cut into."""
    trial = copies.bulk("device", "device")
    copies.run(PLAIN_CALL, trial, D2D, stream=stream)
    copies.expect_bulk_moved(trial)


@covers_each("pinned_returns_early", *ASYNC)
@deadline(10)
def test_pinned_d2h_returns_early(api, copies, stream, blocked_stream):
    """A copy into pinned memory returns while its stream is held, and copies only when it is released."""
    trial = copies.between("device", "pinned", [1, 4097, MIB], ALIGNED)
    with blocked_stream(stream) as hold:
        copies.submit(api, trial, D2H, stream=stream)
        copies.expect_deferred(trial, hold)


@covers_each("pinned_returns_early", *ASYNC)
@deadline(10)
def test_pinned_h2d_returns_early(api, copies, stream, blocked_stream):
    """A copy from pinned memory returns while its stream is held, and copies only when it is released."""
    trial = copies.between("pinned", "device", [1, 4097, MIB], ALIGNED)
    with blocked_stream(stream) as hold:
        copies.submit(api, trial, H2D, stream=stream)
        copies.expect_deferred(trial, hold)


@covers_each("pageable_blocks", *ASYNC)
def test_pageable_h2d_is_done_at_return(api, copies, stream):
    """A copy from pageable memory is done, and the stream complete, when the call returns."""
    trial = copies.between("pageable", "device", [4, *LARGE_COUNTS], ALIGNED)
    copies.submit(api, trial, H2D, stream=stream)
    copies.expect_done_at_return(trial, stream)


@covers_each("pageable_blocks", *ASYNC)
def test_pageable_d2h_is_done_at_return(api, copies, stream):
    """A copy into pageable memory is done, and the stream complete, when the call returns."""
    trial = copies.between("device", "pageable", [4, *LARGE_COUNTS], ALIGNED)
    copies.submit(api, trial, D2H, stream=stream)
    copies.expect_done_at_return(trial, stream)


@covers_each("pageable_blocks", *ASYNC)
def test_pageable_source_may_change_at_return(api, copies, stream):
    """Bytes put into a pageable source after the call do not reach the device."""
    trial = copies.between("pageable", "device", [4, 4097, MIB], ALIGNED)
    copies.submit(api, trial, H2D, stream=stream)
    copies.overwrite(trial)
    copies.settle(stream)
    copies.expect_moved(trial)


@covers_each("pageable_blocks", *ASYNC)
def test_pageable_on_the_null_stream(api, copies, default_stream):
    """On the null stream, too, a pageable copy is done at return, and its source may change then."""
    trials = copies.both_ways([4, 4097, MIB], seed=0)
    copies.submit(api, trials, stream=default_stream)
    copies.overwrite(trials)
    copies.expect_done_at_return(trials, default_stream)


@covers_each("pageable_blocks", *ASYNC)
@surfaces("c")
@deadline(10)
def test_pageable_waits_for_its_stream(api, copies, stream, blocked_stream):
    """A pageable copy runs behind the earlier work of its stream, which is finished too when it returns."""
    earlier, trial = copies.rewriting(copies.queued_end, "pageable")
    with blocked_stream(stream) as hold, copies.released_soon(hold):
        copies.submit(api, [earlier, trial], H2D, stream=stream)
        copies.expect_done_at_return(trial, stream)


@covers_each("pageable_blocks", *ASYNC)
@deadline(10)
def test_pageable_waits_for_no_other_stream(api, copies, stream, other_stream, blocked_stream):
    """A pageable copy returns, done, while another stream of the device is held."""
    trials = [copies.between("pageable", "device", [4097]), copies.between("device", "pageable", [4097])]
    with blocked_stream(other_stream):
        copies.submit(api, trials, stream=stream)
        copies.expect_done_at_return(trials, stream)


@covers_each("pageable_blocks", *ASYNC)
def test_pageable_in_several_threads(api, copies, stream):
    """Four threads copy pageable memory on one stream, and every one has its own data at return."""
    groups = [copies.both_ways([4097, 65537], seed=thread) for thread in range(4)]
    copies.submit_together(api, groups, stream=stream)
    copies.expect_moved([*chain.from_iterable(groups)])


@covers_each("pageable_blocks", *ASYNC)
def test_pageable_memory_of_every_origin(api, copies, stream, stack_memory, file_memory):
    """Stack memory and a read-only file mapping, at any offset, are as good a source as an array."""
    trials = [copies.out_of(stack_memory, "device"), copies.out_of(file_memory, "device")]
    copies.submit(api, trials, H2D, stream=stream)
    copies.expect_done_at_return(trials, stream)


@covers_each("unaligned_new", *ASYNC)
def test_unaligned_new(api, copies, stream):
    """Between host and device any address and any count is right after the stream is synchronised."""
    hosts = copies.queued_hosts
    trials = copies.among(hosts, DEVICE) + copies.among(DEVICE, hosts)
    trials += copies.level(hosts, DEVICE) + copies.level(DEVICE, hosts)
    copies.run(api, trials, stream=stream)
    copies.expect_moved_alone(trials)


@covers_each("align64_old", *ASYNC)
def test_align64_old(api, copies, stream):
    """What unaligned addresses give is recorded; nothing outside the target windows changes."""
    trial = copies.between("pinned", "device", [63])
    copies.submit(api, trial, H2D, stream=stream)
    copies.expect_observed_after(trial, stream)


@covers_each("d2d_align64", *ASYNC)
def test_d2d_align64(api, copies, stream):
    """What unaligned addresses inside one device give is recorded; the target's neighbours are unchanged."""
    trial = copies.between("device", "device", [1, 63, 4097])
    copies.submit(api, trial, D2D, stream=stream)
    copies.expect_observed_after(trial, stream)


@covers_each("pageable_old", *ASYNC)
def test_pageable_old(api, copies, stream):
    """What pageable memory gives in old versions is recorded; nothing outside the target windows changes."""
    trial = copies.between("pageable", "device", [64, 4097], ALIGNED)
    copies.submit(api, trial, H2D, stream=stream)
    copies.expect_observed_after(trial, stream)


@covers_each("tail_untouched", *ASYNC)
def test_tail_untouched(api, copies, stream):
    """With a destMax 63 above count, the bytes behind count stay as they were, in every direction."""
    trials = copies.queued(spare=63)
    copies.run(api, trials, stream=stream)
    copies.expect_moved(trials)


@covers_each("h2h_kind_with_device_address", *ASYNC)
def test_h2h_kind_with_device_address(api, copies, stream):
    """Host-to-host kind with a device target is refused or copies host to device; which one is recorded."""
    trial = copies.between("pinned", "device", [4097], ALIGNED)
    copies.run(api, trial, H2H, stream=stream)
    copies.expect_moved_or_refused(trial)


@covers_each("h2h_ep", *ASYNC)
def test_h2h_ep(api, copies, stream):
    """In EP form a host-to-host request is refused by the documented code, and nothing is copied."""
    kinds, counts = ("pinned", "pageable"), [64, 64 * KIB + 1]
    trials = copies.among(kinds, kinds, counts=counts, skews=ALIGNED)
    copies.run(api, trials, H2H, stream=stream)
    copies.run(api, trials, H2H, stream=None)
    copies.expect_refused(trials)


@covers_each("host_pair_any_kind", *ASYNC)
def test_host_pair_any_kind(api, copies, stream):
    """Two pinned host addresses are refused whatever kind is given, at the call, and nothing is copied."""
    trials = copies.among(PINNED, PINNED, counts=[64] * 4 + [4097] * 4, skews=ALIGNED)
    copies.run(api, trials, [H2D, D2H, D2D, DEFAULT], stream=stream)
    copies.run(api, trials, [H2D, D2H, D2D, DEFAULT], stream=None)
    copies.expect_refused(trials)


@covers_each("host_pair_any_kind", *ASYNC)
def test_stream_works_after_a_refused_pair(api, copies, stream):
    """A copy behind a refused one on the same stream is made, and the refusal is not reported again."""
    refused, trial = [copies.between("pinned", to, [64], ALIGNED) for to in ("pinned", "device")]
    copies.submit(api, [refused, trial], H2D, stream=stream)
    copies.settle(stream)
    copies.expect_moved(trial)


@covers_each("kind_corrected_pinned", *ASYNC)
def test_kind_corrected_h2d(api, copies, stream):
    """Pinned memory to device follows the addresses when the kind names another direction."""
    trials = copies.among(PINNED, DEVICE, counts=[4097] * 3, skews=ALIGNED)
    copies.run(api, trials, [D2H, D2D, H2D], stream=stream)
    copies.expect_moved_alone(trials)


@covers_each("kind_corrected_pinned", *ASYNC)
def test_kind_corrected_d2h(api, copies, stream):
    """Device to pinned memory follows the addresses when the kind names another direction."""
    trials = copies.among(DEVICE, PINNED, counts=[4097] * 3, skews=ALIGNED)
    copies.run(api, trials, [H2D, D2D, D2H], stream=stream)
    copies.expect_moved_alone(trials)


@covers_each("kind_corrected_pinned", *ASYNC)
def test_kind_corrected_d2d(api, copies, stream):
    """Device to device follows the addresses when the kind names another direction."""
    trial = copies.between("device", "device", [4097] * 2, ALIGNED)
    copies.run(api, trial, [H2D, D2H], stream=stream)
    copies.expect_moved_alone(trial)


@covers_each("kind_default", *ASYNC)
def test_kind_default(api, copies, stream):
    """ACL_MEMCPY_DEFAULT finds every direction from the addresses."""
    trials = copies.queued()
    copies.run(api, trials, DEFAULT, stream=stream)
    copies.expect_moved_alone(trials)


@covers_each("host_to_buf", *ASYNC)
@deadline(10)
def test_host_to_buf_pinned(api, copies, stream, blocked_stream):
    """With the buffered kind a pinned source may change at once, though its stream is held."""
    trial = copies.between("pinned", "device", [1, 63, 4096, 64 * KIB], ALIGNED)
    with blocked_stream(stream):
        copies.submit(api, trial, VIA_BUFFER, stream=stream)
        copies.overwrite(trial)
    copies.settle(stream)
    copies.expect_moved(trial)


@covers_each("host_to_buf", *ASYNC)
def test_host_to_buf_pageable(api, copies, stream):
    """With the buffered kind a pageable source may change at once."""
    trial = copies.between("pageable", "device", [1, 63, 4096, 64 * KIB], ALIGNED)
    copies.submit(api, trial, VIA_BUFFER, stream=stream)
    copies.overwrite(trial)
    copies.settle(stream)
    copies.expect_moved(trial)


@covers_each("host_to_buf", *ASYNC)
@deadline(10)
def test_host_to_buf_many(api, copies, stream, blocked_stream):
    """64 copies with the buffered kind are in flight from one pinned block, rewritten before each."""
    trial = copies.between("pinned", "device", [1, 63, 4096, 4097] * 16, ALIGNED)
    with blocked_stream(stream):
        copies.submit_from_one_place(api, trial, VIA_BUFFER, stream=stream)
    copies.settle(stream)
    copies.expect_moved(trial)


@covers_each("count_zero", *ASYNC)
def test_count_zero_submits_nothing(api, copies, stream):
    """A zero-byte copy succeeds and leaves a stream without work."""
    trial = copies.between(copies.queued_end, "device", [0], ALIGNED)
    copies.submit(api, trial, stream=stream)
    copies.expect_done_at_return(trial, stream)


@covers_each("count_gt_destmax", *ASYNC)
def test_count_gt_destmax(api, copies, stream):
    """A count one above destMax is refused at the call in every direction, and nothing is copied."""
    trials = copies.queued(counts=[2, 64, 4097], spare=-1)
    copies.run(api, trials, stream=stream)
    copies.expect_refused(trials)


@covers_each("count_gt_destmax", *ASYNC)
def test_count_far_above_destmax(api, copies, stream):
    """A count of 4 GiB more than destMax is refused at the call, and nothing is copied."""
    trial = copies.far_too_long()
    copies.run(api, trial, stream=stream)
    copies.expect_refused(trial)


@covers_each("dst_equals_src", *ASYNC)
def test_dst_equals_src(api, copies, stream):
    """Copying a device block onto itself succeeds and leaves the data unchanged."""
    trials = copies.onto_themselves(DEVICE, 4096)
    copies.run(api, trials, D2D, stream=stream)
    copies.expect_moved(trials)


@covers_each("stream_null", *ASYNC)
def test_stream_null(api, copies):
    """A null stream is the default stream: the data is there once that is synchronised."""
    trials = copies.queued()
    copies.run(api, trials, stream=None)
    copies.expect_moved_alone(trials)


@covers_each("stream_null", *ASYNC)
@deadline(10)
def test_stream_null_waits_its_turn(api, copies, blocked_stream):
    """A copy on the null stream runs behind the work of the default stream."""
    trial = copies.between("device", "device", [4097], ALIGNED)
    with blocked_stream(None) as hold:
        copies.submit(api, trial, stream=None)
        copies.expect_deferred(trial, hold)


@covers_each("stream_destroyed", *ASYNC)
@isolated("uses the handle of a destroyed stream")
def test_stream_destroyed(api, copies, destroyed_stream):
    """The handle of a destroyed stream is refused and nothing is copied."""
    trial = copies.between(copies.queued_end, "device", [64], ALIGNED)
    copies.submit(api, trial, stream=destroyed_stream)
    copies.expect_refused(trial)


@covers_each("stream_other_context", *ASYNC)
def test_stream_other_context(api, copies, stream, peer):
    """A stream of device 0 is refused while device 1 is current, and nothing is copied."""
    trial = copies.between("pinned", "device", [64], ALIGNED)
    with peer.current():
        copies.submit(api, trial, H2D, stream=stream)
    copies.settle(stream)
    copies.expect_refused(trial)


@covers_each("many_inflight", *ASYNC)
def test_many_inflight(api, copies, stream):
    """4096 copies of 64 bytes to 4 KiB are queued before one synchronisation, and all of them arrive."""
    trial = copies.between("device", "device", [64 * (1 + n % 8) for n in range(4095)] + [4 * KIB], ALIGNED)
    copies.run(api, trial, D2D, stream=stream)
    copies.expect_moved(trial)


@covers("memcpy_async.many_inflight")
@surfaces("c")
def test_many_inflight_with_the_host(copies, stream):
    """More copies than 1024 to the device, and as many back, are queued at once, and all of them arrive."""
    trials = copies.among(PINNED[:1], DEVICE, counts=[64] * IN_FLIGHT, skews=ALIGNED)
    trials += copies.among(DEVICE, PINNED[:1], counts=[64] * IN_FLIGHT, skews=ALIGNED)
    copies.run(PLAIN_CALL, trials, stream=stream)
    copies.expect_moved(trials)


@covers_each("rc_all_d2d", *ASYNC)
def test_rc_all_d2d(api, copies, stream):
    """In RC form every direction, named by its kind, runs as a copy inside the device and is right."""
    trials = copies.on_shared_memory()
    copies.run(api, trials, stream=stream)
    copies.expect_moved_alone(trials)


@covers_each("ccpu_all_d2d", *ASYNC)
def test_ccpu_all_d2d(api, copies, stream):
    """In open-control-CPU form every direction, named by its kind, runs inside the device and is right."""
    trials = copies.on_shared_memory()
    copies.run(api, trials, stream=stream)
    copies.expect_moved_alone(trials)


@covers_each("completion_by_event_or_device", *ASYNC, uses=["aclrtRecordEvent", "aclrtSynchronizeEvent"])
def test_completion_by_event(api, copies, stream, event, acl):
    """The data is there when an event recorded behind the copy is complete."""
    trial = copies.between("device", "pinned", LARGE_COUNTS, ALIGNED)
    copies.submit(api, trial, D2H, stream=stream)
    acl.call("aclrtRecordEvent", event=event, stream=stream)
    acl.call("aclrtSynchronizeEvent", event=event)
    copies.expect_moved(trial)


@covers_each("completion_by_event_or_device", *ASYNC, uses=["aclrtSynchronizeDevice"])
def test_completion_by_device(api, copies, stream, acl):
    """The data is there when the device is synchronised."""
    trial = copies.between("device", "pinned", LARGE_COUNTS, ALIGNED)
    copies.submit(api, trial, D2H, stream=stream)
    acl.call("aclrtSynchronizeDevice")
    copies.expect_moved(trial)


@covers_each("default_stream_independent", *ASYNC)
@deadline(10)
def test_held_default_stream_holds_no_other(api, copies, stream, blocked_stream):
    """Copies on a stream of their own are finished while the default stream is held."""
    trials = copies.queued(counts=[4097])
    with blocked_stream(None):
        copies.run(api, trials, stream=stream)
        copies.expect_moved(trials)


@covers_each("default_stream_independent", *ASYNC)
@deadline(10)
def test_held_stream_does_not_hold_the_default(api, copies, stream, blocked_stream):
    """Copies on the default stream are finished while another stream is held."""
    trials = copies.queued(counts=[4097])
    with blocked_stream(stream):
        copies.run(api, trials, stream=None)
        copies.expect_moved(trials)


@covers_each("same_and_cross_device_kind", *ASYNC)
def test_same_device_kind(api, copies, stream):
    """DEVICE_TO_DEVICE covers a copy inside one device."""
    trial = copies.between("device", "device", [65, 4096, MIB + 1], ALIGNED)
    copies.run(api, trial, D2D, stream=stream)
    copies.expect_moved_alone(trial)


@covers("memcpy_async_with_condition.deprecated")
def test_deprecated_sibling_gives_the_same(copies, stream):
    """Every direction through both calls gives the same codes and the same data."""
    plain, conditional = copies.queued(), copies.queued()
    copies.run(PLAIN_CALL, plain, stream=stream)
    copies.run("aclrtMemcpyAsyncWithCondition", conditional, stream=stream)
    copies.expect_alike(plain, conditional)


@covers("memcpy_async.fork_during_async")
@isolated("forks while a copy is in flight")
def test_fork_during_async(copies, stream, blocked_stream, fork_and_leave):
    """What a fork with a copy in flight does to it is recorded; nothing outside the target changes."""
    trial = copies.between("device", "pinned", [4097], ALIGNED)
    with blocked_stream(stream):
        copies.submit(PLAIN_CALL, trial, D2H, stream=stream)
        fork_and_leave()
    copies.expect_observed_after(trial, stream)
