"""aclrtIpcMemSetAttr: the link over which shared memory is reached."""

from __future__ import annotations

import pytest

from harness.plugin import covers
from suites.memory.ipc.keys import LINK

SIO, HCCS = "ACL_RT_IPC_MEM_ATTR_ACCESS_LINK_SIO", "ACL_RT_IPC_MEM_ATTR_ACCESS_LINK_HCCS"


@covers("ipc_mem_set_attr.order_conflict")
def test_after_the_export(acl, keys, expect):
    """What choosing a link for a key that was exported gives is recorded."""
    shared = keys.shared(seed=1)
    result = acl.aclrtIpcMemSetAttr(key=shared.key, type=LINK, attr=SIO)
    expect.observed(result, corrupted=[shared.block])


@covers("ipc_mem_set_attr.attr_values", "ipc_mem_set_attr.link_not_supported")
@pytest.mark.parametrize("link", [SIO, HCCS], ids=["sio", "hccs"])
def test_links(acl, keys, expect, link):
    """What choosing each link gives is recorded; the block is shared as before."""
    shared, other = keys.shared(seed=1), keys.process()
    result = acl.aclrtIpcMemSetAttr(key=shared.key, type=LINK, attr=link)
    expect.observed(result, corrupted=[shared.block])
    keys.expect_same_memory(other.take(shared), shared)
