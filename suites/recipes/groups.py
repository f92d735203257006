"""Valid calls of chapter 16: groups of compute units; most calls fail until a tool of the driver made one."""

from __future__ import annotations

from suites.recipes import Bench, Call, recipe


@recipe("aclrtSetGroup")
def set_group(bench: Bench) -> Call:
    """The first group."""
    return Call({"groupId": 0}, control=False)


@recipe("aclrtGetGroupCount")
def get_group_count(bench: Bench) -> Call:
    """How many groups there are; pyACL wants a number too."""
    return Call({} if bench.case.surface == "c" else {"count": 0})


@recipe("aclrtDestroyGroupInfo", "aclrtGetAllGroupInfo")
def with_group_info(bench: Bench) -> Call:
    """Memory that is no information about groups: only what refuses NULL is promised."""
    return Call({"groupInfo": None}, control=False)


@recipe("aclrtGetGroupInfoDetail")
def get_group_info_detail(bench: Bench) -> Call:
    """The AI Cores of the first group."""
    room = bench.memory.pageable(64)
    args = {"groupInfo": bench.memory.pageable(4096), "groupIndex": 0, "attr": "ACL_GROUP_AICORE_INT"}
    return Call({**args, "attrValue": room, "valueLen": 4}, watch=(room,), control=False)
