"""aclrtMemcpyBatch, aclrtMemcpyBatchV2 and their asynchronous siblings: many copies in one call."""

from __future__ import annotations

from dataclasses import replace

from harness.plugin import covers, covers_each, deadline, surfaces
from suites.memory.copy.batches import HOST, PIECE_LIMIT, SIZE_MAX, entry, on_device
from suites.memory.copy.batching import COUNTS
from suites.memory.copy.layout import LARGE_COUNTS, MIB, ODD

SYNC = ("aclrtMemcpyBatch", "aclrtMemcpyBatchV2")
ASYNC = ("aclrtMemcpyBatchAsync", "aclrtMemcpyBatchAsyncV2")
ALL = (*SYNC, *ASYNC)
AMONG_OTHERS = (65, MIB + 1, 33)
REPORTING = ("aclrtMemcpyBatch", "aclrtMemcpyBatchAsync")


@covers_each("h2d", *ALL)
def test_h2d(api, batches):
    """Sixteen pieces of 1 byte to 128 KiB go from pinned memory to the device, and no piece is named."""
    trial = batches.pieces("pinned", "device")
    batches.copy(api, trial)
    batches.expect_copied(trial)


@covers_each("d2h", *ALL)
def test_d2h(api, batches):
    """Sixteen pieces of 1 byte to 128 KiB go from the device to pinned memory, and no piece is named."""
    trial = batches.pieces("device", "pinned")
    batches.copy(api, trial)
    batches.expect_copied(trial)


@covers_each("h2d", *ALL)
def test_h2d_at_odd_addresses(api, batches):
    """Pieces to the device from and to addresses without alignment arrive to the byte."""
    trial = batches.pieces("pinned", "device", skews=ODD)
    batches.copy(api, trial)
    batches.expect_copied(trial)


@covers_each("d2h", *ALL)
def test_d2h_at_odd_addresses(api, batches):
    """Pieces from the device from and to addresses without alignment arrive to the byte."""
    trial = batches.pieces("device", "pinned", skews=ODD)
    batches.copy(api, trial)
    batches.expect_copied(trial)


@covers_each("h2d", *ALL)
def test_h2d_large_pieces(api, batches):
    """A piece above the page sizes goes to the device whole, alone and among others."""
    trials = [batches.pieces("pinned", "device", counts) for counts in (LARGE_COUNTS[-1:], AMONG_OTHERS)]
    batches.copy_each(api, trials)
    batches.expect_copied(trials)


@covers_each("d2h", *ALL)
def test_d2h_large_pieces(api, batches):
    """A piece above the page sizes comes from the device whole, alone and among others."""
    trials = [batches.pieces("device", "pinned", counts) for counts in (LARGE_COUNTS[-1:], AMONG_OTHERS)]
    batches.copy_each(api, trials)
    batches.expect_copied(trials)


@covers_each("h2d", *ALL)
def test_h2d_from_one_source(api, batches):
    """Pieces that take the same bytes to the device all arrive, each at its own place."""
    trial = batches.from_one_source("pinned", "device", 4097, targets=3)
    batches.copy(api, trial)
    batches.expect_copied(trial)


@covers_each("d2h", *ALL)
def test_d2h_from_one_source(api, batches):
    """Pieces that take the same bytes from the device all arrive, each at its own place."""
    trial = batches.from_one_source("device", "pinned", 4097, targets=3)
    batches.copy(api, trial)
    batches.expect_copied(trial)


@covers_each("h2d", *ALL)
def test_h2d_registered(api, batches):
    """Registered host memory is as good a source as pinned memory."""
    trial = batches.pieces("registered", "device")
    batches.copy(api, trial)
    batches.expect_copied(trial)


@covers_each("h2d", *ALL)
def test_h2d_to_the_second_device(api, batches, peer):
    """Pieces go to a second device while that is current."""
    trial = batches.to_peer_from("pinned", peer)
    with peer.stream() as stream:
        batches.copy_on(api, trial, stream, batches.batch(trial, {0: entry(HOST, on_device(peer.device))}))
    batches.expect_copied(trial)


@covers_each("h2d", *ALL)
def test_h2d_of_many_pieces(api, batches):
    """4096 pieces of one byte all go to the device."""
    trial = batches.pieces("pinned", "device", [1] * PIECE_LIMIT)
    batches.copy(api, trial)
    batches.expect_copied(trial)


