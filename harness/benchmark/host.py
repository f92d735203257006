"""The host a benchmark runs on: the cores it is bound to, how it fares meanwhile, who else is on it."""

from __future__ import annotations

import glob
import os
import re
import shutil
import subprocess
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from pathlib import Path

from harness.device import whole_number
from harness.device.environment import PCI_DEVICES
from harness.device.installation import file_text

_NPU_SMI_DEADLINE_S = 10.0
_TELLING = re.compile(r"^\s*(.*?(?:temperature|power|freq)[^:]*?)\s*:\s*(-?[\d.]+)\s*$", re.IGNORECASE)
_PROCESS_ROW = re.compile(r"^\|\s*(\d+)\s+\d+\s*\|\s*(\d+)\s*\|\s*(\S+)\s*\|")
_THROTTLES = "throttles"
_SLOWED = 0.95
_MOST_CPUS = 1 << 16


@dataclass(frozen=True)
class Binding:
    """The cores a benchmark runs on, and the NUMA node they belong to where that is known."""

    cpus: tuple[int, ...]
    node: int | None = None


def binding_for(bus_id: str, root: Path = Path("/")) -> Binding:
    """The cores beside a device, by its PCI address such as `0000:c1:00.0`; all where that is unknown."""
    allowed = os.sched_getaffinity(0)
    node = _number(root / PCI_DEVICES / bus_id.lower() / "numa_node") if bus_id else None
    if node is not None and node >= 0:
        listed = file_text(root / f"sys/devices/system/node/node{node}/cpulist")
        near = parse_cpus(listed) & allowed
        if near:
            return Binding(tuple(sorted(near)), node)
    return Binding(tuple(sorted(allowed)))


def parse_cpus(text: str) -> set[int]:
    """The numbers of a list such as `0-3,8`; empty for a text that is none."""
    cpus: set[int] = set()
    for part in text.strip().split(","):
        first, _, last = part.partition("-")
        low, high = whole_number(first.strip()), whole_number((last or first).strip())
        if low is not None and high is not None:
            cpus.update(range(low, min(high, _MOST_CPUS) + 1))
    return cpus


def reachable(cpus: set[int]) -> set[int]:
    """Those of the cores that this process can run on."""
    before = os.sched_getaffinity(0)
    try:
        os.sched_setaffinity(0, cpus)
        return os.sched_getaffinity(0) & cpus
    except OSError:
        return set()
    finally:
        os.sched_setaffinity(0, before)


@contextmanager
def bound(cpus: tuple[int, ...]) -> Iterator[None]:
    """Run on these cores only; pinned memory that is allocated inside lies beside them."""
    before = os.sched_getaffinity(0)
    os.sched_setaffinity(0, cpus)
    try:
        yield
    finally:
        os.sched_setaffinity(0, before)


def negotiated_link(bus_id: str, root: Path = Path("/")) -> tuple[float, int] | None:
    """Rate in GT/s and lanes that a PCI device runs at now; None where the system does not say."""
    folder = root / PCI_DEVICES / bus_id.lower()
    rate = re.match(r"[\d.]+", file_text(folder / "current_link_speed"))
    lanes = _number(folder / "current_link_width")
    return (float(rate.group()), lanes) if bus_id and rate and lanes else None


def conditions(device: int | None = None, root: Path = Path("/")) -> dict[str, float]:
    """How the host fares: load, clock and temperature of its cores, times they were throttled; with a device
    number also what npu-smi tells of its temperature, power and clocks.
    """
    found = {"load": os.getloadavg()[0]}
    clocks = [
        value
        for file in glob.glob(str(root / "sys/devices/system/cpu/cpu[0-9]*/cpufreq/scaling_cur_freq"))
        if (value := _number(Path(file)))
    ]
    if clocks:
        found["core_mhz"] = sum(clocks) / len(clocks) / 1000
    throttles = [
        value
        for file in glob.glob(str(root / "sys/devices/system/cpu/cpu[0-9]*/thermal_throttle/*throttle_count"))
        if (value := _number(Path(file))) is not None
    ]
    if throttles:
        found[_THROTTLES] = float(sum(throttles))
    if device is not None:
        found |= _device_conditions(device)
    return found


def is_busy(before: dict[str, float], after: dict[str, float], cpus: int) -> bool:
    """Whether more processes wanted to run than there are cores: the host's clock counts their work too."""
    return min(before.get("load", 0.0), after.get("load", 0.0)) > cpus


def was_throttled(before: dict[str, float], after: dict[str, float]) -> bool:
    """Whether a core was throttled meanwhile, or a clock of the device has fallen."""
    if after.get(_THROTTLES, 0) > before.get(_THROTTLES, 0):
        return True
    device_clocks = [name for name in after if "freq" in name and name in before]
    return any(after[name] < _SLOWED * before[name] for name in device_clocks)


def others_on_device(device: int) -> list[str]:
    """Processes of others on a device by npu-smi's table: `NAME (PID)`; none where there is no npu-smi."""
    own = {os.getpid(), os.getppid()}
    rows = (_PROCESS_ROW.match(line) for line in _npu_smi("info").splitlines())
    return [
        f"{row.group(3)} ({row.group(2)})"
        for row in rows
        if row and int(row.group(1)) == device and int(row.group(2)) not in own
    ]


def available_memory() -> int:
    """Bytes that this host can still give out."""
    for line in file_text(Path("/proc/meminfo")).splitlines():
        if line.startswith("MemAvailable:"):
            return int(line.split()[1]) * 1024
    return 1 << 30


def governor(root: Path = Path("/")) -> str:
    """The frequency governor of the first core, or nothing."""
    return file_text(root / "sys/devices/system/cpu/cpu0/cpufreq/scaling_governor")


def _device_conditions(device: int) -> dict[str, float]:
    lines = _npu_smi("info", "-t", "common", "-i", str(device)).splitlines()
    rows = (_TELLING.match(line) for line in lines)
    return {"_".join(row.group(1).lower().split()): float(row.group(2)) for row in rows if row}


def _npu_smi(*words: str) -> str:
    tool = shutil.which("npu-smi")
    if tool is None:
        return ""
    with suppress(OSError, subprocess.SubprocessError):
        done = subprocess.run(
            [tool, *words], capture_output=True, text=True, timeout=_NPU_SMI_DEADLINE_S, check=False
        )
        return done.stdout
    return ""


def _number(file: Path) -> int | None:
    text = file_text(file)
    return int(text) if text.lstrip("-").isdigit() else None
