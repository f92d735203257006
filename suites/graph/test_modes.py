"""Capture modes of threads: which calls the mode of a thread allows while a stream is being captured."""

from __future__ import annotations

from harness.binding import InOut
from harness.plugin import covers, surfaces
from suites.graph.captures import GLOBAL, RELAXED, THREAD_LOCAL
from suites.threads import alone, elsewhere

_GLOBAL, _THREAD_LOCAL, _RELAXED = 0, 1, 2


@covers("ri_capture_thread_exchange_mode.returns_previous")
def test_back_again(acl, expect, graphs):
    """The mode of before comes back, whichever it was."""
    before = graphs.exchanges(acl, [RELAXED, THREAD_LOCAL, RELAXED])
    result = acl.aclmdlRICaptureThreadExchangeMode(mode=InOut(_GLOBAL))
    told = [*before[1:], expect.success(result).mode]
    expect.true("the modes of before", told, [_RELAXED, _THREAD_LOCAL, _RELAXED])


@covers("ri_capture_thread_exchange_mode.default_global")
def test_first_mode(acl, expect, graphs):
    """A new thread is in the global mode, though another one is relaxed."""
    with graphs.relaxed(acl):
        result = elsewhere(acl, lambda: acl.aclmdlRICaptureThreadExchangeMode(mode=InOut(_RELAXED)))
    expect.true("the mode of before", expect.success(result).mode, _GLOBAL)


@covers("ri_capture_thread_exchange_mode.per_thread")
def test_own_mode(acl, expect, graphs):
    """The mode of one thread is not that of another, either way."""
    with graphs.relaxed(acl):
        mode = elsewhere(acl, lambda: graphs.mode(acl))
    elsewhere(acl, lambda: graphs.exchange(acl, RELAXED))
    expect.true("the modes of the other thread and of this one", (mode, graphs.mode(acl)), (_GLOBAL, _GLOBAL))


@covers("ri_capture_thread_exchange_mode.needs_context")
def test_no_context(acl, expect):
    """A thread without a context has no mode to exchange."""
    expect.refused(alone(lambda: acl.aclmdlRICaptureThreadExchangeMode(mode=InOut(_RELAXED))))


@covers("ri_capture_thread_exchange_mode.relaxed_unlocks_sync_copy", uses=("aclrtMemcpy",))
def test_copy_in_relaxed_thread(acl, expect, graphs):
    """In a thread that has become relaxed a copy runs at once, and is not captured."""
    copy, again = graphs.blocks(), graphs.blocks()
    stream = graphs.begin(mode=GLOBAL)
    graphs.copy(stream, again.source, again.target)
    expect.success(graphs.copy_now_in_mode(acl, copy, RELAXED))
    instance = graphs.end(stream)
    expect.data(copy.target, copy.source.read())
    copy.target.fill(0)
    graphs.run(instance)
    expect.data(copy.target, 0)


@covers("ri_capture_thread_exchange_mode.other_thread_under_global", uses=("aclrtMemcpy",))
def test_laxer_thread_under_global(acl, expect, graphs):
    """Under a global capture another thread that has become laxer copies at once."""
    copy = graphs.blocks()
    graphs.begin(mode=GLOBAL)
    expect.success(elsewhere(acl, lambda: graphs.copy_now_in_mode(acl, copy, THREAD_LOCAL)))


@covers("ri_capture_thread_exchange_mode.other_thread_under_thread_local", uses=("aclrtMemcpy",))
def test_other_thread_under_thread_local(acl, expect, graphs):
    """Under a capture of its thread alone another thread copies at once."""
    copy = graphs.blocks()
    graphs.begin(mode=THREAD_LOCAL)
    expect.success(elsewhere(acl, lambda: graphs.copy_now(acl, copy)))


@covers("ri_capture_thread_exchange_mode.relaxed_capture_ignores_others", uses=("aclrtMemcpy",))
def test_other_thread_under_relaxed(acl, expect, graphs):
    """Under a relaxed capture another thread copies at once."""
    copy = graphs.blocks()
    graphs.begin(mode=RELAXED)
    expect.success(elsewhere(acl, lambda: graphs.copy_now(acl, copy)))


@covers("ri_capture_thread_exchange_mode.relaxed_capture_ignores_others", uses=("aclrtMemcpy",))
def test_own_thread_under_relaxed(acl, expect, graphs):
    """Under a relaxed capture the thread that has begun it copies at once as well."""
    copy = graphs.blocks()
    graphs.begin(mode=RELAXED)
    expect.success(graphs.copy_now(acl, copy))


@covers("ri_capture_begin.during_sync_memcpy_global", uses=("aclrtMemcpy",))
def test_copy_under_global(acl, expect, graphs):
    """Under a global capture its thread cannot copy at once."""
    copy = graphs.blocks()
    graphs.begin(mode=GLOBAL)
    expect.refused(graphs.copy_now(acl, copy))


@covers("ri_capture_begin.during_sync_memcpy_thread_local", uses=("aclrtMemcpy",))
def test_copy_under_thread_local(acl, expect, graphs):
    """Under a capture of its thread alone that thread cannot copy at once."""
    copy = graphs.blocks()
    graphs.begin(mode=THREAD_LOCAL)
    expect.refused(graphs.copy_now(acl, copy))


@covers("ri_capture_begin.during_sync_memcpy_global_other_thread", uses=("aclrtMemcpy",))
def test_other_thread_under_global(acl, expect, graphs):
    """Under a global capture another thread cannot copy at once either."""
    copy = graphs.blocks()
    graphs.begin(mode=GLOBAL)
    expect.refused(elsewhere(acl, lambda: graphs.copy_now(acl, copy)))


@covers("ri_capture_begin.during_sync_memset_global", uses=("aclrtMemset",))
@surfaces("c")
def test_fill_under_global(acl, expect, graphs):
    """Under a global capture its thread cannot fill at once."""
    block = graphs.target()
    graphs.begin(mode=GLOBAL)
    expect.refused(acl.aclrtMemset(devPtr=block, maxCount=block.size, value=1, count=block.size))


@covers("ri_capture_begin.during_sync_memcpy2d_global", uses=("aclrtMemcpy2d",))
def test_rows_under_global(acl, expect, graphs, memory):
    """Under a global capture its thread cannot copy rows at once."""
    host, block = memory.host(64), graphs.target()
    graphs.begin(mode=GLOBAL)
    rows = {"dpitch": 16, "spitch": 16, "width": 8, "height": 4}
    expect.refused(acl.aclrtMemcpy2d(dst=block, src=host, **rows, kind="ACL_MEMCPY_HOST_TO_DEVICE"))