@covers_each("h2d", *ASYNC)
def test_h2d_of_more_pieces_than_a_synchronous_batch_takes(api, batches):
    """4097 pieces all go to the device, or the call is refused and names none; which one is recorded."""
    trial = batches.pieces("pinned", "device", [1] * (PIECE_LIMIT + 1))
    batches.copy(api, trial)
    batches.expect_moved_or_refused(trial)
    batches.expect_blamed(trial, SIZE_MAX)


@covers_each("h2d", *ALL)
def test_room_beyond_the_pieces(api, batches):
    """With destMaxs 63 above sizes, the bytes behind every piece stay as they were."""
    trial = batches.pieces("pinned", "device")
    batches.copy(api, trial, batches.roomy(trial, 63))
    batches.expect_copied(trial)


@covers_each("h2d", *ASYNC)
@deadline(10)
def test_h2d_while_the_default_stream_is_held(api, batches, blocked_stream):
    """Pieces on a stream of their own arrive while the default stream is held."""
    trial = batches.pieces("pinned", "device")
    with blocked_stream(None):
        batches.copy(api, trial)
        batches.expect_copied(trial)


@covers_each("all_sizes_zero", *ALL)
def test_all_sizes_zero(api, batches):
    """A batch of pieces without bytes succeeds and touches nothing."""
    trial = batches.pieces("pinned", "device", [0] * 4)
    batches.copy(api, trial)
    batches.expect_copied(trial)


@covers_each("unordered", *ALL)
def test_unordered(api, batches):
    """Two pieces with one target leave the bytes of their sources there; which ones is recorded."""
    trial = batches.rivals(4096)
    batches.copy(api, trial)
    batches.expect_one_rival(trial)


@covers_each("pageable", *SYNC)
def test_pageable(api, batches):
    """Host memory may be pageable, at any address, to the device."""
    trial = batches.pieces("pageable", "device", skews=ODD)
    batches.copy(api, trial)
    batches.expect_copied(trial)


@covers_each("pageable", *SYNC)
def test_pageable_target(api, batches):
    """Host memory may be pageable, at any address, from the device."""
    trial = batches.pieces("device", "pageable", skews=ODD)
    batches.copy(api, trial)
    batches.expect_copied(trial)


@covers_each("pageable", *ALL)
def test_pageable_beside_pinned(api, batches):
    """One batch may take pieces from pinned and from pageable memory."""
    trials = [batches.pieces(host, "device", [64, 4097]) for host in ("pinned", "pageable")]
    batches.copy_interleaved(api, trials)
    batches.expect_copied(trials)


@covers_each("pageable", *ALL)
def test_pageable_beside_pinned_targets(api, batches):
    """One batch may bring pieces to pinned and to pageable memory."""
    trials = [batches.pieces("device", host, [64, 4097]) for host in ("pageable", "pinned")]
    batches.copy_interleaved(api, trials)
    batches.expect_copied(trials)


@covers_each("pageable", *ASYNC)
def test_pageable_is_done_at_return(api, batches):
    """From pageable memory all pieces are on the device, and the stream complete, at return."""
    trial = batches.pieces("pageable", "device", [*COUNTS, *LARGE_COUNTS])
    batches.launch(api, trial)
    batches.expect_done_at_return(trial, batches.stream)


@covers_each("pageable", *ASYNC)
def test_pageable_target_is_done_at_return(api, batches):
    """Into pageable memory all pieces have arrived, and the stream is complete, at return."""
    trial = batches.pieces("device", "pageable", [*COUNTS, *LARGE_COUNTS])
    batches.launch(api, trial)
    batches.expect_done_at_return(trial, batches.stream)


@covers_each("pageable", *ASYNC)
def test_pageable_source_may_change_at_return(api, batches):
    """Bytes put into pageable sources after the call do not reach the device."""
    trial = batches.pieces("pageable", "device")
    batches.launch(api, trial)
    batches.overwrite(trial)
    batches.settle(batches.stream)
    batches.expect_moved(trial)


@covers_each("pinned_async", *ASYNC)
@deadline(10)
def test_pinned_h2d_is_only_submitted(api, batches, blocked_stream):
    """From pinned memory nothing is copied while the stream is held, all of it when it is released."""
    trial = batches.pieces("pinned", "device")
    with blocked_stream(batches.stream) as hold:
        batches.launch(api, trial)
        batches.expect_deferred(trial, hold)


