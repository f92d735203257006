"""Notifies of one process in another: who may import them, and what a record there does."""

from __future__ import annotations

from harness.plugin import covers
from suites.runtime.importers import LISTED

WAIT = "aclrtWaitAndResetNotify"


@covers("notify_import_by_key.record_from_importer", uses=["aclrtRecordNotify"])
def test_record_there(desk, exports, stream, expect):
    """A record by the process that has imported a notify lets a wait go on that began before the export."""
    notify = desk.notify()
    process = exports.process()
    desk.must(WAIT, notify=notify, stream=stream, timeout=0)
    before = desk.held(stream)
    imported = expect.success(process.take(exports.key(notify)))
    waits = desk.held(stream)
    expect.success(process.record(imported.notify))
    expect.true("it waits, and goes on", (before, waits, desk.through(stream)), (True, True, True))


@covers("notify_import_by_key.released_early", uses=["aclrtDestroyNotify"])
def test_destroyed_before(acl, case, desk, exports, expect):
    """A notify that is destroyed cannot be imported any more."""
    made = desk.must("aclrtCreateNotify", flag=0).notify
    key = exports.key(made)
    desk.must("aclrtDestroyNotify", notify=made)
    expect.refused(exports.process().take(key))


@covers("notify_import_by_key.all_must_destroy", uses=["aclrtDestroyNotify"])
def test_destroyed_after(desk, exports, expect):
    """What a record gives when the other process has destroyed its notify is recorded."""
    made = desk.must("aclrtCreateNotify", flag=0).notify
    process = exports.process()
    imported = expect.success(process.take(exports.key(made)))
    desk.must("aclrtDestroyNotify", notify=made)
    expect.observed(process.record(imported.notify))
    expect.success(process.call("aclrtDestroyNotify", notify=imported.notify))


@covers("wait_and_reset_notify.creator_waits", uses=["aclrtNotifyImportByKey"])
def test_wait_there(desk, exports, stream, expect):
    """Only the process that has made a notify can wait for it."""
    notify = desk.notify()
    process = exports.process()
    imported = process.must("aclrtNotifyImportByKey", key=exports.key(notify), flags=0)
    result = process.call(WAIT, notify=imported.notify, stream=process.stream(), timeout=0)
    # Where the wait was accepted, the record ends it.
    desk.must("aclrtRecordNotify", notify=notify, stream=stream)
    expect.refused(result)


@covers("notify_set_import_pid.needed_with_flag0", uses=["aclrtNotifyImportByKey"])
def test_not_listed(desk, exports, expect):
    """A process that is not listed cannot import a notify that is for processes of a list."""
    expect.refused(exports.process().take(exports.key(desk.notify(), LISTED)))


@covers("notify_set_import_pid_inter_server.a3_pods_only")
def test_other_server(acl, desk, memory, expect):
    """What listing a process of a server gives where there may be no other one is recorded."""
    room = memory.pageable(4).write((1).to_bytes(4, "little"))
    servers = [{"sdid": 0, "pid": room.ptr, "num": 1}]
    expect.observed(
        acl.call("aclrtNotifySetImportPidInterServer", notify=desk.notify(), serverPids=servers, num=1)
    )


@covers("notify_set_import_pid.listed_process_imports", uses=["aclrtNotifyImportByKey"])
def test_listed(acl, desk, exports, expect):
    """Every process that is listed can import it."""
    notify, first, second = desk.notify(), exports.process(), exports.process()
    key = exports.key(notify, LISTED)
    listed = [first.bare_id, second.bare_id]
    expect.success(acl.aclrtNotifySetImportPid(notify=notify, pid=listed, num=2))
    expect.success(first.take(key))
    expect.success(second.take(key))
