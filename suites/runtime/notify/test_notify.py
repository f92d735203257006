"""Notifies: one record lets one wait go on."""

from __future__ import annotations

import pytest

from harness.plugin import covers
from suites.virtual_instance import needs_virtual_instance

WAIT = "aclrtWaitAndResetNotify"


@covers("create_notify.no_device")
def test_no_device(desk, expect):
    """A thread without a device gets no notify."""
    result = desk.without_context("aclrtCreateNotify", flag=0)
    expect.refused(result)


@covers("record_notify.releases_wait")
def test_releases(acl, desk, memory, stream, other_stream, expect):
    """Work after a wait sees what was done before the record."""
    source, target = memory.device(64).fill(0), memory.device(64).fill(0)
    notify = desk.notify()
    desk.must(WAIT, notify=notify, stream=other_stream, timeout=0)
    desk.copy(target, source, other_stream)
    waits = desk.held(other_stream)
    desk.fill(source, 1, stream)
    result = acl.aclrtRecordNotify(notify=notify, stream=stream)
    expect.success(result)
    expect.true("the stream waits", waits)
    desk.sync(other_stream)
    expect.data(target, 1)


@covers("record_notify.null_stream")
def test_default_stream(acl, desk, other_stream, blocked_stream, expect):
    """A record on NULL comes after the work of the default stream."""
    notify = desk.notify()
    desk.must(WAIT, notify=notify, stream=other_stream, timeout=0)
    with blocked_stream(None) as hold:
        expect.success(acl.aclrtRecordNotify(notify=notify, stream=None))
        waits = desk.held(other_stream)
        hold.release()
        expect.true("the other waits, and goes on", (waits, desk.through(other_stream)), (True, True))


@covers("record_notify.releases_wait", uses=[WAIT])
def test_default_stream_waits(acl, desk, stream, expect):
    """The default stream waits for a record like any other."""
    notify = desk.notify()
    desk.must(WAIT, notify=notify, stream=None, timeout=0)
    waits = desk.held(None)
    expect.success(acl.aclrtRecordNotify(notify=notify, stream=stream))
    expect.true("it waits, and goes on", (waits, desk.through(None)), (True, True))


@covers("record_notify.asynchronous")
def test_asynchronous(desk, stream, blocked_stream, expect):
    """A record comes back while work before it is not done."""
    notify = desk.notify()
    with blocked_stream(stream):
        result, seconds = desk.timed("aclrtRecordNotify", notify=notify, stream=stream)
        expect.success(result)
        expect.within("seconds it took", seconds, 0, 5)
        expect.true("the stream still has work", desk.held(stream))


@covers("record_notify.one_to_one")
def test_one_to_one(acl, desk, case, stream, expect):
    """One record lets one of two waits go on, and a second one the other."""
    notify = desk.notify()
    waiting = [case.resources.stream() for _ in range(2)]
    desk.wait_for([notify], waiting)
    expect.success(acl.aclrtRecordNotify(notify=notify, stream=stream))
    after_one = desk.completed(*waiting)
    expect.success(acl.aclrtRecordNotify(notify=notify, stream=stream))
    expect.true("streams that went on, and then all", (after_one, desk.through(*waiting)), (1, True))


@covers("record_notify.before_wait")
def test_before_the_wait(acl, desk, stream, other_stream, expect):
    """A record before the wait is not lost."""
    notify = desk.notify()
    expect.success(acl.aclrtRecordNotify(notify=notify, stream=stream))
    desk.sync(stream)
    desk.must(WAIT, notify=notify, stream=other_stream, timeout=0)
    expect.true("the stream goes on", desk.through(other_stream))


@covers("record_notify.foreign_context")
def test_elsewhere(acl, desk, stream, expect):
    """A stream of another context is refused."""
    notify = desk.notify()
    with desk.other_context():
        result = acl.aclrtRecordNotify(notify=notify, stream=stream)
    expect.refused(result)


@covers("wait_and_reset_notify.auto_reset")
def test_reset(acl, desk, stream, other_stream, expect):
    """Each wait needs a record of its own."""
    notify = desk.notify()
    results = [acl.call(WAIT, notify=notify, stream=other_stream, timeout=0) for _ in range(2)]
    expect.true("answers", [result.code for result in results], [0, 0])
    desk.must("aclrtRecordNotify", notify=notify, stream=stream)
    desk.sync(stream)
    waits = desk.held(other_stream)
    desk.must("aclrtRecordNotify", notify=notify, stream=stream)
    expect.true("it waits again, and goes on", (waits, desk.through(other_stream)), (True, True))


