"""Copies and fills while a stream is being captured into a graph."""

from __future__ import annotations

from harness.plugin import covers, covers_each, isolated
from suites.memory.copy.captures import CAPTURE
from suites.memory.copy.kinds import DEFAULT, H2D
from suites.memory.copy.layout import ALIGNED, COUNTS, KIB
from suites.memory.copy.planes import GUIDE

ASYNC = ("aclrtMemcpyAsync", "aclrtMemcpyAsyncWithCondition")
BATCHES = ("aclrtMemcpyBatchAsync", "aclrtMemcpyBatchAsyncV2")
SIDES = ("pageable", "pinned", "device")
PAGEABLE = (("pageable", "device"), ("device", "pageable"))
REPLAY = (*CAPTURE, "aclmdlRIExecuteAsync", "aclmdlRIDestroy")
EXCHANGE = (*REPLAY, "aclmdlRICaptureThreadExchangeMode")
LARGE = 256 * KIB + 1


@covers("memcpy.capture_global", uses=CAPTURE)
def test_memcpy_under_a_global_capture(copies, captures, stream):
    """The synchronous copy is refused in every direction, be it small or large, and nothing is copied."""
    trials = copies.among(SIDES, SIDES, counts=[64, LARGE])
    with captures.recording(stream):
        copies.run("aclrtMemcpy", trials, DEFAULT)
    copies.expect_refused(trials)


@covers("memcpy.capture_global", uses=CAPTURE)
def test_memcpy_in_another_thread(copies, captures, stream):
    """The synchronous copy is refused in a thread that has nothing to do with the capture."""
    trials = copies.among(("pageable",), ("device",), counts=[64])
    with captures.recording(stream):
        copies.run_together("aclrtMemcpy", [trials])
    copies.expect_refused(trials)


@covers("memcpy.capture_global", uses=CAPTURE)
def test_memcpy_works_after_the_capture(copies, captures, stream):
    """Once the capture has ended the synchronous copy works as before."""
    trials = copies.among(SIDES, SIDES, counts=[64])
    with captures.recording(stream):
        pass
    copies.run("aclrtMemcpy", trials, DEFAULT)
    copies.expect_moved(trials)


@covers("memcpy.capture_relaxed", uses=EXCHANGE)
def test_memcpy_of_a_relaxed_thread(copies, captures, stream):
    """A thread switched to relaxed mode may copy: the data moves at once, and the capture ends well."""
    trials = copies.among(SIDES, SIDES, counts=[64])
    with captures.recording(stream) as graph, captures.relaxed():
        copies.run("aclrtMemcpy", trials, DEFAULT)
        copies.expect_moved(trials)
    captures.expect_ended(graph)


@covers("memcpy.capture_relaxed", uses=EXCHANGE)
def test_memcpy_of_a_relaxed_thread_is_not_recorded(copies, captures, stream):
    """A replay does not repeat the synchronous copy that a relaxed thread has made."""
    recorded, trial = (copies.between("pinned", "device", [64], ALIGNED) for _ in range(2))
    with captures.recording(stream) as graph, captures.relaxed():
        copies.submit("aclrtMemcpyAsync", recorded, H2D, stream=stream)
        copies.run("aclrtMemcpy", trial, H2D)
    copies.overwrite(trial)
    captures.replay(graph)
    copies.expect_moved([recorded, trial])


@covers_each("capture_pinned", *ASYNC, uses=REPLAY)
def test_pinned_h2d_is_recorded(api, copies, captures, stream):
    """A copy from pinned memory runs at the replay, with the bytes the source holds then."""
    trial = copies.between("pinned", "device", (*COUNTS, LARGE), ALIGNED)
    with captures.recording(stream) as graph:
        copies.submit(api, trial, H2D, stream=stream)
    captures.expect_only_recorded(trial)
    copies.overwrite(trial)
    captures.replay(graph)
    captures.expect_replayed(trial)


@covers_each("capture_pinned", *ASYNC, uses=REPLAY)
def test_pinned_d2h_and_d2d_are_recorded(api, copies, captures, stream):
    """Copies out of the device run at the replay, with the bytes the sources hold then."""
    trials = copies.among(("device",), ("pinned", "device"), counts=(*COUNTS, LARGE), skews=ALIGNED)
    with captures.recording(stream) as graph:
        copies.submit(api, trials, stream=stream)
    captures.expect_only_recorded(trials)
    copies.overwrite(trials)
    captures.replay(graph)
    captures.expect_replayed(trials)


@covers_each("capture_pinned", *ASYNC, uses=REPLAY)
def test_second_replay(api, copies, captures, stream):
    """A second replay copies again, with the bytes the source holds by then."""
    trial = copies.between("pinned", "device", skews=ALIGNED)
    with captures.recording(stream) as graph:
        copies.submit(api, trial, H2D, stream=stream)
    captures.replay(graph)
    copies.overwrite(trial)
    captures.replay(graph)
    captures.expect_replayed(trial)


