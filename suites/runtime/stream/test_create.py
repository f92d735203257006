"""aclrtCreateStream and aclrtCreateStreamWithConfig: streams and their flags."""

from __future__ import annotations

import pytest

from harness.plugin import covers


@covers("create_stream.handle")
def test_create(acl, desk, expect):
    """A stream is made, and does its work."""
    stream = desk.took_stream(expect.success(acl.aclrtCreateStream()))
    expect.true(
        "a handle that is not null, and work that is done", (stream != 0, desk.works(stream)), (True, True)
    )


@covers("create_stream.default_priority_highest")
def test_priority(acl, desk, expect):
    """A stream has the highest priority."""
    stream = desk.took_stream(expect.success(acl.aclrtCreateStream()))
    priority = desk.must("aclrtStreamGetPriority", stream=stream).priority
    expect.true("the priority", priority, desk.highest_priority())


@covers("create_stream.flags_zero")
def test_flags(acl, desk, expect):
    """A stream has no flags."""
    stream = desk.took_stream(expect.success(acl.aclrtCreateStream()))
    expect.true("the flags", desk.must("aclrtStreamGetFlags", stream=stream).flags, 0)


@covers("create_stream.no_context")
def test_no_context(desk, expect):
    """A thread without a context gets no stream."""
    result = desk.without_context("aclrtCreateStream")
    expect.refused(result)


@covers("create_stream_with_config.flags_combine", uses=["aclrtStreamGetFlags"])
def test_combined(acl, desk, expect):
    """Fast launch and fast synchronisation go together, and are told back."""
    stream = desk.took_stream(expect.success(acl.aclrtCreateStreamWithConfig(priority=0, flag=0x3)))
    expect.true("the flags", acl.aclrtStreamGetFlags(stream=stream).flags, 3)


@covers("create_stream_with_config.unknown_flag")
def test_unknown_flag(acl, desk, expect):
    """An unknown flag gives a stream that does its work."""
    stream = desk.took_stream(expect.success(acl.aclrtCreateStreamWithConfig(priority=0, flag=0x1000)))
    expect.true("work is done", desk.works(stream))


@covers("create_stream_with_config.huge_no_effect")
def test_huge(acl, desk, expect):
    """A huge stream does its work as any other."""
    stream = desk.took_stream(
        expect.success(acl.aclrtCreateStreamWithConfig(priority=0, flag="ACL_STREAM_HUGE"))
    )
    expect.true("work is done", desk.works(stream))


@covers("create_stream_with_config.priority_reserved")
def test_priority_argument(acl, desk, expect):
    """Any priority of the range is accepted; which one the stream has is recorded."""
    stream = desk.took_stream(expect.success(acl.aclrtCreateStreamWithConfig(priority=7, flag=0)))
    expect.observed(f"priority {desk.must('aclrtStreamGetPriority', stream=stream).priority}")


@covers("create_stream_with_config.priority_clamped")
def test_priority_beyond(acl, desk, expect):
    """What becomes of a priority beyond the range is recorded."""
    result = acl.aclrtCreateStreamWithConfig(priority=100, flag=0)
    desk.took_stream(result)
    expect.observed(result)


@covers("create_stream_with_config.persistent_not_run")
def test_persistent(acl, desk, memory, expect):
    """Work on a persistent stream is not done until a model runs."""
    word = memory.device(64).fill(0)
    stream = desk.took_stream(
        expect.success(acl.aclrtCreateStreamWithConfig(priority=0, flag="ACL_STREAM_PERSISTENT"))
    )
    desk.fill(word, 1, stream)
    desk.held()
    expect.unchanged(word, where="while no model runs")


@covers("create_stream_with_config.fast_sync")
def test_fast_sync(acl, desk, memory, blocked_stream, expect):
    """Waiting for a stream of fast synchronisation ends when its work is done."""
    word = memory.device(64).fill(0)
    stream = desk.stream("ACL_STREAM_FAST_SYNC")
    with blocked_stream(stream) as hold:
        desk.fill(word, 1, stream)
        desk.soon(hold.release)
        expect.success(acl.aclrtSynchronizeStream(stream=stream))
    expect.data(word, 1)


@covers("stream_get_flags.or_of_flags")
def test_get_flags(acl, desk, expect):
    """The flags streams were made with are told back, one alone and two together."""
    results = [acl.aclrtStreamGetFlags(stream=desk.stream(flags)) for flags in (0x1, 0x2, 0x3, 0x4)]
    expect.true("the flags", [expect.success(result).flags for result in results], [0x1, 0x2, 0x3, 0x4])


@covers("stream_get_flags.null_stream")
def test_flags_of_default(acl, expect):
    """The default stream has flags, which are the product's own."""
    result = acl.aclrtStreamGetFlags(stream=None)
    expect.success(result)


@covers("stream_get_priority.null_stream")
def test_priority_of_default(acl, desk, expect):
    """The default stream has the highest priority."""
    result = acl.aclrtStreamGetPriority(stream=None)
    expect.true("the priority", expect.success(result).priority, desk.highest_priority())


@covers("stream_get_id.unique")
def test_ids(acl, desk, case, expect):
    """Ten streams have ten ids."""
    results = [acl.aclrtStreamGetId(stream=case.resources.stream()) for _ in range(10)]
    expect.true("ids", len({expect.success(result).streamId for result in results}), 10)


@covers("stream_get_id.null_stream")
def test_id_of_default(acl, desk, expect):
    """NULL stands for the default stream."""
    default = desk.must("aclrtCtxGetCurrentDefaultStream").stream
    result = acl.aclrtStreamGetId(stream=None)
    wanted = desk.must("aclrtStreamGetId", stream=default).streamId
    expect.true("the id", expect.success(result).streamId, wanted)


@covers("get_stream_available_num.counts")
def test_available(acl, case, expect):
    """A stream more is a stream less to have."""
    before = expect.success(acl.aclrtGetStreamAvailableNum()).streamCount
    case.resources.stream()
    after = expect.success(acl.aclrtGetStreamAvailableNum()).streamCount
    expect.true("streams left", after, before - 1)


@covers("get_stream_available_num.counts")
@pytest.mark.parametrize("api", ["aclrtDestroyStream", "aclrtDestroyStreamForce"])
def test_available_again(acl, desk, case, expect, api):
    """A stream that is destroyed in either way is a stream more to have."""
    case.needs(api)
    before = expect.success(acl.aclrtGetStreamAvailableNum()).streamCount
    desk.must(api, stream=desk.must("aclrtCreateStream").stream)
    after = expect.success(acl.aclrtGetStreamAvailableNum()).streamCount
    expect.true("streams left", after, before)


@covers("get_stream_available_num.counts")
def test_available_on_second_device(acl, desk, second_device, expect):
    """A stream more on the current device is a stream less to have there, whichever device it is."""
    with desk.second(second_device):
        before = expect.success(acl.aclrtGetStreamAvailableNum()).streamCount
        stream = desk.must("aclrtCreateStream").stream
        after = expect.success(acl.aclrtGetStreamAvailableNum()).streamCount
        desk.must("aclrtDestroyStream", stream=stream)
    expect.true("streams left", after, before - 1)


@covers("get_stream_available_num.no_context")
def test_available_no_context(desk, expect):
    """A thread without a context has no streams to count."""
    result = desk.without_context("aclrtGetStreamAvailableNum")
    expect.refused(result)