@covers("wait_and_reset_notify.rounds")
def test_rounds(acl, desk, memory, stream, other_stream, expect):
    """A notify serves for fifty rounds."""
    source, target, notify = memory.device(64).fill(0), memory.device(64).fill(0), desk.notify()
    seen = [
        desk.round(acl, notify, number, (source, target), (stream, other_stream)) for number in range(1, 51)
    ]
    expect.true("what each round has copied", seen, [*range(1, 51)])


@covers("wait_and_reset_notify.zero_forever")
def test_no_bound(acl, desk, stream, other_stream, expect):
    """A bound of 0 is none."""
    notify = desk.notify()
    expect.success(acl.call(WAIT, notify=notify, stream=other_stream, timeout=0))
    waits = desk.held(other_stream)
    desk.must("aclrtRecordNotify", notify=notify, stream=stream)
    expect.true("it waits, and goes on", (waits, desk.through(other_stream)), (True, True))


@covers("wait_and_reset_notify.expiry")
def test_expiry(acl, desk, stream, other_stream, expect):
    """A wait that lasts longer than its bound, here the shortest, lets the wait for its stream fail."""
    notify = desk.notify()
    expect.success(acl.call(WAIT, notify=notify, stream=stream, timeout=1))
    seconds = desk.seconds_through(stream, patience=20)
    # Where the bound is ignored, the record ends the wait.
    desk.must("aclrtRecordNotify", notify=notify, stream=other_stream)
    expect.refused(acl.call("aclrtSynchronizeStream", stream=stream))
    expect.within("seconds it took", seconds, 0.5, 20)


@covers("get_notify_id.id")
def test_id(acl, desk, expect):
    """A notify has a number."""
    result = acl.aclrtGetNotifyId(notify=desk.notify())
    expect.success(result)


@covers("notify_batch_reset.clears")
def test_batch_reset(acl, desk, stream, other_stream, expect):
    """Records nobody has waited for are taken back."""
    notifies = [desk.notify(), desk.notify()]
    desk.notify_all(notifies, stream)
    desk.sync(stream)
    expect.success(acl.aclrtNotifyBatchReset(notifies=notifies, num=2))
    desk.wait_for(notifies, [other_stream])
    waits = desk.held(other_stream)
    desk.notify_all(notifies, stream)
    expect.true("it waits, and goes on", (waits, desk.through(other_stream)), (True, True))


@covers("notify_batch_reset.clears")
def test_batch_reset_each(acl, desk, stream, other_stream, case, expect):
    """Every record of the batch is taken back."""
    notifies = [desk.notify() for _ in range(5)]
    waiting = [other_stream, *(case.resources.stream() for _ in range(4))]
    desk.notify_all(notifies, stream)
    desk.sync(stream)
    expect.success(acl.aclrtNotifyBatchReset(notifies=notifies, num=5))
    desk.wait_each(notifies, waiting)
    waits = desk.held(*waiting)
    desk.notify_all(notifies, stream)
    expect.true("all wait, and go on", (waits, desk.through(*waiting)), (True, True))


@covers("notify_batch_reset.virtual_instance")
def test_batch_reset_virtual(acl, case, desk, expect):
    """On a virtualised instance of a device what the reset gives is recorded."""
    needs_virtual_instance(case)
    expect.observed(acl.aclrtNotifyBatchReset(notifies=[desk.notify()], num=1))


@covers("notify_get_export_key.key_text")
def test_key(acl, desk, expect):
    """A key is a text of 1 to 64 characters."""
    result = acl.aclrtNotifyGetExportKey(notify=desk.notify(), len=65, flags=2, **desk.key_room())
    expect.success(result)
    expect.within("characters", desk.key_length(result), 1, 64)


@covers("notify_import_by_key.unknown_key")
@pytest.mark.parametrize("key", ["no such key", "x" * 64], ids=["short", "long"])
def test_unknown_key(acl, expect, key):
    """A key that nobody has exported is refused."""
    result = acl.aclrtNotifyImportByKey(key=key, flags=0)
    expect.refused(result)


@covers("destroy_label.ok", uses=["aclrtCreateLabel"])
def test_label(acl, desk, expect):
    """A label that was never set can be destroyed."""
    label = desk.must("aclrtCreateLabel").label
    result = acl.aclrtDestroyLabel(label=label)
    expect.success(result)


@covers("create_label.no_context")
def test_label_no_context(desk, expect):
    """A thread without a context gets no label."""
    result = desk.without_context("aclrtCreateLabel")
    expect.refused(result)


@covers("destroy_label_list.ok", uses=["aclrtCreateLabelList"])
def test_label_list(acl, desk, expect, afterwards):
    """A list of labels can be destroyed."""
    labels = [desk.must("aclrtCreateLabel").label]
    afterwards("aclrtDestroyLabel", label=labels[0])
    made = desk.must("aclrtCreateLabelList", labels=labels, num=1).labelList
    result = acl.aclrtDestroyLabelList(labelList=made)
    expect.success(result)
