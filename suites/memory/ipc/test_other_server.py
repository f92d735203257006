"""aclrtIpcMemImportPidInterServer: processes on other servers of a superpod."""

from __future__ import annotations

from harness.plugin import covers
from suites.memory.ipc.keys import LISTED


@covers("ipc_mem_import_pid_inter_server.ok")
def test_process_of_another_server(acl, keys, expect, process_elsewhere):
    """A process on another server of the superpod is listed."""
    shared = keys.shared(flags=LISTED)
    result = acl.aclrtIpcMemImportPidInterServer(key=shared.key, serverPids=[process_elsewhere], num=1)
    expect.success(result)


@covers("ipc_mem_import_pid_inter_server.key_first")
def test_arbitrary_key(acl, keys, expect):
    """What listing processes for a text that is no key gives is recorded; a real key is unharmed."""
    shared, server = keys.shared(seed=1), {"sdid": 1, "pid": [keys.process().bare_id], "num": 1}
    result = acl.aclrtIpcMemImportPidInterServer(key="k" * 64, serverPids=[server], num=1)
    expect.observed(result, corrupted=[shared.block])
    keys.expect_taken_by(shared, [keys.process()])
