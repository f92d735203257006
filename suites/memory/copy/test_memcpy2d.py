"""aclrtMemcpy2d and aclrtMemcpy2dAsync: copies of rows that lie a pitch apart."""

from __future__ import annotations

from harness.plugin import covers, covers_each, deadline, surfaces
from suites.memory.copy.kinds import D2D, D2H, DEFAULT, H2D
from suites.memory.copy.planes import GUIDE, HEIGHT_LIMIT, LARGE, SHAPES, WIDTH_LIMIT, Shape

SYNC = "aclrtMemcpy2d"
ASYNC = "aclrtMemcpy2dAsync"
BOTH = (SYNC, ASYNC)

GAPPED = (Shape(10, 7, 32, 32), Shape(1, 65, 2, 3), Shape(63, 5, 64, 192))
LINEAR = (Shape(4096, 16, 4096, 4096), Shape(65, 9, 65, 65))
ONE_ROW = (Shape(77, 1, 80, 80), Shape(1, 1, 4096, 1), Shape(4097, 1, 4097, 8192))
SKEWED = (GUIDE, Shape(77, 9, 80, 80), Shape(65, 5, 67, 129))
UNEVEN = (Shape(64, 5, 64, 1024), Shape(64, 5, 1024, 64), Shape(7, 33, 9, 8), Shape(7, 33, 8, 9))
NO_WIDTH = Shape(0, 3, 64, 64)
NO_HEIGHT = Shape(64, 0, 64, 64)
TALLEST = Shape(1, HEIGHT_LIMIT, 1, 1)
TOO_TALL = Shape(1, HEIGHT_LIMIT + 1, 1, 1)
WIDEST = Shape(WIDTH_LIMIT, 1, WIDTH_LIMIT, WIDTH_LIMIT)
TOO_WIDE = Shape(WIDTH_LIMIT + 1, 1, WIDTH_LIMIT + 1, WIDTH_LIMIT + 1)


@covers_each("h2d", *BOTH)
def test_h2d(api, pitched):
    """Host to device takes row r from src + r*spitch to dst + r*dpitch, for every kind of shape."""
    trials = pitched.planes("pinned", "device", *SHAPES)
    pitched.run(api, trials, H2D)
    pitched.expect_moved_alone(trials)


@covers_each("d2h", *BOTH)
def test_d2h(api, pitched):
    """Device to host takes row r from src + r*spitch to dst + r*dpitch, for every kind of shape."""
    trials = pitched.planes("device", "pinned", *SHAPES)
    pitched.run(api, trials, D2H)
    pitched.expect_moved_alone(trials)


@covers_each("h2d", *BOTH)
def test_h2d_at_odd_addresses(api, pitched):
    """Rows from and to addresses without alignment arrive to the byte on the device."""
    trials = pitched.skewed_planes("pinned", "device", *SKEWED)
    pitched.run(api, trials, H2D)
    pitched.expect_moved_alone(trials)


@covers_each("d2h", *BOTH)
def test_d2h_at_odd_addresses(api, pitched):
    """Rows from and to addresses without alignment arrive to the byte on the host."""
    trials = pitched.skewed_planes("device", "pinned", *SKEWED)
    pitched.run(api, trials, D2H)
    pitched.expect_moved_alone(trials)


@covers_each("h2d", *BOTH)
@surfaces("c")
def test_h2d_large(api, pitched):
    """Rows that lie more than a megabyte apart go to the device, all of them."""
    trials = pitched.tight_planes("pinned", "device", LARGE)
    pitched.run(api, trials, H2D)
    pitched.expect_moved(trials)


@covers_each("d2h", *BOTH)
@surfaces("c")
def test_d2h_large(api, pitched):
    """Rows that lie more than a megabyte apart come from the device, all of them."""
    trials = pitched.tight_planes("device", "pinned", LARGE)
    pitched.run(api, trials, D2H)
    pitched.expect_moved(trials)


@covers_each("gap_untouched", *BOTH)
def test_gap_untouched(api, pitched):
    """The bytes between width and dpitch stay as they were, in both directions."""
    trials = pitched.planes("pinned", "device", *GAPPED) + pitched.planes("device", "pinned", *GAPPED)
    pitched.run(api, trials)
    pitched.expect_moved(trials)


