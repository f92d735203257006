"""Groups of compute units, which a tool of the driver makes."""

from __future__ import annotations

from typing import Any

from harness.device import require
from harness.plugin import Case

ORDERED = 3
AI_CORES = "ACL_GROUP_AICORE_INT"


class Groups:
    """What the tests of groups do; blocked where a device has none and none can be ordered."""

    def __init__(self, acl: Any, case: Case) -> None:
        self._acl, self._case = acl, case
        control = case.engine.library.control
        self.ordered = 0
        """How many groups there have to be; 0 where nobody has said so."""
        if control is not None:
            control.set_groups(ORDERED)
            case.resources.at_end(lambda: control.set_groups(0))
            self.ordered = ORDERED
        self.count = int(require(case.engine.c.call("aclrtGetGroupCount"), "counting groups").count)
        """How many there are."""
        if self.count == 0:
            case.expect.blocked("the device has no group; a tool of the driver makes one")

    @property
    def first(self) -> int:
        """The number of the first group."""
        _, place = self.detail(attribute="ACL_GROUP_GROUPID_INT")
        return int.from_bytes(place[:4], "little")

    def asked(self) -> Any:
        """The answer of the surface under test to how many there are; pyACL wants a number too."""
        given = {} if self._case.surface == "c" else {"count": 0}
        return self._acl.aclrtGetGroupCount(**given)

    def block(self) -> int:
        """A block for information about groups."""
        made = int(self._case.engine.c.call("aclrtCreateGroupInfo").value or 0)
        if made:
            self._case.resources.afterwards("aclrtDestroyGroupInfo", groupInfo=made)
        return made

    def filled(self) -> int:
        """A block with the information."""
        made = self.block()
        require(self._case.engine.c.call("aclrtGetAllGroupInfo", groupInfo=made), "asking about all groups")
        return made

    def detail(self, index: int = 0, attribute: str | int = AI_CORES, room: int = 4) -> tuple[Any, bytes]:
        """The answer to asking for an attribute, and the eight bytes that the first `room` of were for it."""
        place = self._case.resources.memory().pageable(8).fill(0xEE)
        asked = {"groupInfo": self.filled(), "groupIndex": index, "attr": attribute}
        surface = self._acl if self._case.surface == "c" else self._case.engine.c
        result = surface.call("aclrtGetGroupInfoDetail", **asked, attrValue=place, valueLen=room)
        return result, place.read().tobytes()
