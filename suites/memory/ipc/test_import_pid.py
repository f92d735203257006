"""aclrtIpcMemSetImportPid: which processes may import."""

from __future__ import annotations

import pytest

from harness.plugin import covers, isolated, surfaces
from suites.memory.ipc.keys import LISTED


@covers("ipc_mem_set_import_pid.ok")
@pytest.mark.parametrize("count", [1, 3])
def test_listed_processes(keys, expect, count):
    """Every process of a list can import."""
    shared, others = keys.shared(flags=LISTED, seed=1), keys.processes(count)
    result = keys.admit(shared.key, others)
    expect.success(result)
    keys.expect_taken_by(shared, others)


@covers("ipc_mem_set_import_pid.ok")
def test_end_of_a_long_list(keys, expect):
    """The last of 30 processes in one list, fewer than drivers take, can import."""
    shared, other = keys.shared(flags=LISTED, seed=1), keys.process()
    result = keys.admit(shared.key, [other], count=30)
    expect.success(result)
    keys.expect_taken_by(shared, [other])


@covers("ipc_mem_set_import_pid.ok")
@surfaces("c")
def test_list_ends_at_its_count(keys, expect):
    """A process that stands behind the counted part of the list is not let in."""
    shared, (listed, behind) = keys.shared(flags=LISTED), keys.processes(2)
    result = keys.admit(shared.key, [listed, behind], count=1)
    expect.success(result)
    keys.expect_only_second_accepted([behind.take(shared), listed.take(shared), behind.take(shared)])


@covers("ipc_mem_set_import_pid.ok")
def test_one_key_is_not_another(keys, expect):
    """Being let in to one block lets nobody in to another."""
    shared, closed, other = keys.shared(flags=LISTED), keys.shared(flags=LISTED), keys.process()
    result = keys.admit(shared.key, [other])
    expect.success(result)
    keys.expect_only_second_accepted([other.take(closed), other.take(shared), other.take(closed)])


@covers("ipc_mem_set_import_pid.several_calls")
def test_two_calls(keys):
    """Processes that two calls have listed one by one can both import."""
    shared, others = keys.shared(flags=LISTED, seed=1), keys.processes(2)
    results = [keys.admit(shared.key, [other]) for other in others]
    keys.expect_succeeded(results)
    keys.expect_taken_by(shared, others)


@covers("ipc_mem_set_import_pid.unknown_key")
def test_arbitrary_key(keys, expect):
    """A text of 64 characters that is no key is refused."""
    result = keys.admit("k" * 64, [keys.process()])
    expect.refused(result)


@covers("ipc_mem_set_import_pid.unknown_key")
def test_altered_key(keys, expect):
    """A key with one other character, wherever in it, is refused, and nobody is let in to the block."""
    shared, other = keys.shared(flags=LISTED), keys.process()
    results = [keys.admit(key, [other]) for key in shared.altered_keys()]
    keys.expect_all_refused(results)
    expect.true("the process is let in", other.take(shared).call.ok, False)


@covers("ipc_mem_set_import_pid.num_cast")
@isolated("the list is shorter than its count")
@surfaces("c")
def test_count_above_32_bits(acl, keys, expect):
    """What a count of 2^32 with a list of one gives is recorded; the block is unharmed."""
    shared, other = keys.shared(flags=LISTED, seed=1), keys.process()
    result = acl.aclrtIpcMemSetImportPid(key=shared.key, pid=[other.bare_id], num=2**32)
    expect.observed(result, corrupted=[shared.block])


@covers("ipc_mem_set_import_pid.num_limit")
@pytest.mark.parametrize("count", [31, 32])
def test_long_list(keys, expect, count):
    """What a list of as many processes as drivers take, and one more, gives is recorded."""
    shared, other = keys.shared(flags=LISTED, seed=1), keys.process()
    result = keys.admit(shared.key, [other], count)
    expect.observed(result, corrupted=[shared.block])
