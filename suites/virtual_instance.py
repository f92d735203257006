"""Devices that are one of several virtual instances of a card."""

from __future__ import annotations

from harness.plugin import Case


def needs_virtual_instance(case: Case) -> None:
    """The case is blocked where device 0 is a whole device."""
    case.needs("aclrtGetDeviceInfo")
    answer = case.engine.c.call("aclrtGetDeviceInfo", deviceId=0, attr="ACL_DEV_ATTR_IS_VIRTUAL")
    if not (answer.ok and answer["value"]):
        case.expect.blocked("device 0 is no virtualised instance")
