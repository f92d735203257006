"""Attributes of single operators: the functions that set them, and values that each must take."""

from __future__ import annotations

from typing import Any

from harness.device import require

NAME = "k"
"""The name of the attribute that is set."""

_LARGEST_FLOAT = 3.4028234663852886e38

VALUES: dict[str, list[dict[str, Any]]] = {
    "aclopSetAttrBool": [{"attrValue": 0}, {"attrValue": 1}],
    "aclopSetAttrInt": [{"attrValue": value} for value in (0, -(2**63), 2**63 - 1)],
    "aclopSetAttrFloat": [{"attrValue": value} for value in (0.0, -1.5, _LARGEST_FLOAT)],
    "aclopSetAttrString": [{"attrValue": "same"}, {"attrValue": ""}],
    "aclopSetAttrDataType": [{"attrValue": "ACL_FLOAT"}, {"attrValue": "ACL_DT_UNDEFINED"}],
    "aclopSetAttrListBool": [{"numValues": 3, "values": [0, 1, 1]}],
    "aclopSetAttrListInt": [{"numValues": 3, "values": [1, -2, 3]}],
    "aclopSetAttrListFloat": [{"numValues": 3, "values": [1.0, -2.5, 3.0]}],
    "aclopSetAttrListDataType": [{"numValues": 3, "values": ["ACL_FLOAT", "ACL_INT8", "ACL_INT64"]}],
    "aclopSetAttrListString": [{"numValues": 3, "values": ["one", "", "three"]}],
    "aclopSetAttrListListInt": [{"numLists": 2, "numValues": [2, 3], "values": [[1, 2], [3, 4, 5]]}],
}
"""Every function that sets an attribute, with values that it must take."""


def values_for(surface: str, values: dict[str, Any]) -> dict[str, Any]:
    """The values as a surface takes them: pyACL counts the values of inner lists itself."""
    if surface == "c" or "numLists" not in values:
        return values
    return {name: value for name, value in values.items() if name != "numValues"}


class Attributes:
    """Makes attribute sets, on the surface under test."""

    def __init__(self, acl: Any) -> None:
        self._acl = acl

    def make(self) -> int:
        """An empty set."""
        return int(require(self._acl.call("aclopCreateAttr"), "making an attribute set").value)

    def with_int(self, name: str, value: int) -> int:
        """A set of one number."""
        made = self.make()
        answer = self._acl.call("aclopSetAttrInt", attr=made, attrName=name, attrValue=value)
        require(answer, "setting an attribute")
        return made

    def set_each(self, attributes: int, api: str) -> list[int]:
        """What each value of a function gives, under one name."""
        each = (values_for(self._acl.name, values) for values in VALUES[api])
        given = ({"attr": attributes, "attrName": NAME, **values} for values in each)
        return [int(self._acl.call(api, **args).code) for args in given]

    def come_and_go(self, count: int) -> None:
        """So many sets, full and empty ones, one after the other."""
        for _ in range(count):
            full, empty = self.make(), self.make()
            for api, values in VALUES.items():
                given = values_for(self._acl.name, values[0])
                require(self._acl.call(api, attr=full, attrName=api, **given), "setting an attribute")
            self._acl.call("aclopDestroyAttr", attr=full)
            self._acl.call("aclopDestroyAttr", attr=empty)
