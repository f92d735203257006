"""Short names of the copy kinds, and which kinds name a plain direction."""

from __future__ import annotations

H2H = "ACL_MEMCPY_HOST_TO_HOST"
H2D = "ACL_MEMCPY_HOST_TO_DEVICE"
D2H = "ACL_MEMCPY_DEVICE_TO_HOST"
D2D = "ACL_MEMCPY_DEVICE_TO_DEVICE"
DEFAULT = "ACL_MEMCPY_DEFAULT"
VIA_BUFFER = "ACL_MEMCPY_HOST_TO_BUF_TO_DEVICE"
INNER = "ACL_MEMCPY_INNER_DEVICE_TO_DEVICE"
INTER = "ACL_MEMCPY_INTER_DEVICE_TO_DEVICE"

PLAIN = (H2H, H2D, D2H, D2D)
"""The kinds that name the two sides of a copy."""

NO_KIND = (8, 100, -1)
"""Numbers outside the enumeration."""
