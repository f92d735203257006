"""Groups of compute units, which a tool of the driver makes: with some, and without any."""

from __future__ import annotations

from functools import partial

import pytest

from harness.plugin import covers, surfaces
from suites.threads import alone


@covers("set_group.form", "set_group.product")
def test_set_elsewhere(acl, expect):
    """What a product or a form without groups answers is recorded."""
    expect.observed(acl.aclrtSetGroup(groupId=0))


@covers("set_group.unknown_id")
def test_unknown(acl, expect):
    """A group that there is not cannot be chosen."""
    expect.refused(acl.aclrtSetGroup(groupId=9999))


@covers("create_group_info.none")
def test_no_information(acl, expect):
    """Without a group there is no information about groups."""
    expect.true("the information", acl.aclrtCreateGroupInfo().value or 0, 0)


@covers("set_group.after_context")
def test_without_context(acl, groups, expect):
    """A thread without a context chooses no group, whatever groups there are."""
    expect.refused(alone(partial(acl.call, "aclrtSetGroup", groupId=groups.first)))


@covers("get_group_count.count", uses=("aclrtSetGroup",))
def test_count(groups, expect):
    """There are as many groups as were made."""
    count = expect.success(groups.asked()).count
    expect.true("groups", count, groups.ordered or groups.count)


@covers("create_group_info.pairs", uses=("aclrtDestroyGroupInfo",))
def test_block(acl, groups, expect):
    """A block for information is made, and destroyed."""
    made = acl.aclrtCreateGroupInfo().value
    expect.true("a block", bool(made))
    expect.success(acl.aclrtDestroyGroupInfo(groupInfo=made))


@covers("get_all_group_info.fills", uses=("aclrtGetGroupInfoDetail",))
def test_all(acl, groups, expect):
    """A block is filled with what there is to know of every group."""
    expect.success(acl.aclrtGetAllGroupInfo(groupInfo=groups.block()))
    last, _ = groups.detail(groups.count - 1)
    expect.success(last)


@covers("get_group_info_detail.index_range")
@surfaces("c")
@pytest.mark.parametrize("beyond", [0, 1, None], ids=["count", "count+1", "-1"])
def test_index(groups, expect, beyond):
    """A group that there is not has no attributes."""
    result, _ = groups.detail(-1 if beyond is None else groups.count + beyond)
    expect.refused(result)


@covers("get_group_info_detail.buffer_size")
@surfaces("c")
def test_small_room(groups, expect):
    """Room for a part of an attribute is too little."""
    result, _ = groups.detail(room=1)
    expect.refused(result)


@covers("get_group_info_detail.ret_size")
@surfaces("c")
@pytest.mark.parametrize("room", [4, 8])
def test_size(groups, expect, room):
    """An attribute is a number of four bytes, as the size says, and nothing is written behind it."""
    result, place = groups.detail(room=room)
    expect.true("the size", expect.success(result).paramRetSize, 4)
    expect.true("the bytes behind it", place[4:], b"\xee" * 4)


@covers("get_group_info_detail.bad_attr")
@surfaces("c")
@pytest.mark.parametrize("attribute", [6, 100])
def test_attribute(groups, expect, attribute):
    """An attribute that there is not is refused."""
    result, _ = groups.detail(attribute=attribute)
    expect.refused(result)
