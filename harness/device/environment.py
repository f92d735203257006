"""What a run ran on: enough to tell two hosts, drivers or libraries apart."""

from __future__ import annotations

import os
import platform
from importlib import metadata
from pathlib import Path
from typing import Any

from harness.device.installation import file_text
from harness.device.target import Target

_ASCEND = Path("usr/local/Ascend")
PCI_DEVICES = Path("sys/bus/pci/devices")
_HUAWEI = "0x19e5"
_ACCELERATOR = "0x12"
_PACKAGES = ("pytest", "numpy", "msgspec", "pytest-xdist")


def fingerprint(target: Target, root: Path = Path("/")) -> dict[str, Any]:
    """Facts about host, Python, library, driver and links as JSON values; what is not there is left out.

    `root` is where the host's files are looked for.
    """
    facts: dict[str, Any] = {
        "soc": target.detected.soc,
        "devices": target.detected.devices,
        "cann": target.detected.cann,
        "driver": driver_version(root),
        "firmware": _version(root / _ASCEND / "firmware/version.info"),
        "links": links(root),
        "host": platform.node(),
        "system": _system(root),
        "kernel": f"{platform.system()} {platform.release()}",
        "machine": platform.machine(),
        "cpu": _cpu(),
        "cores": len(os.sched_getaffinity(0)),
        "numa_nodes": len(list((root / "sys/devices/system/node").glob("node[0-9]*"))),
        "python": platform.python_version(),
        "packages": {name: metadata.version(name) for name in _PACKAGES},
        "library": target.path,
        "library_sha256": target.sha256,
        "absent_functions": list(target.detected.absent),
    }
    return {key: value for key, value in facts.items() if value not in ("", 0, [], None)}


def links(root: Path = Path("/")) -> list[str]:
    """The NPUs on the PCI bus, what each negotiated of what it could, and its NUMA node where that is known.

    Such as `0000:c1:00.0 16.0 GT/s x16 (of 32.0 GT/s x16), node 6`.
    """
    found = []
    for folder in sorted((root / PCI_DEVICES).glob("*")):
        if file_text(folder / "vendor") == _HUAWEI and file_text(folder / "class").startswith(_ACCELERATOR):
            node = file_text(folder / "numa_node")
            beside = f", node {node}" if node not in ("", "-1") else ""
            found.append(f"{folder.name} {_link(folder, 'current')} (of {_link(folder, 'max')}){beside}")
    return found


def _link(folder: Path, kind: str) -> str:
    rate = file_text(folder / f"{kind}_link_speed").removesuffix(" PCIe")
    return f"{rate} x{file_text(folder / f'{kind}_link_width')}"


def driver_version(root: Path = Path("/")) -> str:
    """The installed driver's version, or nothing."""
    return _version(root / _ASCEND / "driver/version.info")


def _version(file: Path) -> str:
    for line in file_text(file).splitlines():
        key, _, value = line.partition("=")
        if key.strip().lower() == "version":
            return value.strip()
    return ""


def _system(root: Path) -> str:
    for line in file_text(root / "etc/os-release").splitlines():
        if line.startswith("PRETTY_NAME="):
            return line.partition("=")[2].strip('"')
    return ""


def _cpu() -> str:
    try:
        lines = Path("/proc/cpuinfo").read_text(errors="replace").splitlines()
    except OSError:
        return platform.processor()
    fields = dict(part for line in lines if len(part := [piece.strip() for piece in line.split(":", 1)]) == 2)
    return str(fields.get("model name") or fields.get("Model Name") or platform.processor())
