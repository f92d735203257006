"""Which device a case runs on, what it is prepared with, and what must be left after it."""

from harness.binding import find_reference
from harness.device.blocks import GUARD_SIZE, Block, BlockKind, Blocks, GuardViolation, require
from harness.device.engine import CASE_STARTS, Engine
from harness.device.environment import fingerprint
from harness.device.errors import DeviceError, UsageError
from harness.device.lease import VISIBLE_DEVICES, DeviceLease, visible_devices
from harness.device.pattern import GUARD_BYTE, Bytes, pattern, share_patterns
from harness.device.profile import Profile, select_profiles, split_list, whole_number
from harness.device.target import Probe, Target, probe, select_target

__all__ = [
    "CASE_STARTS",
    "GUARD_BYTE",
    "GUARD_SIZE",
    "VISIBLE_DEVICES",
    "Block",
    "BlockKind",
    "Blocks",
    "Bytes",
    "DeviceError",
    "DeviceLease",
    "Engine",
    "GuardViolation",
    "Probe",
    "Profile",
    "Target",
    "UsageError",
    "find_reference",
    "fingerprint",
    "pattern",
    "probe",
    "require",
    "select_profiles",
    "select_target",
    "share_patterns",
    "split_list",
    "visible_devices",
    "whole_number",
]
