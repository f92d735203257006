"""Arguments of the virtual memory functions: sizes, properties of physical memory, places and grants."""

from __future__ import annotations

from collections.abc import Mapping
from itertools import pairwise
from typing import Any, TypeAlias

KIB = 1024
MIB = 1024 * KIB
GIB = 1024 * MIB
TIB = 1024 * GIB

GRANULE = 2 * MIB
"""The smallest piece of physical memory with 2 MiB pages, which every product has."""

HUGE = "ACL_HBM_MEM_HUGE"
NORMAL = "ACL_HBM_MEM_NORMAL"
HUGE1G = "ACL_HBM_MEM_HUGE1G"

GENERIC = ("ACL_MEM_NORMAL", "ACL_MEM_HUGE")
"""Attributes without a kind of memory in their name."""

GENERIC_PEER = ("ACL_MEM_P2P_NORMAL", "ACL_MEM_P2P_HUGE")
"""Generic attributes for memory that other devices may reach."""

GENERIC_1G = ("ACL_MEM_HUGE1G", "ACL_MEM_P2P_HUGE1G")
"""Generic attributes for pages of 1 GiB."""

MINIMUM = "ACL_RT_MEM_ALLOC_GRANULARITY_MINIMUM"
RECOMMENDED = "ACL_RT_MEM_ALLOC_GRANULARITY_RECOMMENDED"

READWRITE = 3
"""ACL_RT_MEM_ACCESS_FLAGS_READWRITE as a number."""

HOST_PLACE = {"id": 0, "type": "ACL_MEM_LOCATION_TYPE_HOST"}
"""The location of the host."""

Properties: TypeAlias = Mapping[str, Any]


def device_place(device: int = 0) -> dict[str, Any]:
    """The location of a device."""
    return {"id": device, "type": "ACL_MEM_LOCATION_TYPE_DEVICE"}


def on_device(attribute: str = HUGE, device: int = 0) -> dict[str, Any]:
    """Properties of physical memory of a device."""
    return _properties(attribute, device_place(device))


def on_host(attribute: str = "ACL_MEM_HUGE") -> dict[str, Any]:
    """Properties of physical memory of the host; the id of its location is ignored and 0."""
    return _properties(attribute, HOST_PLACE)


def on_node(node: int = 0, attribute: str = "ACL_MEM_NORMAL") -> dict[str, Any]:
    """Properties of physical memory of one NUMA node of the host."""
    return _properties(attribute, {"id": node, "type": "ACL_MEM_LOCATION_TYPE_HOST_NUMA"})


def grant(device: int = 0) -> dict[str, Any]:
    """A descriptor that lets a device read and write."""
    return _grant(device_place(device))


def grant_to_host() -> dict[str, Any]:
    """A descriptor that lets the host read and write."""
    return _grant(HOST_PLACE)


def _grant(place: Mapping[str, Any]) -> dict[str, Any]:
    return {"flags": "ACL_RT_MEM_ACCESS_FLAGS_READWRITE", "location": dict(place), "rsv": [0] * 12}


def _properties(attribute: str, place: Mapping[str, Any]) -> dict[str, Any]:
    return {
        "handleType": "ACL_MEM_HANDLE_TYPE_NONE",
        "allocationType": "ACL_MEM_ALLOCATION_TYPE_PINNED",
        "memAttr": attribute,
        "location": dict(place),
        "reserve": 0,
    }


def overlaps(ranges: list[tuple[int, int]]) -> list[tuple[int, int]]:
    """The ranges (start, size) that begin before the one below them ends."""
    ordered = sorted(ranges)
    return [(start, size) for (before, length), (start, size) in pairwise(ordered) if before + length > start]
