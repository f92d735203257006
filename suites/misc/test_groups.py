"""Groups of compute units, which a tool of the driver makes: what there is to ask without one."""

from __future__ import annotations

from harness.plugin import covers


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
