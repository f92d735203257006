"""Counting notifies: streams that go on when a count is as asked for."""

from __future__ import annotations

import pytest

from harness.plugin import covers

SET, ADD, OR, AND = 0, 1, 2, 4
LESS, EQUAL, GREATER, AT_LEAST, BITS = range(5)
TOP = 1 << 31
COUNT = TOP - 1
"""A count that is another one with 16 bits, and below the next one without a sign only."""


@covers("cnt_notify_create.no_device")
def test_no_device(desk, expect):
    """A thread without a device gets no counting notify."""
    result = desk.without_context("aclrtCntNotifyCreate", flag=0)
    expect.refused(result)


@covers("cnt_notify_destroy.ok")
def test_destroy(acl, desk, expect):
    """A counting notify can be destroyed."""
    result = acl.aclrtCntNotifyDestroy(cntNotify=desk.must("aclrtCntNotifyCreate", flag=0).cntNotify)
    expect.success(result)


@covers("cnt_notify_record.set_mode")
def test_set(acl, counter, stream, other_stream, expect):
    """A count is set."""
    info = {"mode": SET, "value": COUNT}
    expect.success(acl.aclrtCntNotifyRecord(cntNotify=counter.handle, stream=stream, info=info))
    waiting = counter.waiting(stream, other_stream, COUNT, COUNT & 0xFFFF)
    expect.true("streams that wait for it and for its lower half", waiting, (False, True))


@covers("cnt_notify_record.set_mode")
def test_set_in_turn(acl, counter, stream, other_stream, blocked_stream, expect):
    """A count is set once its stream comes to it."""
    expect.success(counter.wait(EQUAL, 5, other_stream))
    with blocked_stream(stream) as hold:
        info = {"mode": SET, "value": 5}
        expect.success(acl.aclrtCntNotifyRecord(cntNotify=counter.handle, stream=stream, info=info))
        waits = counter.desk.held(other_stream)
        hold.release()
        goes_on = counter.desk.through(other_stream)
    expect.true("the other waits, and goes on", (waits, goes_on), (True, True))


@covers("cnt_notify_record.null_stream")
def test_set_on_default_stream(acl, counter, stream, blocked_stream, expect):
    """NULL stands for the default stream: a count is set when that comes to it."""
    expect.success(counter.wait(EQUAL, 5, stream))
    with blocked_stream(None) as hold:
        info = {"mode": SET, "value": 5}
        expect.success(acl.aclrtCntNotifyRecord(cntNotify=counter.handle, stream=None, info=info))
        waits = counter.desk.held(stream)
        hold.release()
        goes_on = counter.desk.through(stream)
    expect.true("the other waits, and goes on", (waits, goes_on), (True, True))


@covers("cnt_notify_record.add_mode")
def test_add(acl, counter, stream, other_stream, expect):
    """A number is added to the count."""
    counter.set(5, stream)
    expect.success(
        acl.aclrtCntNotifyRecord(cntNotify=counter.handle, stream=stream, info={"mode": ADD, "value": 3})
    )
    expect.true("streams that wait for 8 and 3", counter.waiting(stream, other_stream, 8, 3), (False, True))


@covers("cnt_notify_record.or_and_modes")
@pytest.mark.parametrize(("mode", "value", "count"), [(OR, 1, 7), (AND, 3, 2)], ids=["or", "and"])
def test_bits(acl, counter, stream, other_stream, expect, mode, value, count):
    """Bits are put into the count, or taken out."""
    counter.set(6, stream)
    info = {"mode": mode, "value": value}
    expect.success(acl.aclrtCntNotifyRecord(cntNotify=counter.handle, stream=stream, info=info))
    expect.true("streams that wait", counter.waiting(stream, other_stream, count, 6), (False, True))


@covers("cnt_notify_wait_with_timeout.conditions")
@pytest.mark.parametrize(
    ("mode", "good", "bad", "then"),
    [
        (LESS, TOP, COUNT, 4),
        (EQUAL, COUNT, TOP + 1, TOP + 1),
        (GREATER, COUNT - 1, TOP, TOP + 1),
        (AT_LEAST, COUNT, TOP, TOP),
        (BITS, 0x40000004, TOP + 4, TOP + 4),
    ],
    ids=["less", "equal", "greater", "at-least", "bits"],
)
def test_conditions(counter, stream, other_stream, expect, mode, good, bad, then):
    """A stream goes on where the count, which has no sign, is as asked for, and else waits until it is."""
    counter.set(COUNT, stream)
    counter.desk.sync(stream)
    expect.success(counter.wait(mode, good, stream))
    expect.success(counter.wait(mode, bad, other_stream))
    expect.true("which of them waits", counter.held(stream, other_stream), (False, True))
    counter.set(then, stream)
    expect.true("the other goes on too", counter.desk.through(other_stream))


@covers("cnt_notify_wait_with_timeout.is_clear")
@pytest.mark.parametrize("clear", [0, 1])
def test_clear(counter, stream, other_stream, expect, clear):
    """The count is 0 after a wait that clears, and stays after one that does not."""
    counter.set(5, stream)
    expect.success(counter.wait(EQUAL, 5, stream, clear=clear))
    counter.desk.through(stream)
    expect.success(counter.wait(EQUAL, 5, other_stream))
    expect.true("the second wait holds", counter.held(stream, other_stream), (False, bool(clear)))
    counter.set(5, stream)
    expect.true("it goes on", counter.desk.through(other_stream))


@covers("cnt_notify_wait_with_timeout.null_stream")
def test_default_stream(counter, stream, expect):
    """NULL stands for the default stream."""
    counter.set(1, stream)
    expect.success(counter.wait(EQUAL, 1, None))
    expect.true("it goes on", counter.desk.through(None))


@covers("cnt_notify_reset.zeroes")
def test_reset(acl, counter, stream, other_stream, blocked_stream, expect):
    """The count is 0 after a reset, which comes after the work before it."""
    with blocked_stream(stream) as hold:
        counter.set(5, stream)
        expect.success(acl.aclrtCntNotifyReset(cntNotify=counter.handle, stream=stream))
        expect.success(counter.wait(LESS, 1, stream))
        hold.release()
        goes_on = counter.desk.through(stream)
    # Where the reset came first, this ends the wait.
    counter.set(0, other_stream)
    expect.true("the stream goes on", goes_on)


@covers("cnt_notify_get_id.id")
def test_id(acl, counter, expect):
    """A counting notify has a number."""
    result = acl.aclrtCntNotifyGetId(cntNotify=counter.handle)
    expect.success(result)


@covers("cnt_notify_wait_with_timeout.timeout")
def test_expiry(acl, counter, desk, stream, other_stream, expect):
    """A wait that lasts longer than its bound, here the shortest, lets the wait for its stream fail."""
    expect.success(counter.wait(EQUAL, 9, stream, seconds=1))
    seconds = desk.seconds_through(stream, patience=20)
    # Where the bound is ignored, the count ends the wait.
    counter.set(9, other_stream)
    expect.refused(acl.call("aclrtSynchronizeStream", stream=stream))
    expect.within("seconds it took", seconds, 0.5, 20)
