"""Arguments of the functions of managed memory: sizes, places, advice and attributes."""

from __future__ import annotations

from typing import Any, TypeAlias

from suites.memory.virtual.properties import MIB, TIB

STEP = 2 * MIB
"""Bytes in multiples of which managed memory is handed out and described."""

WINDOW = (0x90000000000, 0x90000000000 + 3 * TIB)
"""The first address of managed memory, and the first one behind it."""

MOST = 3 * TIB
"""Bytes of managed memory that one process can hold."""

GLOBAL = "ACL_RT_MEM_ATTACH_GLOBAL"

INVALID, DEVICE, HOST, HOST_NUMA, HOST_NUMA_CURRENT = (
    f"ACL_MEM_LOCATIONTYPE_{name}" for name in ("INVALID", "DEVICE", "HOST", "HOST_NUMA", "HOST_NUMA_CURRENT")
)

_ATTRIBUTE = "ACL_MEM_RANGE_ATTRIBUTE_"
READ_MOSTLY = f"{_ATTRIBUTE}READ_MOSTLY"
PREFERRED = f"{_ATTRIBUTE}PREFERRED_LOCATION"
PREFERRED_TYPE = f"{_ATTRIBUTE}PREFERRED_LOCATION_TYPE"
PREFERRED_ID = f"{_ATTRIBUTE}PREFERRED_LOCATION_ID"
ACCESSED_BY = f"{_ATTRIBUTE}ACCESSED_BY"

NO_PLACE = -2
"""What an attribute says of a place that there is not."""

HOST_PLACE = -1
"""What an attribute says of the host."""

Place: TypeAlias = dict[str, Any]


def place(kind: str, number: int = 0) -> Place:
    """A location of managed memory."""
    return {"type": kind, "id": number}


ON_DEVICE, ON_HOST, NOWHERE = place(DEVICE), place(HOST), place(INVALID)
"""Device 0, the host, and no place."""