@covers_each("after_last_row", *BOTH)
def test_after_last_row(api, pitched):
    """Nothing behind the last copied byte is written, in both directions."""
    trials = pitched.planes("pinned", "device", GUIDE, *GAPPED) + pitched.planes("device", "pinned", GUIDE)
    pitched.run(api, trials)
    pitched.expect_moved(trials)


@covers_each("after_last_row", *BOTH)
def test_no_room_after_the_last_row(api, pitched):
    """Blocks that end with the last byte of the last row are large enough, in both directions."""
    tight = (GUIDE, Shape(64, 65, 1024, 2048))
    trials = pitched.tight_planes("pinned", "device", *tight)
    trials += pitched.tight_planes("device", "pinned", *tight)
    pitched.run(api, trials)
    pitched.expect_moved(trials)


@covers_each("width_equals_pitch", *BOTH)
def test_width_equals_pitch(api, pitched):
    """A width equal to both pitches is one linear copy, in both directions."""
    trials = pitched.planes("pinned", "device", *LINEAR) + pitched.planes("device", "pinned", *LINEAR)
    pitched.run(api, trials)
    pitched.expect_moved(trials)


@covers_each("height_one", *BOTH)
def test_height_one(api, pitched):
    """One row copies exactly width bytes, whatever the pitches, in both directions."""
    trials = pitched.planes("pinned", "device", *ONE_ROW) + pitched.planes("device", "pinned", *ONE_ROW)
    pitched.run(api, trials)
    pitched.expect_moved(trials)


@covers_each("different_pitches", *BOTH)
def test_different_pitches(api, pitched):
    """Source and target pitch are independent: either may be the larger one, in both directions."""
    trials = pitched.planes("pinned", "device", *UNEVEN) + pitched.planes("device", "pinned", *UNEVEN)
    pitched.run(api, trials)
    pitched.expect_moved(trials)


@covers("memcpy2d.pageable")
def test_pageable(pitched):
    """Pageable memory is accepted on the host side, in both directions."""
    trials = pitched.planes("pageable", "device", *SHAPES) + pitched.planes("device", "pageable", *SHAPES)
    pitched.run(SYNC, trials)
    pitched.expect_moved_alone(trials)


@covers("memcpy2d_async.pageable")
def test_async_pageable_is_done_at_return(pitched):
    """With pageable memory the copy is done, and the stream complete, when the call returns."""
    trials = pitched.planes("pageable", "device", *SHAPES) + pitched.planes("device", "pageable", *SHAPES)
    pitched.submit(ASYNC, trials)
    pitched.expect_done_at_return(trials, pitched.stream)


@covers("memcpy2d_async.pageable")
def test_async_pageable_source_may_change_at_return(pitched):
    """Bytes put into a pageable source after the call do not reach the device."""
    trials = pitched.planes("pageable", "device", *SHAPES)
    pitched.submit(ASYNC, trials, H2D)
    pitched.overwrite(trials)
    pitched.settle(pitched.stream)
    pitched.expect_moved(trials)


@covers("memcpy2d_async.pageable")
@surfaces("c")
@deadline(10)
def test_async_pageable_waits_for_its_stream(pitched, blocked_stream):
    """A pageable copy runs behind the earlier work of its stream, which is finished too when it returns."""
    earlier, trial = pitched.rewriting_plane("pinned", "pageable", GUIDE)
    with blocked_stream(pitched.stream) as hold, pitched.released_soon(hold):
        pitched.submit(ASYNC, [earlier, trial], H2D)
        pitched.expect_done_at_return(trial, pitched.stream)


@covers("memcpy2d_async.height_limit")
def test_height_limit(pitched):
    """One row more than 5242880 is refused by the asynchronous call, and nothing is copied."""
    trials = pitched.planes("pinned", "device", TOO_TALL)
    pitched.run(ASYNC, trials, H2D)
    pitched.expect_refused(trials)


@covers("memcpy2d.height_limit")
def test_height_limit_of_the_synchronous_call(pitched):
    """One row more than 5242880 is refused by the synchronous call, and nothing is copied."""
    trials = pitched.planes("pinned", "device", TOO_TALL)
    pitched.run(SYNC, trials, H2D)
    pitched.expect_refused(trials)


@covers_each("height_limit", *BOTH)
def test_height_at_the_limit(api, pitched):
    """Exactly 5242880 rows are accepted and copied."""
    trials = pitched.planes("pinned", "device", TALLEST)
    pitched.run(api, trials, H2D)
    pitched.expect_moved(trials)


