"""aclrtMallocWithCfg and aclrtMallocForTaskScheduler: what a configuration and combined policies add."""

from __future__ import annotations

import pytest

from harness.plugin import covers
from suites.memory.alloc.allocations import Asked
from suites.memory.alloc.read_only import WRITES
from suites.memory.alloc.sizes import FOR_SCHEDULER, HUGE_FIRST, WITH_CFG
from suites.memory.virtual.properties import KIB, MIB


@covers("malloc_with_cfg.cfg_null_ok")
def test_cfg_null(acl, allocations, figures):
    """Without a configuration the call gives aligned, usable memory that aclrtFree releases."""
    before = figures.free()
    result = acl.aclrtMallocWithCfg(size=4 * KIB, policy=HUGE_FIRST, cfg=None)
    asked = Asked(4 * KIB, HUGE_FIRST, result)
    allocations.expect_usable(asked)
    allocations.expect_aligned(asked)
    allocations.expect_released([acl.aclrtFree(devPtr=asked.ptr)], before)


@covers("malloc_with_cfg.policy_or_groups")
def test_policy_or_groups(allocations, combined):
    """A bandwidth combined with a base policy gives usable memory."""
    asked = allocations.ask_for(WITH_CFG, [4 * MIB] * len(combined), combined)
    allocations.expect_usable(*asked)


@covers("malloc_with_cfg.addr_align_64")
def test_address_by_combined_policies(allocations, combined):
    """Blocks by a bandwidth combined with a base policy start at multiples of 64."""
    asked = allocations.ask_for_each(WITH_CFG, [33, 4 * KIB, 4 * MIB], combined)
    allocations.expect_aligned(*asked)


@covers("malloc_with_cfg.readonly", uses=["aclrtMemset", "aclrtMemsetAsync", "aclrtMemcpyAsync"])
@pytest.mark.parametrize("write", WRITES)
def test_readonly(read_only, write):
    """Memory that user space may only read, by any base policy, is not changed at its start or behind it."""
    blocks = read_only.blocks(4 * KIB)
    attempts = read_only.write_to_all(write, blocks, offsets=(0, 64))
    read_only.expect_all_refused(attempts)


@covers("malloc_with_cfg.readonly", uses=["aclrtMemcpy"])
def test_readonly_can_be_read(acl, read_only, memory):
    """Memory that user space may only read can be copied to other memory of the device."""
    block, target = read_only.block(4 * KIB), memory.device(4 * KIB)
    ends = {"dst": target.ptr, "destMax": 4 * KIB, "src": block.ptr, "count": 4 * KIB}
    result = acl.aclrtMemcpy(**ends, kind="ACL_MEMCPY_DEVICE_TO_DEVICE")
    read_only.expect_copied(result, target, block)


@covers("malloc_for_task_scheduler.release_call")
def test_scheduler_memory_is_released(acl, allocations, figures, expect):
    """What aclrtFree gives for memory of the task scheduler, and whether the memory is back, is recorded."""
    before = figures.free()
    asked = allocations.expect_given(allocations.ask(FOR_SCHEDULER, 2 * MIB))
    result = acl.aclrtFree(devPtr=asked.ptr)
    expect.observed(result)
    expect.observed(f"{before - figures.free()} bytes are missing afterwards")