@covers_each("pinned_async", *ASYNC)
@deadline(10)
def test_pinned_d2h_is_only_submitted(api, batches, blocked_stream):
    """Into pinned memory nothing is copied while the stream is held, all of it when it is released."""
    trial = batches.pieces("device", "pinned")
    with blocked_stream(batches.stream) as hold:
        batches.launch(api, trial)
        batches.expect_deferred(trial, hold)


@covers_each("stream_null", *ASYNC)
def test_stream_null(api, batches):
    """A null stream is the default stream: pieces of each direction are there once that is synchronised."""
    trials = batches.each_way(COUNTS, hosts=["pinned"])
    batches.copy_each(api, trials, stream=None)
    batches.expect_copied(trials)


@covers_each("mixed_direction", *SYNC)
def test_mixed_direction(api, batches):
    """A batch with pieces in both directions, each with a true entry, is refused."""
    there, back = batches.pieces("pinned", "device", [64]), batches.pieces("device", "pinned", [64])
    batches.launch(api, there, batches.both(there, back))
    batches.expect_a_direction_refused(there, back)


@covers_each("mixed_direction", *ASYNC)
def test_async_mixed_direction(api, batches):
    """A batch with pieces in both directions is refused, or both are right; which one is recorded."""
    there, back = batches.pieces("pinned", "device", [64]), batches.pieces("device", "pinned", [64])
    batches.copy(api, there, batches.both(there, back))
    batches.expect_both_moved_or_refused(there, back)


@covers_each("count_limit", *SYNC)
def test_count_limit(api, batches):
    """4097 pieces are refused, and none is copied."""
    trial = batches.pieces("pinned", "device", [8] * (PIECE_LIMIT + 1))
    batches.launch(api, trial)
    batches.expect_refused(trial)


@covers_each("count_limit", *SYNC)
def test_count_at_the_limit(api, batches):
    """4096 pieces are accepted, and all of them are copied."""
    trial = batches.pieces("pinned", "device", [8] * PIECE_LIMIT)
    batches.launch(api, trial)
    batches.expect_copied(trial)


@covers_each("attr_ranges", *ALL)
def test_attr_ranges(api, batches):
    """Two equal entries, for pieces 0 to 5 and 6 to 9, govern ten pieces."""
    trial = batches.pieces("pinned", "device", [4097] * 10)
    true = batches.entry_of(trial)
    batches.copy(api, trial, batches.batch(trial, {0: true, 6: true}))
    batches.expect_copied(trial)


@covers_each("attr_ranges", *ALL)
def test_an_entry_for_every_piece(api, batches):
    """300 entries govern 300 pieces, one each; where that of piece 297 is wrong, piece 297 is named."""
    right, wrong = (batches.pieces("pinned", "device", [64] * 300) for _ in range(2))
    entries = dict.fromkeys(range(300), batches.entry_of(right))
    batches.copy(api, right, batches.batch(right, entries))
    batches.copy(api, wrong, batches.batch(wrong, {**entries, 297: batches.wrong_entry(wrong)}))
    batches.expect_copied(right)
    batches.expect_piece_refused(wrong, 297)


@covers_each("attr_ranges", *ALL)
def test_attr_range_of_the_last_entry(api, batches):
    """The last entry governs all pieces from its index on: where it is wrong, the first one is refused."""
    trial = batches.pieces("pinned", "device", [64] * 10)
    entries = {0: batches.entry_of(trial), 6: batches.wrong_entry(trial)}
    batches.copy(api, trial, batches.batch(trial, entries))
    batches.expect_piece_refused(trial, 6)


@covers_each("attr_ranges", *ALL)
def test_attr_range_of_the_first_entry(api, batches):
    """The first entry governs the pieces up to the next index: where it is wrong, piece 0 is refused."""
    trial = batches.pieces("pinned", "device", [64] * 10)
    entries = {0: batches.wrong_entry(trial), 6: batches.entry_of(trial)}
    batches.copy(api, trial, batches.batch(trial, entries))
    batches.expect_piece_refused(trial, 0)


@covers_each("h2d", *ALL)
@covers_each("array_lengths", *ALL)
def test_entries_behind_the_last_piece(api, batches):
    """Entries of the arrays past numBatches are not copied, and null ones among them do not matter."""
    trial = batches.pieces("pinned", "device", [65] * 8)
    batch = batches.batch(trial)
    shorter = replace(batch, pieces=batch.pieces[:6], unused=[*batch.pieces[6:], batches.nothing])
    batches.copy(api, trial, shorter)
    batches.expect_copied(batches.cut(trial, 6))