@covers_each("height_limit", *BOTH)
def test_height_limit_with_gaps(api, pitched):
    """One row more than 5242880 is refused from the device, too, and with gaps between the rows."""
    trials = pitched.planes("device", "pinned", Shape(1, HEIGHT_LIMIT + 1, 1, 2))
    pitched.run(api, trials, D2H)
    pitched.expect_refused(trials)


@covers_each("width_limit", *BOTH)
def test_width_limit(api, pitched):
    """A row of one byte more than 5000000 is refused in both directions, and nothing is copied."""
    trials = pitched.tight_planes("pinned", "device", TOO_WIDE)
    trials += pitched.tight_planes("device", "pinned", TOO_WIDE)
    pitched.run(api, trials)
    pitched.expect_refused(trials)


@covers_each("width_limit", *BOTH)
def test_width_at_the_limit(api, pitched):
    """A row of exactly 5000000 bytes is accepted and copied."""
    trials = pitched.planes("pinned", "device", WIDEST)
    pitched.run(api, trials, H2D)
    pitched.expect_moved(trials)


@covers_each("width_gt_spitch", *BOTH)
def test_width_gt_spitch(api, pitched):
    """Rows wider than the source pitch are refused in every direction, though both sides have room."""
    trials = pitched.planes_each_way(Shape(65, 3, 64, 128))
    pitched.run(api, trials)
    pitched.expect_refused(trials)


@covers_each("width_gt_dpitch", *BOTH)
def test_width_gt_dpitch(api, pitched):
    """Rows wider than the target pitch are refused in every direction, though both sides have room."""
    trials = pitched.planes_each_way(Shape(65, 3, 128, 64))
    pitched.run(api, trials)
    pitched.expect_refused(trials)


@covers_each("width_zero", *BOTH)
def test_width_zero(api, pitched):
    """Rows of 0 bytes succeed and touch nothing, in both directions."""
    trials = pitched.planes("pinned", "device", NO_WIDTH) + pitched.planes("device", "pinned", NO_WIDTH)
    pitched.run(api, trials)
    pitched.expect_moved(trials)


@covers_each("height_zero", *BOTH)
def test_height_zero(api, pitched):
    """No rows succeed and touch nothing, in both directions."""
    trials = pitched.planes("pinned", "device", NO_HEIGHT) + pitched.planes("device", "pinned", NO_HEIGHT)
    pitched.run(api, trials)
    pitched.expect_moved(trials)


@covers_each("kind_default", *BOTH)
def test_kind_default(api, pitched):
    """ACL_MEMCPY_DEFAULT is refused, or finds the direction and copies right; which one is recorded."""
    trials = pitched.planes("pinned", "device", GUIDE)
    pitched.run(api, trials, DEFAULT)
    pitched.expect_moved_or_refused(trials)


@covers_each("kind_corrected", *BOTH)
def test_kind_corrected_h2d(api, pitched):
    """Pinned memory to device follows the addresses when the kind names the other direction."""
    trials = pitched.planes("pinned", "device", GUIDE, *UNEVEN)
    pitched.run(api, trials, D2H)
    pitched.expect_moved_alone(trials)


@covers_each("kind_corrected", *BOTH)
def test_kind_corrected_d2h(api, pitched):
    """Device to pinned memory follows the addresses when the kind names the other direction."""
    trials = pitched.planes("device", "pinned", GUIDE, *UNEVEN)
    pitched.run(api, trials, H2D)
    pitched.expect_moved_alone(trials)


@covers_each("rc_unsupported", *BOTH)
def test_rc_unsupported(api, pitched):
    """In Root Complex form a valid call is refused, and nothing is copied."""
    trials = pitched.planes("pinned", "device", GUIDE)
    pitched.submit(api, trials, H2D)
    pitched.expect_refused(trials)


@covers_each("ccpu_unsupported", *BOTH)
def test_ccpu_unsupported(api, pitched):
    """In open-control-CPU form a valid call is not supported; what it does is recorded."""
    trials = pitched.planes("pinned", "device", GUIDE)
    pitched.run(api, trials, H2D)
    pitched.expect_unsupported(trials)


@covers("memcpy2d.sync_at_return")
def test_sync_at_return(pitched):
    """What the synchronous call has copied is there for another thread as soon as it has returned."""
    trials = pitched.planes("pinned", "device", Shape(4097, 257, 8192, 4099))
    pitched.run(SYNC, trials, H2D)
    pitched.expect_moved_for_another_thread(trials)