@covers_each("capture_pinned", *ASYNC, uses=REPLAY)
def test_second_replay_of_d2h_and_d2d(api, copies, captures, stream):
    """A second replay copies out of the device again, with the bytes the sources hold by then."""
    trials = copies.among(("device",), ("pinned", "device"), skews=ALIGNED)
    with captures.recording(stream) as graph:
        copies.submit(api, trials, stream=stream)
    captures.replay(graph)
    copies.overwrite(trials)
    captures.replay(graph)
    captures.expect_replayed(trials)


@covers_each("capture_pageable", *ASYNC, uses=CAPTURE)
def test_pageable_on_the_captured_stream(api, copies, captures, stream):
    """Pageable memory is refused on the captured stream in both directions, and nothing is copied."""
    trials = [copies.between(*sides, [64], ALIGNED) for sides in PAGEABLE]
    with captures.recording(stream):
        copies.submit(api, trials, stream=stream)
    copies.expect_refused(trials)


@covers_each("capture_other_stream_pageable", *ASYNC, uses=CAPTURE)
def test_pageable_on_another_stream(api, copies, captures, stream, other_stream):
    """Under a global capture pageable memory is refused on a stream that is not captured, too."""
    trials = [copies.between(*sides, [64], ALIGNED) for sides in PAGEABLE]
    with captures.recording(stream):
        copies.submit(api, trials, stream=other_stream)
    copies.expect_refused(trials)


@covers_each("capture_other_stream_pageable", *ASYNC, uses=CAPTURE)
def test_pageable_on_another_stream_in_another_thread(api, copies, captures, stream, other_stream):
    """Under a global capture pageable memory is refused in a thread that has nothing to do with it."""
    trial = copies.between("pageable", "device", [64], ALIGNED)
    with captures.recording(stream):
        copies.submit_together(api, [[trial]], stream=other_stream)
    copies.expect_refused(trial)


@covers_each("capture_default_stream", *ASYNC, uses=CAPTURE)
def test_default_stream_under_a_capture(api, copies, captures, stream):
    """What a copy on the default stream does during a capture is recorded."""
    trial = copies.between("pinned", "device", [64], ALIGNED)
    with captures.recording(stream):
        copies.submit(api, trial, H2D, stream=None)
    copies.expect_observed_after(trial, None)


@covers_each("capture_buffer_lifetime", *ASYNC, uses=REPLAY)
@isolated("replays a copy whose source was freed")
def test_replay_after_the_source_was_freed(api, copies, captures, stream):
    """What a replay does when a captured source has been freed is recorded."""
    trial = copies.between("pinned", "device", [64], ALIGNED)
    with captures.recording(stream) as graph:
        copies.submit(api, trial, H2D, stream=stream)
    trial.source.free()
    captures.expect_replay_observed(graph, trial)


@covers("memset.capture", uses=CAPTURE)
def test_memset_under_a_global_capture(fills, captures, stream):
    """The synchronous fill is refused for device and pinned memory and in any thread, and nothing is set."""
    device, pinned = fills.of("device", [0x11], [64]), fills.of("pinned", [0x11], [64])
    elsewhere = fills.of("device", [0x11], [64])
    with captures.recording(stream):
        fills.run_all("aclrtMemset", [device, pinned])
        fills.run_elsewhere("aclrtMemset", elsewhere)
    fills.expect_refused(device, pinned, elsewhere)


@covers("memcpy2d.capture", uses=CAPTURE)
def test_memcpy2d_under_a_global_capture(pitched, captures):
    """The synchronous copy of rows is refused in both directions, and nothing is copied."""
    trials = pitched.planes("pinned", "device", GUIDE) + pitched.planes("device", "pageable", GUIDE)
    with captures.recording(pitched.stream):
        pitched.run("aclrtMemcpy2d", trials)
    pitched.expect_refused(trials)


@covers("memcpy2d_async.capture_pageable", uses=CAPTURE)
def test_memcpy2d_of_pageable_memory_on_the_captured_stream(pitched, captures):
    """Rows of pageable memory are refused on the captured stream in both directions."""
    trials = pitched.planes("pageable", "device", GUIDE) + pitched.planes("device", "pageable", GUIDE)
    with captures.recording(pitched.stream):
        pitched.submit("aclrtMemcpy2dAsync", trials)
    pitched.expect_refused(trials)


@covers_each("capture_pageable", *BATCHES, uses=CAPTURE)
def test_batch_of_pageable_memory_on_the_captured_stream(api, batches, captures):
    """A batch of pageable memory on the captured stream is refused, or the capture fails."""
    trial = batches.pieces("pageable", "device", [64] * 4)
    with captures.recording(batches.stream) as graph:
        batches.launch(api, trial)
    captures.expect_refused_or_spoilt([trial], graph)