@covers_each("location_mismatch", *ALL)
def test_location_mismatch(api, batches):
    """An entry that calls the target of piece 5 the other side is refused, and piece 5 is named."""
    trials = batches.each_way([64] * 8)
    batches.copy_described(api, trials, 5, batches.wrong_entry)
    batches.expect_piece_refused(trials, 5)


@covers_each("location_mismatch", *ALL)
def test_source_location_mismatch(api, batches):
    """An entry that calls the source of piece 3 the other side is refused, and piece 3 is named."""
    trials = batches.each_way([64] * 8)
    batches.copy_described(api, trials, 3, batches.wrong_source)
    batches.expect_piece_refused(trials, 3)


@covers_each("location_mismatch", *ALL)
def test_location_mismatch_of_the_only_entry(api, batches):
    """Where the one entry of all pieces calls their source the other side, piece 0 is named."""
    trials = batches.each_way([64])
    batches.copy_described(api, trials, 0, batches.wrong_source)
    batches.expect_piece_refused(trials, 0)


@covers_each("device_id_mismatch", *ALL)
def test_device_id_mismatch(api, batches):
    """An entry with device 1 for a piece on device 0 is refused, and that piece is named."""
    trials = batches.each_way([64] * 8)
    batches.copy_described(api, trials, 2, batches.wrong_device)
    batches.expect_piece_refused(trials, 2)


@covers_each("destmax_lt_size", *ALL)
def test_destmax_of_the_outer_pieces(api, batches):
    """A destMaxs entry below its size is refused before any copy, first and last piece being no exception."""
    first, last = batches.each_way([64] * 4), batches.each_way([64] * 4)
    batches.copy_each(api, first, destMaxs=[63, 64, 64, 64])
    batches.copy_each(api, last, destMaxs=[64, 64, 64, 63])
    batches.expect_refused([*first, *last])


@covers_each("failindex_success", *REPORTING)
def test_failindex_success(api, batches):
    """A batch that succeeds sets failIndex, preset to 7, to SIZE_MAX."""
    trial = batches.pieces("pinned", "device", [64] * 2)
    batches.copy(api, trial)
    batches.expect_copied(trial)


@covers_each("partial_submit", *ASYNC)
def test_partial_submit(api, batches):
    """A wrong entry of piece 1 fails the call; piece 0 may arrive, piece 1 does not."""
    trial = batches.pieces("pinned", "device", [64] * 2)
    entries = {0: batches.entry_of(trial), 1: batches.wrong_entry(trial)}
    batches.copy(api, trial, batches.batch(trial, entries))
    batches.expect_piece_refused(trial, 1)


@covers_each("one_device", *SYNC)
def test_one_device(api, batches, peer):
    """What a batch with targets on two devices does is recorded."""
    trial = batches.pieces("pinned", "device", [64] * 2)
    batches.launch(api, trial, batches.on_two_devices(trial, peer))
    batches.expect_only_target_changed(trial)


@covers_each("imported_memory", *SYNC)
def test_imported_memory(api, batches, imported):
    """What a batch into memory imported from another process does is recorded."""
    trial = batches.pieces("pinned", "device", [64])
    batches.launch(api, trial, dsts=[imported])
    batches.expect_only_target_changed(trial)


@covers("memcpy_batch_v2.same_as_v1", uses=["aclrtMemcpyBatch"])
@surfaces("c")
def test_v2_same_as_v1(batches):
    """Valid and invalid batches end with the same class of code and the same data in both versions."""
    first, second = batches.repertoire(), batches.repertoire()
    batches.run_repertoire("aclrtMemcpyBatch", first)
    batches.run_repertoire("aclrtMemcpyBatchV2", second)
    batches.expect_same_classes(first, second)


@covers("memcpy_batch_async_v2.same_as_v1", uses=["aclrtMemcpyBatchAsync"])
@surfaces("c")
def test_async_v2_same_as_v1(batches):
    """Valid and invalid batches end with the same class of code and the same data in both versions."""
    first, second = batches.repertoire(), batches.repertoire()
    batches.run_repertoire("aclrtMemcpyBatchAsync", first)
    batches.run_repertoire("aclrtMemcpyBatchAsyncV2", second)
    batches.expect_same_classes(first, second)