@covers("memcpy2d_async.kind_d2d")
def test_async_kind_d2d(pitched):
    """Device to device on one device takes row r from src + r*spitch to dst + r*dpitch."""
    trials = pitched.planes("device", "device", *SHAPES, Shape(100, 40, 128, 256))
    trials += pitched.skewed_planes("device", "device", *SKEWED)
    pitched.run(ASYNC, trials, D2D)
    pitched.expect_moved_alone(trials)


@covers("memcpy2d_async.kind_d2d")
@surfaces("c")
def test_async_d2d_large(pitched):
    """Rows that lie more than a megabyte apart are copied inside the device, all of them."""
    trials = pitched.tight_planes("device", "device", LARGE)
    pitched.run(ASYNC, trials, D2D)
    pitched.expect_moved(trials)


@covers("memcpy2d_async.kind_d2d")
@deadline(10)
def test_async_d2d_is_only_submitted(pitched, blocked_stream):
    """Between device blocks nothing is copied while the stream is held, all of it when released."""
    trials = pitched.planes("device", "device", GUIDE)
    with blocked_stream(pitched.stream) as hold:
        pitched.submit(ASYNC, trials, D2D)
        pitched.expect_deferred(trials, hold)


@covers("memcpy2d_async.founding_python")
@surfaces("pyacl")
def test_founding_python(acl, pitched):
    """acl.rt.memcpy2d_async takes its arguments in the order of C and gives one integer, 0 for success."""
    [trial] = pitched.planes("pinned", "device", GUIDE)
    answer = acl.module.rt.memcpy2d_async(*pitched.positions(trial, H2D))
    pitched.settle(pitched.stream)
    pitched.expect_plain_zero(answer, trial)


@covers("memcpy2d_async.founding_python")
@surfaces("pyacl")
def test_founding_python_height_limit(acl, pitched, expect):
    """acl.rt.memcpy2d_async gives one integer, and not 0, for 5242881 rows."""
    [trial] = pitched.planes("pinned", "device", TOO_TALL)
    answer = acl.module.rt.memcpy2d_async(*pitched.positions(trial, H2D))
    expect.true("one integer that is not 0", type(answer) is int and answer != 0)


@covers("memcpy2d_async.completion")
@deadline(10)
def test_async_completion(pitched, blocked_stream):
    """Success means submitted: nothing is copied while the stream is held, all of it when released."""
    trials = pitched.planes("device", "pinned", GUIDE) + pitched.planes("pinned", "device", GUIDE)
    with blocked_stream(pitched.stream) as hold:
        pitched.submit(ASYNC, trials)
        pitched.expect_deferred(trials, hold)


@covers("memcpy2d_async.sync_required")
def test_async_sync_required(pitched):
    """What is read before the synchronisation is recorded; after it the data is right."""
    [trial] = pitched.planes("device", "pinned", GUIDE)
    pitched.submit(ASYNC, trial, D2H)
    pitched.expect_right_in_the_end(trial)


@covers("memcpy2d_async.stream_null")
def test_async_stream_null(pitched):
    """A null stream is the default stream: rows of both directions are there once that is synchronised."""
    trials = pitched.planes("pinned", "device", GUIDE) + pitched.planes("device", "pinned", GUIDE)
    pitched.submit(ASYNC, trials, stream=None)
    pitched.settle(None)
    pitched.expect_moved(trials)


@covers("memcpy2d_async.stream_other_context")
def test_async_stream_other_context(pitched, peer):
    """A stream of device 0 is refused while device 1 is current, and nothing is copied."""
    trials = pitched.planes("pinned", "device", GUIDE)
    with peer.current():
        pitched.submit(ASYNC, trials, H2D)
    pitched.settle(pitched.stream)
    pitched.expect_refused(trials)


@covers("memcpy2d_async.stream_order", uses=["aclrtMemcpyAsync"])
def test_async_stream_order(pitched):
    """Rows copied to the device and read back by linear copies of the same stream keep their order."""
    rounds = pitched.there_and_back(Shape(100, 9, 128, 160), rounds=16)
    pitched.submit_rounds(ASYNC, rounds)
    pitched.settle(pitched.stream)
    pitched.expect_rounds_kept(rounds)
