"""What a run ran on: enough to tell two hosts, drivers or libraries apart."""

from __future__ import annotations

import os
import platform
from importlib import metadata
from pathlib import Path
from typing import Any

from harness.device.target import Target

_DRIVER_VERSION = Path("/usr/local/Ascend/driver/version.info")
_PACKAGES = ("pytest", "numpy", "msgspec", "pytest-xdist")


def fingerprint(target: Target) -> dict[str, Any]:
    """Facts about host, Python, library and driver as JSON values; what is not there is left out."""
    facts: dict[str, Any] = {
        "host": platform.node(),
        "system": f"{platform.system()} {platform.release()}",
        "machine": platform.machine(),
        "cpu": _cpu(),
        "cores": len(os.sched_getaffinity(0)),
        "python": platform.python_version(),
        "packages": {name: metadata.version(name) for name in _PACKAGES},
        "library": target.path,
        "library_sha256": target.sha256,
        "soc": target.detected.soc,
        "cann": target.detected.cann,
        "devices": target.detected.devices,
        "driver": driver_version(),
        "absent_functions": list(target.detected.absent),
    }
    return {key: value for key, value in facts.items() if value not in ("", 0, [], None)}


def _cpu() -> str:
    try:
        lines = Path("/proc/cpuinfo").read_text(errors="replace").splitlines()
    except OSError:
        return platform.processor()
    fields = dict(part for line in lines if len(part := [piece.strip() for piece in line.split(":", 1)]) == 2)
    return str(fields.get("model name") or fields.get("Model Name") or platform.processor())


def driver_version() -> str:
    """The installed driver's version, or nothing."""
    if not _DRIVER_VERSION.is_file():
        return ""
    for line in _DRIVER_VERSION.read_text(errors="replace").splitlines():
        key, _, value = line.partition("=")
        if key.strip().lower() == "version":
            return value.strip()
    return ""
